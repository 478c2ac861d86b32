"""Parquet files of documents to Parquet files of chunk rows, in bounded memory."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenchunk import _native
from tokenchunk._config import ChunkConfig, OverlapSide
from tokenchunk._encodings import EncodingLike
from tokenchunk._files import Job, PathLike, plan_jobs, whole_file
from tokenchunk._progress import ProgressCallback, reporting

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tokenchunk._tables import TableChunker, Totals

_BATCH_BYTES = 8 << 20
_GROUPS_BETWEEN_RELEASES = 2


@dataclass(frozen=True)
class Summary:
    """What a job did."""

    documents: int
    """Documents read."""
    empty: int
    """Those of them that gave no chunk: null, empty or all white space."""
    chunks: int
    """Chunk rows written."""
    tokens: int
    """Tokens of all chunks, overlap counted as often as it is written."""
    bytes: int
    """Bytes of the documents' text in UTF-8."""
    seconds: float
    """Time that it took."""


def chunk_parquet(
    inputs: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    text: str = "text",
    source: str = "source",
    max_tokens: int = 1536,
    overlap: float = 0.2,
    overlap_side: OverlapSide = "both",
    encoding: EncodingLike | None = None,
    model: str | None = None,
    keep: Sequence[str] | None = None,
    chunk_id: bool = False,
    batch_bytes: int = _BATCH_BYTES,
    progress: bool | ProgressCallback = False,
) -> Summary:
    """Chunk the documents of Parquet files into Parquet files of chunk rows.

    Memory is bounded by `batch_bytes`, the longest document and the largest page of the input (a page is what Parquet
    compresses as one piece), whatever the size of the files and of their row groups. An output file appears when it is
    whole; when the job fails or is interrupted, the one that it was at does not.

    Parameters
    ----------
    inputs : path, glob pattern or folder, or a sequence of these
        Parquet files with one document per row. A folder means the ``.parquet`` files below it.
    output : path
        A file; or a folder, with one file per input, if it ends in a slash or an input is a folder. Existing files are
        replaced.
    text, source : str
        The columns with the documents and with their ids.
    max_tokens, overlap, overlap_side, encoding, model
        As for `ChunkConfig`.
    keep : sequence of str, optional
        Other columns to repeat for each chunk; all by default.
    chunk_id : bool
        Whether to add the column ``chunk_id``; the source must then be of integers, text or binary.
    batch_bytes : int
        About how many bytes of documents to work on at a time. The job holds some eight times as much.
    progress : bool or callable
        True shows a bar if the error output is a terminal. A callable gets the documents, chunks and bytes done so far,
        after each batch.

    Returns
    -------
    Summary
        Counts of documents, chunks, tokens and bytes, and the time.

    Raises
    ------
    TypeError, ValueError, FileNotFoundError
        If an option is wrong, a file is missing or is not Parquet, a column is missing, is not text or would stand
        twice in the output, or the output cannot be written there: before any output. If a text is not valid UTF-8: the
        message gives the file, the column and the row.

    Examples
    --------
    >>> import tempfile, polars as pl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     documents = pl.DataFrame({"source": ["a"], "text": ["One sentence. Another one."]})
    ...     documents.write_parquet(f"{folder}/in.parquet")
    ...     summary = chunk_parquet(f"{folder}/in.parquet", f"{folder}/out.parquet", max_tokens=4, overlap=0)
    ...     print(summary.chunks, pl.read_parquet(f"{folder}/out.parquet")["content"].to_list())
    2 ['One sentence.', 'Another one.']
    """
    started = time.perf_counter()
    config = ChunkConfig(
        max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
    )
    columns: dict[str, Any] = {"text": text, "source": source, "keep": keep, "chunk_id": chunk_id}
    job = _ParquetJob(config, columns, _check_batch_bytes(batch_bytes))
    totals = job.run(plan_jobs(inputs, output), progress)
    return Summary(
        totals.documents, totals.empty, totals.chunks, totals.tokens, totals.bytes, time.perf_counter() - started
    )


def _check_batch_bytes(batch_bytes: int) -> int:
    if isinstance(batch_bytes, bool) or not isinstance(batch_bytes, int):
        raise TypeError(f"batch_bytes must be an int, not {type(batch_bytes).__name__}")
    if batch_bytes < 1:
        raise ValueError(f"batch_bytes must be 1 or more, not {batch_bytes}")
    return batch_bytes


