"""Row groups of Parquet files: read a piece at a time, written in bounded size; and batches put together by bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP_BYTES = 16 << 20
"""About how many bytes of chunk rows a row group has."""

# Decoding goes in steps of about so many bytes and at most so many rows: the step is what is held beyond a batch, and
# what a run of documents far longer than the average multiplies. Smaller ones cost more than they decode.
_STEP_BYTES = 256 << 10
_STEP_ROWS = 1024


def read_row_groups(
    file: pq.ParquetFile, groups: Iterable[int], columns: list[str], batch_bytes: int
) -> Iterator[pa.RecordBatch]:
    """Row groups in batches of about `batch_bytes`; none is ever held whole."""
    steps = (step for group in groups for step in _decode(file, group, columns))
    for held in grouped(steps, batch_bytes):
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def _decode(file: pq.ParquetFile, group: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    metadata = file.metadata.row_group(group)
    row_bytes = metadata.total_byte_size // max(metadata.num_rows, 1)
    rows = min(max(_STEP_BYTES // max(row_bytes, 1), 1), _STEP_ROWS)
    yield from file.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False)


def grouped(batches: Iterable[pa.RecordBatch], group_bytes: int) -> Iterator[list[pa.RecordBatch]]:
    """Record batches in lists of `group_bytes` or somewhat more; the last may be shorter."""
    held: list[pa.RecordBatch] = []
    held_bytes = 0
    for batch in batches:
        held.append(batch)
        held_bytes += batch.nbytes
        if held_bytes >= group_bytes:
            yield held
            held, held_bytes = [], 0
    if held:
        yield held


def chunk_writer(where: Path | BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of chunk rows."""
    # Chunks are all different and long: a dictionary of them, or their least and greatest, is wasted work.
    short = [name for name in schema.names if name not in ("content", "chunk_id")]
    return pq.ParquetWriter(where, schema, compression="zstd", use_dictionary=short, write_statistics=short)


def write_row_group(writer: pq.ParquetWriter, batches: list[pa.RecordBatch]) -> None:
    """Write batches as one row group."""
    table = pa.Table.from_batches(batches)
    writer.write_table(table, row_group_size=table.num_rows)
