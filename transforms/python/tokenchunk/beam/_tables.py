"""Arrow tables of documents to Arrow tables of chunk rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
from apache_beam.pvalue import TaggedOutput

from tokenchunk import ChunkConfig
from tokenchunk._config import OverlapSide
from tokenchunk._encodings import EncodingLike
from tokenchunk._rowgroups import grouped
from tokenchunk.beam._batches import BatchChunker, Columns
from tokenchunk.beam._errors import ERRORS, DocumentError, check_max_document_bytes
from tokenchunk.beam._metrics import ChunkMetrics
from tokenchunk.beam._shared import shared_chunker
from tokenchunk.beam._with_errors import WithErrors

_TABLE_BYTES = 32 << 20


class ChunkTables(WithErrors):
    """Cuts a PCollection of `pyarrow.Table` with one document per row into one of tables of chunk rows.

    For bulk work: a table costs Beam as much as a row does. Put no shuffle after it, but a sink of tables, such as
    ``WriteToParquetBatched``. Output tables are bounded, some 32 MiB each, whatever the size of the input tables.

    ``chunks, errors = tables | ChunkTables(...).with_exception_handling()`` gives documents that cannot be cut as
    `ChunkError` rows; by default the first one raises. A column that is missing or no text always raises.

    Parameters
    ----------
    text : str
        The column with the documents: string, large_string, string_view, a dictionary of these, or null.
    source : str
        The column with their ids, which the output has as ``source``.
    max_tokens, overlap, overlap_side, encoding, model
        As for `tokenchunk.ChunkConfig`.
    keep : sequence of str, optional
        Other columns to repeat for each chunk; all by default.
    chunk_id : bool
        Whether to add the column ``chunk_id``; the source must then be of integers, text or binary.
    max_document_bytes : int, optional
        Refuse documents with more bytes in UTF-8.

    Raises
    ------
    TypeError, ValueError
        If a parameter is wrong.

    Examples
    --------
    >>> table = pa.table({"source": [7], "text": ["One sentence. Another one."]})
    >>> with beam.Pipeline(runner="FnApiRunner") as pipeline:
    ...     chunks = pipeline | beam.Create([table]) | ChunkTables(max_tokens=4, overlap=0)
    ...     _ = chunks | beam.Map(lambda table: print(table.select(["source", "content"]).to_pylist()))
    [{'source': 7, 'content': 'One sentence.'}, {'source': 7, 'content': 'Another one.'}]
    """

    def __init__(
        self,
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
    ) -> None:
        super().__init__()
        self._config = ChunkConfig(
            max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
        )
        self._columns = check_columns(text, source, keep, chunk_id, max_document_bytes)

    def expand(self, pcoll: beam.PCollection[pa.Table]) -> Any:
        """Apply the DoFn."""
        return self.apply_fn(pcoll, _ChunkTablesFn(self._config, self._columns, tag_errors=self.tag_errors), pa.Table)


def check_columns(
    text: str, source: str, keep: Sequence[str] | None, chunk_id: bool, max_document_bytes: int | None
) -> Columns:
    """The columns as plain data; what depends on the table is checked when one comes."""
    if isinstance(keep, str):
        raise TypeError(f"keep must be a list of column names, not the str {keep!r}")
    kept = None if keep is None else tuple(keep)
    return Columns(text, source, kept, chunk_id, check_max_document_bytes(max_document_bytes))


class _ChunkTablesFn(beam.DoFn):
    def __init__(self, config: ChunkConfig, columns: Columns, *, tag_errors: bool) -> None:
        self._config = config
        self._columns = columns
        self._tag_errors = tag_errors
        self._metrics = ChunkMetrics()

    def setup(self) -> None:
        shared_chunker(self._config)

    # Not `process_batch`: Beam's exception handling does not see what is raised there, and it takes tables apart
    # wherever two steps are not fused.
    def process(self, table: pa.Table) -> Iterator[pa.Table | TaggedOutput]:
        refused = Refused(tag_errors=self._tag_errors)
        chunker = BatchChunker(self._config, self._columns, table.schema, metrics=self._metrics, refuse=refused.refuse)
        rows = (rows for batch in table.to_batches() for rows in chunker.chunk(batch))
        for group in grouped(rows, _TABLE_BYTES):
            yield pa.Table.from_batches(group, chunker.schema)
        yield from refused.outputs()


class Refused:
    """Documents that cannot be cut: raised at once, or kept to be yielded under their tag."""

    def __init__(self, *, tag_errors: bool) -> None:
        self._tag_errors = tag_errors
        self._errors: list[DocumentError] = []

    def refuse(self, error: DocumentError) -> None:
        """Take a bad document."""
        if not self._tag_errors:
            raise error
        self._errors.append(error)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._errors)

    def outputs(self) -> Iterator[TaggedOutput]:
        """The bad documents as rows of the ``errors`` output."""
        for error in self._errors:
            yield TaggedOutput(ERRORS, error.to_row())
