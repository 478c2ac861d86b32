"""What the tests share: tiktoken without a network, texts, and the rows that every front must give."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tokenchunk as tc

Rows = list[dict[str, Any]]
Script = Callable[..., "subprocess.CompletedProcess[str]"]

_vocabularies = pytest.StashKey["tempfile.TemporaryDirectory[str]"]()


def pytest_configure(config: pytest.Config) -> None:
    """Before any test module is read: tiktoken is the judge, and must not ask for a network."""
    folder = tempfile.TemporaryDirectory(prefix="tokenchunk-vocabularies-")
    tc.export_vocabularies(folder.name)
    os.environ["TIKTOKEN_CACHE_DIR"] = folder.name
    config.stash[_vocabularies] = folder


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[_vocabularies].cleanup()


@pytest.fixture(scope="session")
def chunker() -> tc.Chunker:
    return tc.Chunker(max_tokens=16, overlap=0.2)


@pytest.fixture(scope="session")
def texts() -> list[str | None]:
    """Documents of every kind that a column may hold, short and long."""
    prose = "The pump moved 3.5 litres, then stopped. Nobody knew why! Was it the valve? "
    return [
        prose * 3,
        None,
        "",
        " \n\u3000\t ",
        "short",
        "他说：“我们走吧。”然后就走了。" * 8,
        "e\u0301a\u0308 👩\u200d💻 <|endoftext|> \x00 nul",
        "x" * 400,
        None,
        "".join(f"Line {i}\r\n" for i in range(60)),
        "twelve bytes",
        "thirteen byte",
        prose * 500,
    ]


@pytest.fixture(scope="session")
def documents(texts: list[str | None]) -> Rows:
    return [{"source": f"doc-{i}", "text": text, "year": 2000 + i} for i, text in enumerate(texts)]


@pytest.fixture(scope="session")
def expected(chunker: tc.Chunker, documents: Rows) -> Rows:
    """The chunk rows of `documents`, one document at a time."""
    return [
        row | {"year": document["year"]}
        for document in documents
        for row in chunker.chunk_document(document["text"], document["source"])
    ]


@pytest.fixture
def run_python() -> Script:
    """Run a script in a fresh process, with settings for its environment."""

    def run(script: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **environment},
            check=False,
        )

    return run


@pytest.fixture
def no_leftovers(tmp_path: Path) -> Iterator[Path]:
    """A folder for output in which no temporary file may stay behind."""
    folder = tmp_path / "out"
    folder.mkdir()
    yield folder
    assert [path.name for path in folder.rglob("*.tmp")] == []
