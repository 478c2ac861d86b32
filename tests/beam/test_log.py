"""A long document is named before it is chunked; a short one is not, and no text is."""

from __future__ import annotations

import logging
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pytest

from beam.support import IN_MEMORY
from tokenchunk.beam import ChunkDocuments, ChunkTables
from tokenchunk.beam._log import LONG_BYTES

DOCUMENTS = [{"source": "short", "text": "Sand. Sea."}, {"source": "long", "text": "Sand. " * (LONG_BYTES // 6 + 1)}]


@pytest.mark.parametrize("front", ["documents", "tables"])
def test_a_long_document_is_named(front: str, caplog: pytest.LogCaptureFixture) -> None:
    inputs: dict[str, list[Any]] = {"documents": DOCUMENTS, "tables": [pa.Table.from_pylist(DOCUMENTS)]}
    transforms = {"documents": ChunkDocuments(max_tokens=8191), "tables": ChunkTables(max_tokens=8191)}
    with caplog.at_level(logging.INFO, "tokenchunk.beam"), beam.Pipeline(argv=[IN_MEMORY]) as pipeline:
        _ = pipeline | beam.Create(inputs[front]) | transforms[front]
    lines = [record.getMessage() for record in caplog.records if record.name == "tokenchunk.beam"]
    assert len(lines) == 1
    assert "'long'" in lines[0]
    assert str(len(DOCUMENTS[1]["text"])) in lines[0]
    assert "Sand" not in lines[0]
