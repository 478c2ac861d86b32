"""Row groups of Parquet files: decoded step by step, and how those of chunk rows are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

# Decoding goes in steps of about so many bytes and at most so many rows: the step is what is held beyond a batch, and
# what a run of documents far longer than the average multiplies. Smaller ones cost more than they decode.
_STEP_BYTES = 256 << 10
_STEP_ROWS = 1024


def decode_row_group(file: pq.ParquetFile, group: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Decode a row group step by step; it is never held whole."""
    metadata = file.metadata.row_group(group)
    row_bytes = metadata.total_byte_size // max(metadata.num_rows, 1)
    rows = min(max(_STEP_BYTES // max(row_bytes, 1), 1), _STEP_ROWS)
    yield from file.iter_batches(rows, row_groups=[group], columns=columns, use_threads=False)


def joined(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Record batches as one, or as few as their offsets allow."""
    combined: list[pa.RecordBatch] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return combined


def chunk_writer(where: Path | BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    """A writer of chunk rows."""
    # Chunks are all different and long: a dictionary of them, or their least and greatest, is wasted work.
    short = [name for name in schema.names if name not in ("content", "chunk_id")]
    return pq.ParquetWriter(where, schema, compression="zstd", use_dictionary=short, write_statistics=short)
