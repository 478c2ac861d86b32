"""Metrics say what the rows say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow.parquet as pq
import pytest

from beam.support import IN_MEMORY, Row
from tokenchunk.beam import ChunkDocuments, ChunkParquet, ChunkTables

OPTIONS: dict[str, Any] = {"max_tokens": 64, "overlap": 8, "overlap_side": "before"}
LONG = 20_000


def metrics(build: Any) -> dict[str, Any]:
    pipeline = beam.Pipeline(argv=[IN_MEMORY])
    _ = build(pipeline)
    result = pipeline.run()
    result.wait_until_finish()
    found = result.metrics().query(beam.metrics.MetricsFilter().with_namespace("tokenchunk"))
    return {metric.key.metric.name: metric.committed for kind in found.values() for metric in kind}


@pytest.mark.parametrize("front", ["documents", "tables", "parquet"])
def test_metrics(front: str, documents: list[Row], expected: list[Row], source_file: Path, tmp_path: Path) -> None:
    texts = {row["source"]: row["text"] for row in documents}
    long = {source for source, text in texts.items() if len((text or "").encode()) > LONG}
    options = OPTIONS | {"max_document_bytes": LONG}
    builds = {
        "documents": lambda pipeline: (
            pipeline | beam.Create(documents) | ChunkDocuments(**options).with_exception_handling()
        ),
        "tables": lambda pipeline: (
            pipeline | beam.Create([pq.read_table(source_file)]) | ChunkTables(**options).with_exception_handling()
        ),
        "parquet": lambda pipeline: (
            pipeline | ChunkParquet(str(source_file), str(tmp_path / "out"), **options).with_exception_handling()
        ),
    }
    found = metrics(builds[front])
    rows = [row for row in expected if row["source"] not in long]
    sources = {row["source"] for row in rows}
    tokens = [row["token_count"] for row in rows]
    assert long
    assert found["documents"] == len(texts)
    assert found["failed_documents"] == len(long)
    assert found["empty_documents"] == len(texts) - len(long) - len(sources)
    assert found["chunks"] == found["chunk_tokens"].count == len(rows)
    assert found["tokens"] == found["chunk_tokens"].sum == found["document_tokens"].sum == sum(tokens)
    assert (found["chunk_tokens"].min, found["chunk_tokens"].max) == (min(tokens), max(tokens))
    assert found["document_tokens"].count == len(sources)
    assert found["input_bytes"] == sum(len((text or "").encode()) for s, text in texts.items() if s not in long)
