"""Row groups, read a piece at a time and written in bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from typing_extensions import Self

from tokenchunk._rowgroups import chunk_writer, decode_row_group, joined

_ROW_GROUP_BYTES = 32 << 20


def read_row_group(file: pq.ParquetFile, group: int, columns: list[str], batch_bytes: int) -> Iterator[pa.RecordBatch]:
    """A row group in batches of about `batch_bytes`; it is never held whole."""
    held: list[pa.RecordBatch] = []
    held_bytes = 0
    for step in decode_row_group(file, group, columns):
        held.append(step)
        held_bytes += step.nbytes
        if held_bytes >= batch_bytes:
            yield from joined(held)
            held, held_bytes = [], 0
    if held:
        yield from joined(held)


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
        self._file = chunk_writer(file, schema)
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
