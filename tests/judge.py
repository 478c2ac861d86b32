"""tiktoken without a network, and the package seen as a plain function: what the tests compare."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Literal, NamedTuple

import polars as pl
import tiktoken
from hypothesis import strategies as st

import tokenchunk as tc
from reference import Document, Row

Side = Literal["both", "before"]
PATTERNS = ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")
"""The encodings that differ: three patterns, and the one vocabulary with a gap in its ranks."""


class Limits(NamedTuple):
    """How chunks are configured, but for the encoding."""

    max_tokens: int
    overlap: int = 0
    side: Side = "both"

    @property
    def reserved_after(self) -> int:
        return self.overlap if self.side == "both" else 0


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """tiktoken's own encoding of that name, from the vocabularies inside the package."""
    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        os.environ["TIKTOKEN_CACHE_DIR"] = exported_vocabularies()
    # tiktoken reads gpt2 from two files of another form; their content is that of r50k_base.
    return tiktoken.get_encoding("r50k_base" if name == "gpt2" else name)


@cache
def exported_vocabularies() -> str:
    directory = tempfile.mkdtemp(prefix="tokenchunk-vocabularies-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    tc.export_vocabularies(directory)
    return directory


def sentences(*texts: str) -> list[list[str]]:
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    return frame.select(tc.split_sentences("text")).to_series().to_list()


def document(text: str, name: str | tiktoken.Encoding = "cl100k_base") -> Document:
    """The text as the reference takes it."""
    judge = encoding(name) if isinstance(name, str) else name
    return Document(text, list(accumulate(map(len, sentences(text)[0]))), judge)


@cache
def chunker(limits: Limits, name: str | tiktoken.Encoding = "cl100k_base") -> tc.Chunker:
    max_tokens, overlap, side = limits
    return tc.Chunker(max_tokens=max_tokens, overlap=overlap, overlap_side=side, encoding=name)


def rows(text: str, limits: Limits, name: str | tiktoken.Encoding = "cl100k_base") -> list[Row]:
    """The package's chunks of the text."""
    return [Row(*chunk) for chunk in chunker(limits, name).chunk(text)]


def contents(chunks: Sequence[Row]) -> list[str]:
    return [chunk.content for chunk in chunks]


@st.composite
def small_limits(draw: st.DrawFn) -> Limits:
    """Limits at which every text is cut many times."""
    side: Side = draw(st.sampled_from(["both", "before"]))
    overlap = draw(st.sampled_from([0, 0, 1, 2, 3, 5, 8, 12]))
    budget = draw(st.integers(4, 24))
    return Limits(budget + overlap * (2 if side == "both" else 1), overlap, side)
