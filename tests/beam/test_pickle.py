"""What travels to workers: small, by reference, and the same rows come out of it."""

# ruff: noqa: S301  what is unpickled here was pickled here

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dill
import jsonpickle
import pytest
from apache_beam.internal.cloudpickle import cloudpickle

from tokenchunk.beam import ChunkDocuments, ChunkDoFn, ChunkParquet, ChunkTables, DocumentError, TokenChunkingProvider

DOCUMENT = {"source": "p", "text": " ".join(f"Sentence number {i} is here." for i in range(50))}

COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(small(pickle.dumps(value))),
    "pickle 2": lambda value: pickle.loads(small(pickle.dumps(value, protocol=2))),
    "cloudpickle": lambda value: cloudpickle.loads(small(cloudpickle.dumps(value))),
    "dill": lambda value: dill.loads(small(dill.dumps(value))),
    "deepcopy": copy.deepcopy,
}


def small(payload: bytes) -> bytes:
    assert len(payload) < 10_000
    return payload


def rows(fn: ChunkDoFn) -> list[Any]:
    fn.setup()
    return list(fn.process(DOCUMENT))


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES.keys())
@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
def test_a_dofn_survives(copied: Callable[[Any], Any], used: bool) -> None:
    fn = ChunkDoFn(max_tokens=32, overlap=4)
    if used:
        rows(fn)
    assert rows(copied(fn)) == rows(ChunkDoFn(max_tokens=32, overlap=4))


@pytest.mark.parametrize(
    "transform",
    [
        ChunkDocuments(max_tokens=32),
        ChunkTables(max_tokens=32),
        ChunkParquet("in/*.parquet", "out"),
        TokenChunkingProvider(max_tokens=32).get_splitter_transform(),
    ],
    ids=lambda transform: type(transform).__name__,
)
def test_transforms_survive(transform: Any) -> None:
    for copied in COPIES.values():
        assert type(copied(transform)) is type(transform)


def test_an_error_survives() -> None:
    error = DocumentError("too long", "a.txt", "too_large")
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.to_row()) == (str(error), error.to_row())


def test_an_own_encoding_travels_with_the_dofn(tmp_path: Path) -> None:
    """A fresh process, which has never heard of the encoding, gives the same rows."""
    from tokenchunk import CustomEncoding
    from tokenchunk._encodings import _format_vocabulary

    ranks = {bytes([byte]): byte for byte in range(256)} | {b"the": 256, b" t": 257}
    encoding = CustomEncoding("own", r"\p{L}+|\s+|[^\s\p{L}]+", _format_vocabulary(ranks))
    fn = ChunkDoFn(max_tokens=64, overlap=4, encoding=encoding)
    (tmp_path / "fn").write_bytes(pickle.dumps(fn))
    script = (
        "import json, pickle, sys, pathlib; fn = pickle.loads(pathlib.Path(sys.argv[1]).read_bytes()); fn.setup()\n"
        "print(json.dumps([list(row) for row in fn.process(json.loads(sys.argv[2]))]))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "fn"), json.dumps(DOCUMENT)]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert json.loads(output) == [list(row) for row in rows(fn)]


def test_the_provider_is_plain_json() -> None:
    transform = TokenChunkingProvider(max_tokens=32).get_splitter_transform()
    text = jsonpickle.encode(transform)
    assert len(text) < 10_000
    assert type(jsonpickle.decode(text)) is type(transform)
