"""The provider in `MLTransform`, where chunkers of Beam's own fall into three traps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.ml.rag.types import Chunk
from apache_beam.ml.transforms.base import MLTransform

from beam.support import collect
from tokenchunk.beam import TokenChunkingProvider

DOCUMENTS = [
    {"source": "a.txt", "text": "One. Two. Three. Four. Five.", "tags": ["x"]},
    {"source": "b.txt", "text": " ", "tags": ["y"]},
    {"source": "c.txt", "text": "Six.", "tags": []},
]
BAD = {"source": "bad", "text": 7, "tags": []}


def named(chunk: Chunk) -> str:
    return f"{chunk.metadata['source']}#{chunk.index}"


def provider(chunk_id_fn: Any = None) -> TokenChunkingProvider:
    return TokenChunkingProvider(max_tokens=4, overlap=0, keep=["tags"], chunk_id_fn=chunk_id_fn)


def summary(chunks: list[Chunk]) -> list[tuple[str, int, str, int]]:
    return sorted((c.metadata["source"], c.index, c.content.text or "", c.metadata["token_count"]) for c in chunks)


@pytest.fixture
def plain() -> list[Chunk]:
    """The items without `MLTransform`."""
    found: list[Chunk] = collect(
        lambda pipeline: pipeline | beam.Create(DOCUMENTS) | provider().get_splitter_transform()
    )
    return found


@pytest.mark.parametrize(
    "chunk_id_fn",
    [None, named, lambda chunk: f"{chunk.metadata['source']}#{chunk.index}"],
    ids=["hash", "function", "lambda"],
)
def test_written_and_read_artifacts_give_the_same_items(chunk_id_fn: Any, tmp_path: Path, plain: list[Chunk]) -> None:
    location = str(tmp_path / "artifacts")
    written = collect(
        lambda pipeline: (
            pipeline
            | beam.Create(DOCUMENTS)
            | MLTransform(write_artifact_location=location).with_transform(provider(chunk_id_fn))
        )
    )
    read = collect(lambda pipeline: pipeline | beam.Create(DOCUMENTS) | MLTransform(read_artifact_location=location))
    assert summary(written) == summary(read) == summary(plain)
    ids = {chunk.id for chunk in written}
    assert ids == {chunk.id for chunk in read}
    assert ids == {named(chunk) if chunk_id_fn else chunk.id for chunk in plain}


@pytest.mark.parametrize("chunk_id_fn", [None, named], ids=["hash", "function"])
def test_exception_handling_chunks_the_good_and_returns_the_bad(
    chunk_id_fn: Any, tmp_path: Path, plain: list[Chunk]
) -> None:
    def build(pipeline: beam.Pipeline) -> Any:
        transform = MLTransform(write_artifact_location=str(tmp_path / "artifacts")).with_transform(
            provider(chunk_id_fn)
        )
        return pipeline | beam.Create([*DOCUMENTS, BAD]) | transform.with_exception_handling()

    good, bad = collect(build)
    assert summary(good) == summary(plain)
    [row] = bad
    assert row.element == BAD
    assert "text field 'text' is int" in row.msg


def test_items_are_whole_and_share_nothing(plain: list[Chunk]) -> None:
    texts = {document["source"]: document["text"] for document in DOCUMENTS}
    for chunk in plain:
        metadata = chunk.metadata
        assert chunk.content.text
        assert str(texts[metadata["source"]])[metadata["char_start"] : metadata["char_end"]] == chunk.content.text
        assert set(metadata) == {"source", "token_count", "char_start", "char_end", "tags"}
    first, second, *_ = sorted(plain, key=named)
    first.metadata["tags"].append("changed")
    assert second.metadata["tags"] == ["x"]


def test_ids_are_the_chunk_ids_of_every_other_front(plain: list[Chunk]) -> None:
    import tokenchunk as tc

    chunker = tc.Chunker(max_tokens=4, overlap=0)
    wanted = {
        row["chunk_id"]
        for d in DOCUMENTS
        for row in chunker.chunk_document(str(d["text"]), str(d["source"]), chunk_id=True)
    }
    assert {chunk.id for chunk in plain} == wanted
