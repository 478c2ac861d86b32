"""Every transform gives the rows that `tokenchunk.chunk_parquet` gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tokenchunk as tc
from beam.support import IN_MEMORY, Row, collect, parquet_rows, rows_hash
from tokenchunk.beam import ChunkDocuments, ChunkParquet, ChunkTables, TokenChunkingProvider

CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"max_tokens": 512, "overlap": 64, "overlap_side": "before"},
    {"max_tokens": 24, "overlap": 0.25, "encoding": "o200k_base"},
]


@pytest.fixture(params=CONFIGURATIONS, ids=str)
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(request.param)


@pytest.fixture
def wanted(source_file: Path, tmp_path: Path, options: dict[str, Any]) -> str:
    tc.chunk_parquet(source_file, tmp_path / "wanted.parquet", **options)
    return rows_hash(parquet_rows(tmp_path))


def test_documents(documents: list[Row], wanted: str, options: dict[str, Any]) -> None:
    rows = collect(lambda pipeline: pipeline | beam.Create(documents) | ChunkDocuments(**options))
    assert rows_hash(rows) == wanted


def test_tables(source_file: Path, wanted: str, options: dict[str, Any]) -> None:
    whole = pq.read_table(source_file)
    tables = [whole.slice(0, 7), whole.slice(7, 0), whole.slice(7)]
    chunks = collect(lambda pipeline: pipeline | beam.Create(tables) | ChunkTables(**options))
    assert rows_hash([row for table in chunks for row in table.to_pylist()]) == wanted


def test_parquet(source_file: Path, tmp_path: Path, wanted: str, options: dict[str, Any]) -> None:
    with beam.Pipeline(argv=[IN_MEMORY]) as pipeline:
        _ = pipeline | ChunkParquet(str(source_file), str(tmp_path / "out"), **options)
    assert rows_hash(parquet_rows(tmp_path / "out")) == wanted


def test_provider(documents: list[Row], wanted: str, options: dict[str, Any]) -> None:
    provider = TokenChunkingProvider(**options)
    items = collect(lambda pipeline: pipeline | beam.Create(documents) | provider.get_splitter_transform())
    rows = [{"content": item.content.text, "chunk_index": item.index, **item.metadata} for item in items]
    assert rows_hash(rows) == wanted


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), "dictionary"])
def test_every_text_type_of_arrow(kind: Any, source_file: Path, expected: list[Row]) -> None:
    table = pq.read_table(source_file)
    text = table.column("text").cast(pa.string())
    text = text.dictionary_encode() if kind == "dictionary" else text.cast(kind)
    table = table.set_column(1, "text", text)
    chunks = collect(
        lambda pipeline: pipeline | beam.Create([table]) | ChunkTables(max_tokens=64, overlap=8, overlap_side="before")
    )
    assert [row for table in chunks for row in table.to_pylist()] == expected
