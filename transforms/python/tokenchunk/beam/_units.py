"""The units of a Parquet job: one row group of one input file each, and what became of it."""

# No `from __future__ import annotations`: Beam reads the types of a NamedTuple's fields as they stand.

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io.filesystem import CompressionTypes, FileMetadata
from apache_beam.io.filesystems import FileSystems


class Unit(NamedTuple):
    """One row group: the unit of work, of retry and of output."""

    path: str
    """The input file."""
    file_bytes: int
    """Its size."""
    modified_seconds: float
    """When it was last changed, in seconds since 1970; 0 if the file system does not say."""
    row_group: int
    """Which of its row groups."""


class UnitResult(NamedTuple):
    """What became of a unit: a row of the job's output and of its manifest."""

    path: str
    """The input file."""
    row_group: int
    """Which of its row groups."""
    output: str
    """The output file."""
    documents: int
    """Documents read, refused ones included."""
    failed_documents: int
    """Those of them that were refused."""
    chunks: int
    """Chunk rows written."""
    tokens: int
    """Tokens of all chunks."""
    finished_before: bool
    """Whether an earlier run had written it."""


beam.coders.registry.register_coder(Unit, beam.coders.RowCoder)
beam.coders.registry.register_coder(UnitResult, beam.coders.RowCoder)


def output_name(unit: Unit) -> str:
    """The name of a unit's output file: the same whatever runner, worker or attempt writes it.

    A function and no method: from another process comes a class that Beam made of the schema.
    """
    return f"part-{hashlib.sha256(unit.path.encode()).hexdigest()[:12]}-{unit.row_group:05d}.parquet"


class PlanUnits(beam.DoFn):
    """Reads the footer of a file, and nothing else of it."""

    def process(self, same: tuple[str, Iterable[FileMetadata]]) -> Iterator[Unit]:
        """One unit per row group of a file, however many patterns match it."""
        file = next(iter(same[1]))
        with opened_parquet(file.path) as parquet:
            groups = parquet.num_row_groups
        for group in range(groups):
            yield Unit(file.path, file.size_in_bytes, float(file.last_updated_in_seconds), group)


@contextmanager
def opened_parquet(path: str) -> Iterator[pq.ParquetFile]:
    """A Parquet file on any of Beam's file systems; an error of reading it names it."""
    with opened(path) as file:
        try:
            # Through a buffer: else each column of a row group is taken into memory as one piece.
            parquet = pq.ParquetFile(file, pre_buffer=False, buffer_size=1 << 20)
        except pa.ArrowInvalid as error:
            raise ValueError(f"{path}: cannot be read as Parquet: {error}") from error
        with parquet:
            yield parquet


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file as they are, whatever its suffix."""
    with FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED) as file:
        yield file