class _ParquetJob:
    """Reading, chunking and writing go on side by side, one batch each."""

    def __init__(self, config: ChunkConfig, columns: dict[str, Any], batch_bytes: int) -> None:
        from tokenchunk._tables import Totals

        self._config = config
        self._native = config.native()
        self._columns = columns
        self._batch_bytes = batch_bytes
        self._totals = Totals()

    def run(self, jobs: Sequence[Job], progress: bool | ProgressCallback) -> Totals:
        from tokenchunk._rowgroups import ROW_GROUP_BYTES, grouped

        # Every input is looked at before the first output.
        checked = [self._check(job) for job in jobs]
        with reporting(progress, sum(documents for documents, _ in checked)) as report:
            for job, (_, schema) in zip(jobs, checked, strict=True):
                with (
                    whole_file(job.output) as temporary,
                    _writing(temporary, schema, self._config) as writer,
                    closing(self._rows(job.inputs, report)) as rows,
                ):
                    for group in grouped(rows, ROW_GROUP_BYTES):
                        writer.write(group)
        return self._totals

    def _check(self, job: Job) -> tuple[int, pa.Schema]:
        """How many documents go into an output, and its schema."""
        documents, schemas = 0, []
        for path in job.inputs:
            with _opened(path) as file:
                documents += file.metadata.num_rows
                schemas.append(self._chunker(path, file).schema)
            if not schemas[0].equals(schemas[-1]):
                difference = _difference(schemas[0], schemas[-1])
                raise ValueError(f"{path}: its columns differ from those of {job.inputs[0]}: {difference}")
        return documents, schemas[0]

    def _chunker(self, path: Path, file: pq.ParquetFile) -> TableChunker:
        from tokenchunk._tables import TableChunker

        with _naming(path):
            return TableChunker(
                self._native,
                self._config,
                file.schema_arrow,
                **self._columns,
                call_bytes=self._batch_bytes,
                totals=self._totals,
            )

    def _rows(self, inputs: Sequence[Path], report: ProgressCallback) -> Generator[pa.RecordBatch, None, None]:
        """The chunk rows of files, in order."""
        totals = self._totals
        for path in inputs:
            with _opened(path) as file:
                chunker = self._chunker(path, file)
                # Closed before the file is, which the reading thread may be at.
                with closing(_read_ahead(path, file, chunker.input_columns, self._batch_bytes)) as batches:
                    for batch in batches:
                        with _naming(path):
                            yield from chunker.chunk(batch)
                        report(totals.documents, totals.chunks, totals.bytes)


def _read_ahead(
    path: Path, file: pq.ParquetFile, columns: list[str], batch_bytes: int
) -> Generator[pa.RecordBatch, None, None]:
    """Batches of about `batch_bytes`, the next one being read while the caller works."""
    from tokenchunk._rowgroups import read_row_groups

    batches = read_row_groups(file, range(file.num_row_groups), columns, batch_bytes)
    with _readable(path), ThreadPoolExecutor(1) as thread:
        ahead = thread.submit(next, batches, None)
        while (batch := ahead.result()) is not None:
            ahead = thread.submit(next, batches, None)
            yield batch


def _difference(expected: pa.Schema, schema: pa.Schema) -> str:
    fields = [f"{field.name}: {field.type}" for field in schema if field not in list(expected)]
    missing = [f"no {name}" for name in expected.names if name not in schema.names]
    return ", ".join(fields + missing) or "another order"


@contextmanager
def _opened(path: Path) -> Iterator[pq.ParquetFile]:
    import pyarrow.parquet as pq

    with _readable(path):
        # A buffered stream: without it the reader takes each column of a row group into memory as one piece.
        file = pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    with file:
        yield file


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path}: cannot be read as Parquet: {error}") from error


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Say which file has the wrong column or text."""
    try:
        yield
    except TypeError as error:
        raise TypeError(f"{path}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


@contextmanager
def _writing(path: Path, schema: pa.Schema, config: ChunkConfig) -> Iterator[_Writer]:
    from tokenchunk._rowgroups import chunk_writer

    described = schema.with_metadata(_metadata(config))
    with chunk_writer(path, described) as file, ThreadPoolExecutor(1) as thread:
        writer = _Writer(file, thread)
        yield writer
        writer.wait()


class _Writer:
    """Writes row groups in the background."""

    def __init__(self, file: pq.ParquetWriter, thread: ThreadPoolExecutor) -> None:
        self._file = file
        self._thread = thread
        self._writing: Future[None] | None = None
        self._groups = 0

    def write(self, group: list[pa.RecordBatch]) -> None:
        """Begin to write a row group."""
        # One row group in the making and one being written, never more.
        self.wait()
        self._writing = self._thread.submit(self._write, group)

    def wait(self) -> None:
        """See the last row group written."""
        if self._writing is not None:
            self._writing.result()

    def _write(self, group: list[pa.RecordBatch]) -> None:
        import pyarrow as pa

        from tokenchunk._rowgroups import write_row_group

        write_row_group(self._file, group)
        self._groups += 1
        # Memory that one thread frees and another would need stays with Arrow's allocator unless it is asked; to get it
        # from the system anew for each row group costs a tenth of the time.
        if self._groups % _GROUPS_BETWEEN_RELEASES == 0:
            pa.default_memory_pool().release_unused()


def _metadata(config: ChunkConfig) -> dict[str, str]:
    return {
        "tokenchunk.version": _native.__version__,
        "tokenchunk.config": config.to_json(),
        "tokenchunk.fingerprint": config.fingerprint,
    }
