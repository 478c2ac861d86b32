"""Row groups, read a piece at a time and written in bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from typing_extensions import Self

# Decoding goes in steps of about so many bytes and at most so many rows: the step is what a run of documents far longer
# than the average multiplies.
_STEP_BYTES = 256 << 10
_STEP_ROWS = 1024
_ROW_GROUP_BYTES = 32 << 20


def read_row_group(file: pq.ParquetFile, group: int, columns: list[str], batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """A row group in batches of about `batch_bytes`; it is never held whole."""
    metadata = file.metadata.row_group(group)
    row_bytes = metadata.total_byte_size // max(metadata.num_rows, 1)
    step_rows = min(max(_STEP_BYTES // max(row_bytes, 1), 1), _STEP_ROWS)
    held: list[pa.RecordBatch] = []
    held_bytes = 0
    for step in file.iter_batches(step_rows, row_groups=[group], columns=columns, use_threads=False):
        held.append(step)
        held_bytes += step.nbytes
        if held_bytes >= batch_bytes:
            yield _joined(held)
            held, held_bytes = [], 0
    if held:
        yield _joined(held)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0] if len(batches) > 1 else batches[0]


class ChunkWriter:
    """Writes chunk rows to a file in row groups of about `_ROW_GROUP_BYTES`.

    Parameters
    ----------
    file : binary file
        Where to write.
    schema : pyarrow.Schema
        The columns, with the file's metadata.
    """

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        # Chunks are all different and long: a dictionary of them, or their least and greatest, is wasted work.
        short = [name for name in schema.names if name not in ("content", "chunk_id")]
        self._file = pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=short, write_statistics=short)
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._file.close()

    def write(self, rows: pa.RecordBatch) -> None:
        """Take rows; they are written when there are enough of them."""
        self._held.append(rows)
        self._held_bytes += rows.nbytes
        if self._held_bytes >= _ROW_GROUP_BYTES:
            self._flush()

    def add_metadata(self, metadata: dict[str, str]) -> None:
        """Add to the file's metadata what is known only at the end."""
        self._file.add_key_value_metadata(metadata)

    def _flush(self) -> None:
        if self._held:
            table = pa.Table.from_batches(self._held)
            self._file.write_table(table, row_group_size=table.num_rows)
            self._held, self._held_bytes = [], 0
