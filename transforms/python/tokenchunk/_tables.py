"""Arrow tables of documents to tables of chunk rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from tokenchunk import _native
from tokenchunk._columns import CHUNK_COLUMNS, kept_columns
from tokenchunk._config import ChunkConfig

# Content that comes from Rust in one call, and rows that leave in one batch: bounds memory, and keeps columns with
# 32-bit offsets, which the kept ones may be, below 2 GiB.
_CALL_BYTES = 64 << 20
_BATCH_ROWS = 1 << 16


@dataclass
class Totals:
    """What has been chunked so far."""

    documents: int = 0
    empty: int = 0
    chunks: int = 0
    tokens: int = 0
    bytes: int = 0


class TableChunker:
    """Cuts record batches of one schema, and knows the schema of what comes out.

    Parameters
    ----------
    native : _native.Chunker
        The chunker.
    config : ChunkConfig
        Its configuration.
    schema : pyarrow.Schema
        The schema of the documents.
    text, source, keep, chunk_id
        As for `Chunker.chunk_table`.
    call_bytes : int
        About how much content comes back from Rust at a time.
    totals : Totals, optional
        Where to count what has been done.
    """

    def __init__(
        self,
        native: _native.Chunker,
        config: ChunkConfig,
        schema: pa.Schema,
        *,
        text: str,
        source: str,
        keep: Sequence[str] | None,
        chunk_id: bool,
        call_bytes: int = _CALL_BYTES,
        totals: Totals | None = None,
    ) -> None:
        self._native = native
        self._text, self._source, self._chunk_id = text, source, chunk_id
        self._kept = kept_columns(schema.names, text=text, source=source, keep=keep, chunk_id=chunk_id)
        check_text(text, schema.field(text).type)
        if chunk_id:
            check_id_source(source, schema.field(source).type)
        self.schema = self._output_schema(schema)
        self.totals = Totals() if totals is None else totals
        self._rows = 0
        self._call_bytes = call_bytes
        # An overlap is shorter than the neighbour that it is taken from, so the chunks' content is at most so many
        # times the text.
        self._run_bytes = max(call_bytes // (1 + config.overlapped_sides), 1)

    @property
    def input_columns(self) -> list[str]:
        """The columns of the documents that are needed."""
        return list(dict.fromkeys([self._text, self._source, *self._kept]))

    def _output_schema(self, schema: pa.Schema) -> pa.Schema:
        def copied(column: str, name: str) -> pa.Field:
            field = schema.field(column)
            return field.with_name(name).with_type(without_views(column, field.type))

        fields = [
            pa.field("content", pa.large_string()),
            copied(self._source, "source"),
            *(pa.field(name, pa.int64()) for name in CHUNK_COLUMNS[2:]),
            *([pa.field("chunk_id", pa.large_string())] if self._chunk_id else []),
            *(copied(name, name) for name in self._kept),
        ]
        return pa.schema(fields)

    def chunk(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Cut one batch; rows come in order, in batches of bounded size."""
        text = batch.column(self._text)
        start = 0
        for end in _native.byte_runs(text, self._text, self._run_bytes):
            yield from self._chunk_run(batch.slice(start, end - start))
            start = end

    def _chunk_run(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        native = self._native.chunk_array(
            batch.column(self._text),
            column=self._text,
            first_row=self._rows,
            sources=batch.column(self._source) if self._chunk_id else None,
            source_column=self._source,
        )
        rows = pa.record_batch(native)
        self._add(batch.num_rows, rows.num_rows, native)
        copied = self._copied(batch)
        step = self._rows_at_once(copied)
        for start in range(0, rows.num_rows, step):
            yield self._join(copied, rows.slice(start, step))

    def _copied(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The columns that are repeated beside the chunks, under their names in the output."""
        columns = {"source": self._source} | {name: name for name in self._kept}
        arrays = [cast_views(batch.column(own), self.schema.field(name).type) for name, own in columns.items()]
        return pa.record_batch(arrays, names=list(columns))

    def _rows_at_once(self, copied: pa.RecordBatch) -> int:
        rows: int = self._call_bytes * copied.num_rows // max(copied.nbytes, 1)
        return min(max(rows, 1), _BATCH_ROWS)

    def _add(self, documents: int, chunks: int, native: _native.ArrowBatch) -> None:
        self._rows += documents
        totals = self.totals
        totals.documents += documents
        totals.empty += native.empty
        totals.chunks += chunks
        totals.tokens += native.tokens
        totals.bytes += native.text_bytes

    def _join(self, copied: pa.RecordBatch, rows: pa.RecordBatch) -> pa.RecordBatch:
        """The chunk rows beside the columns of the documents that they came from."""
        origin = rows.column("row")
        columns = {name: rows.column(name) for name in rows.schema.names}
        columns |= {name: copied.column(name).take(origin) for name in copied.schema.names}
        return pa.record_batch([columns[name] for name in self.schema.names], schema=self.schema)


def chunk_table(
    native: _native.Chunker,
    config: ChunkConfig,
    table: Any,
    *,
    text: str,
    source: str,
    keep: Sequence[str] | None,
    chunk_id: bool,
) -> pa.Table:
    """Cut all documents of a table: `Chunker.chunk_table`."""
    table = as_table(table)
    chunker = TableChunker(native, config, table.schema, text=text, source=source, keep=keep, chunk_id=chunk_id)
    batches = [out for batch in table.to_batches() for out in chunker.chunk(batch)]
    return pa.Table.from_batches(batches, schema=chunker.schema)


def as_table(table: Any) -> pa.Table:
    """Any Arrow table as pyarrow's."""
    if isinstance(table, pa.Table):
        return table
    if isinstance(table, pa.RecordBatch):
        return pa.Table.from_batches([table])
    if isinstance(table, pa.RecordBatchReader):
        return table.read_all()
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        return pa.table(table)
    kind = type(table).__name__
    raise TypeError(f"table must be a pyarrow Table or an object with __arrow_c_stream__, not {kind}")


def check_text(column: str, dtype: pa.DataType) -> None:
    """Refuse a column that is not text, by name."""
    values = dtype.value_type if pt.is_dictionary(dtype) else _storage(dtype)
    if not (pt.is_null(values) or _is_string(values)):
        raise ValueError(
            f"text column {column!r} is {dtype}; expected text: "
            "string, large_string, string_view, a dictionary of these, or null"
        )


def check_id_source(column: str, dtype: pa.DataType) -> None:
    """Refuse a source column that has no ids, by name."""
    values = dtype.value_type if pt.is_dictionary(dtype) else _storage(dtype)
    is_binary = pt.is_binary(values) or pt.is_large_binary(values) or pt.is_binary_view(values)
    if not (pt.is_null(values) or pt.is_integer(values) or is_binary or _is_string(values)):
        raise ValueError(
            f"source column {column!r} is {dtype}; chunk_id needs a source of integers, text or binary: cast it"
        )


def _is_string(dtype: pa.DataType) -> bool:
    return bool(pt.is_string(dtype) or pt.is_large_string(dtype) or pt.is_string_view(dtype))


def _storage(dtype: pa.DataType) -> pa.DataType:
    return dtype.storage_type if isinstance(dtype, pa.BaseExtensionType) else dtype


def without_views(column: str, dtype: pa.DataType) -> pa.DataType:
    """The type with large strings for string views, which pyarrow can neither take rows of nor write to Parquet."""
    if pt.is_string_view(dtype):
        return pa.large_string()
    if pt.is_binary_view(dtype):
        return pa.large_binary()
    if pt.is_dictionary(dtype):
        return pa.dictionary(dtype.index_type, without_views(column, dtype.value_type), dtype.ordered)
    if pt.is_large_list(dtype):
        return pa.large_list(dtype.value_field.with_type(without_views(column, dtype.value_type)))
    if pt.is_list(dtype):
        return pa.list_(dtype.value_field.with_type(without_views(column, dtype.value_type)))
    if pt.is_fixed_size_list(dtype):
        return pa.list_(dtype.value_field.with_type(without_views(column, dtype.value_type)), dtype.list_size)
    if pt.is_struct(dtype):
        return pa.struct([field.with_type(without_views(column, field.type)) for field in dtype])
    return dtype


def cast_views(array: pa.Array, dtype: pa.DataType) -> pa.Array:
    """The array as the type that `without_views` gave."""
    if array.type == dtype:
        return array
    if pt.is_dictionary(dtype):
        values = cast_views(array.dictionary, dtype.value_type)
        return pa.DictionaryArray.from_arrays(array.indices, values, ordered=dtype.ordered)
    return array.cast(dtype)
