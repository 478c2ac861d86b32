"""A whole job: Parquet files of documents to Parquet files of chunk rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.compute as pc
from apache_beam.io import fileio
from apache_beam.io.filesystems import FileSystems
from apache_beam.pvalue import TaggedOutput

from tokenchunk import ChunkConfig
from tokenchunk._config import OverlapSide
from tokenchunk._encodings import EncodingLike
from tokenchunk._rowgroups import ROW_GROUP_BYTES, chunk_writer, grouped, read_row_groups, write_row_group
from tokenchunk.beam._batches import CALL_BYTES, BatchChunker, Columns
from tokenchunk.beam._files import JobIdentity, result_metadata, whole_file, write_manifest
from tokenchunk.beam._metrics import ChunkMetrics
from tokenchunk.beam._shared import shared_chunker
from tokenchunk.beam._tables import Refused, check_columns
from tokenchunk.beam._units import PlanUnits, Unit, UnitResult, opened_parquet, output_name
from tokenchunk.beam._with_errors import CHUNKS, WithErrors


class ChunkParquet(WithErrors):
    """Cuts the documents of Parquet files and writes Parquet files of chunk rows; applied to a pipeline.

    Each row group of an input is a unit: one worker reads it, cuts it and writes one file, whose name depends on the
    input alone. Only the plan is shuffled, no text. A unit that is tried again writes the same bytes under the same
    name. Memory is bounded whatever the size of a row group. Works on any file system that Beam knows.

    Files appear when they are whole. A killed job leaves at most hidden ``.*.tmp`` files, which no reader takes for
    data and which may be deleted when no job is at work. At the end ``_manifest.json`` says what was done.

    The output is a PCollection of `UnitResult`.
    ``results, errors = pipeline | ChunkParquet(...).with_exception_handling()`` gives documents that cannot be cut as
    `ChunkError` rows (a resumed job: those of units that were not finished); by default the first one raises.

    Parameters
    ----------
    input : str or sequence of str
        Files or patterns of files with one document per row.
    output : str
        A folder.
    text, source : str
        The columns with the documents and their ids.
    max_tokens, overlap, overlap_side, encoding, model
        As for `tokenchunk.ChunkConfig`.
    keep : sequence of str, optional
        Other columns to repeat for each chunk; all by default.
    chunk_id : bool
        Whether to add the column ``chunk_id``; the source must then be of integers, text or binary.
    max_document_bytes : int, optional
        Refuse documents with more bytes in UTF-8.
    resume : bool
        Whether to go on with a job that did not finish: units whose file is there are not done again, unless the
        input has changed.

    Raises
    ------
    TypeError, ValueError
        If a parameter is wrong; when it is applied, if the output has files of an earlier job and `resume` is not set,
        or they were written with other parameters.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow.parquet as pq
    >>> table = pa.table({"source": ["a", "b"], "text": ["One sentence. Another one.", None]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(table, f"{folder}/in.parquet")
    ...     with beam.Pipeline(runner="FnApiRunner") as pipeline:
    ...         _ = pipeline | ChunkParquet(f"{folder}/*.parquet", f"{folder}/out", max_tokens=4, overlap=0)
    ...     pq.read_table(f"{folder}/out").column("content").to_pylist()
    ['One sentence.', 'Another one.']
    """

    _yaml_requires_inputs = False  # Beam YAML asks, or it takes what is not named Read... for a step after another

    def __init__(
        self,
        input: str | Sequence[str],
        output: str,
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
        max_document_bytes: int | None = None,
        resume: bool = False,
    ) -> None:
        super().__init__()
        self._patterns = [input] if isinstance(input, str) else list(input)
        self._folder = output
        self._config = ChunkConfig(
            max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
        )
        self._columns = check_columns(text, source, keep, chunk_id, max_document_bytes)
        self._resume = resume

    def expand(self, pbegin: Any) -> Any:
        """Plan > read, cut and write, fused > manifest."""
        self._check_output()
        units = (
            pbegin
            | "Patterns" >> beam.Create(self._patterns)
            | "Match" >> fileio.MatchAll(fileio.EmptyMatchTreatment.DISALLOW)
            # This spreads the files too, since reading footers takes time. No `Reshuffle`: of two in a row, Flink's
            # optimiser takes the second for done, and one worker gets all units.
            | "Name files" >> beam.Map(lambda file: (file.path, file))
            | "Same files" >> beam.GroupByKey()
            | "Plan" >> beam.ParDo(PlanUnits()).with_output_types(Unit)
            | "Spread units" >> beam.Reshuffle()
        )
        fn = _ChunkUnitFn(self._config, self._columns, self._folder, resume=self._resume, tag_errors=self.tag_errors)
        outputs = self.apply_fn(units, fn, UnitResult)
        _ = (
            (outputs[CHUNKS] if self.tag_errors else outputs)
            | "Gather results" >> beam.combiners.ToList()
            | "Write manifest" >> beam.ParDo(_WriteManifestFn(self._folder, self._config))
        )
        return outputs

    def _check_output(self) -> None:
        """Refuse a folder with files of another job before anything is done."""
        found = FileSystems.match([FileSystems.join(self._folder, "part-*.parquet")], limits=[1])[0].metadata_list
        if found and not self._resume:
            raise ValueError(
                f"output {self._folder!r} has files of an earlier job, such as {found[0].path!r}: "
                "finish it with resume=True, or choose another folder"
            )
        for file in found:
            JobIdentity(self._config, self._columns).check(file.path)


class _ChunkUnitFn(beam.DoFn):
    def __init__(self, config: ChunkConfig, columns: Columns, folder: str, *, resume: bool, tag_errors: bool) -> None:
        self._config = config
        self._columns = columns
        self._folder = folder
        self._resume = resume
        self._tag_errors = tag_errors
        self._metrics = ChunkMetrics()

    def setup(self) -> None:
        shared_chunker(self._config)
        self._identity = JobIdentity(self._config, self._columns)

    def process(self, unit: Unit) -> Iterator[UnitResult | TaggedOutput]:
        target = FileSystems.join(self._folder, output_name(unit))
        result = self._identity.finished(target, unit) if self._resume else None
        if result is not None:
            yield result
            return
        refused = Refused(tag_errors=self._tag_errors)
        yield self._chunk(unit, target, refused)
        yield from refused.outputs()

    def _chunk(self, unit: Unit, target: str, refused: Refused) -> UnitResult:
        with opened_parquet(unit.path) as parquet, whole_file(target) as file:
            chunker = self._chunker(unit, parquet.schema_arrow, refused)
            schema = chunker.schema.with_metadata(self._identity.metadata(unit))
            batches = read_row_groups(parquet, [unit.row_group], chunker.input_columns, CALL_BYTES)
            with chunk_writer(file, schema) as writer:
                chunks = tokens = 0
                for group in grouped((rows for batch in batches for rows in chunker.chunk(batch)), ROW_GROUP_BYTES):
                    write_row_group(writer, group)
                    chunks += sum(rows.num_rows for rows in group)
                    tokens += sum(pc.sum(rows.column("token_count"), min_count=0).as_py() for rows in group)
                result = UnitResult(
                    path=unit.path,
                    row_group=unit.row_group,
                    output=target,
                    documents=parquet.metadata.row_group(unit.row_group).num_rows,
                    failed_documents=refused.count,
                    chunks=chunks,
                    tokens=tokens,
                    finished_before=False,
                )
                writer.add_key_value_metadata(result_metadata(result))
        return result

    def _chunker(self, unit: Unit, schema: pa.Schema, refused: Refused) -> BatchChunker:
        try:
            return BatchChunker(self._config, self._columns, schema, metrics=self._metrics, refuse=refused.refuse)
        except ValueError as error:
            raise ValueError(f"{unit.path}: {error}") from error


class _WriteManifestFn(beam.DoFn):
    def __init__(self, folder: str, config: ChunkConfig) -> None:
        self._folder = folder
        self._config = config

    def process(self, results: list[UnitResult]) -> None:
        write_manifest(self._folder, self._config, results)
