"""A corpus on disk, and the rows that `chunk_parquet` makes of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tokenchunk as tc
from beam.support import Row, corpus, parquet_rows, write_corpus

# Worker processes import the steps that tests put beside ours.
os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])


@pytest.fixture(scope="session")
def documents() -> list[Row]:
    return corpus()


@pytest.fixture(scope="session")
def source_file(tmp_path_factory: pytest.TempPathFactory, documents: list[Row]) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "docs.parquet", documents)


@pytest.fixture(scope="session")
def expected(source_file: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """What `chunk_parquet` makes of the corpus at 64 tokens, overlap 8 before."""
    target = tmp_path_factory.mktemp("expected")
    tc.chunk_parquet(source_file, target / "chunks.parquet", max_tokens=64, overlap=8, overlap_side="before")
    return parquet_rows(target)
