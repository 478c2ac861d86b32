"""The chunk row as Beam and Arrow know it."""

# No `from __future__ import annotations`: Beam reads the types of a NamedTuple's fields as they stand.

from typing import NamedTuple

import apache_beam as beam
import pyarrow as pa


class ChunkRow(NamedTuple):
    """One chunk of a document whose id is a str; all fields are always present."""

    content: str
    """The text of the chunk, as it stands in the document."""
    source: str
    """The document's id."""
    chunk_index: int
    """Its number in the document, from 0."""
    token_count: int
    """Its exact length in tokens."""
    char_start: int
    """Where it begins, in code points of the document."""
    char_end: int
    """Where it ends, in code points of the document, exclusive."""


beam.coders.registry.register_coder(ChunkRow, beam.coders.RowCoder)

CHUNK_SCHEMA = pa.schema(
    [
        pa.field(name, pa.string() if kind is str else pa.int64(), nullable=False)
        for name, kind in ChunkRow.__annotations__.items()
    ]
)
"""The Arrow schema of `ChunkRow`, as `apache_beam.io.WriteToParquet` wants it for rows as dicts."""
