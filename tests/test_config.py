"""The configuration: what is accepted, what is refused and how, and its identity."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tiktoken

import tokenchunk as tc

FRONTS: dict[str, Callable[..., object]] = {
    "ChunkConfig": tc.ChunkConfig,
    "Chunker": tc.Chunker,
    "chunk": lambda **options: tc.chunk("text", **options),
}


def test_defaults() -> None:
    config = tc.ChunkConfig()
    assert (config.max_tokens, config.overlap, config.overlap_side) == (1536, 307, "both")
    assert config.encoding == "cl100k_base"
    assert config.smallest_budget == 1536 - 2 * 307


@pytest.mark.parametrize(
    ("overlap", "max_tokens", "tokens"),
    [(0.29, 100, 29), (0.1, 30, 3), (0.07, 100, 7), (0.0, 8, 0), (0.499, 1000, 499), (0.2, 1536, 307), (5, 100, 5)],
)
def test_a_share_is_rounded_down_as_it_is_written(overlap: float, max_tokens: int, tokens: int) -> None:
    config = tc.ChunkConfig(max_tokens=max_tokens, overlap=overlap, overlap_side="before")
    assert config.overlap == tokens
    assert isinstance(config.overlap, int)


def test_numpy_numbers_are_numbers() -> None:
    numbers: dict[str, Any] = {"max_tokens": np.int64(100), "overlap": np.float64(0.29)}
    config = tc.ChunkConfig(**numbers)
    assert config == tc.ChunkConfig(max_tokens=100, overlap=29)
    assert type(config.max_tokens) is int


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"max_tokens": 3}, ValueError, ["max_tokens", "4", "2147483647", "3"]),
        ({"max_tokens": 0, "overlap": 0}, ValueError, ["max_tokens", "not 0"]),
        ({"max_tokens": -5, "overlap": 0}, ValueError, ["max_tokens", "-5"]),
        ({"max_tokens": 2**31}, ValueError, ["max_tokens", "2147483648"]),
        ({"max_tokens": 10**30}, ValueError, ["max_tokens"]),
        ({"max_tokens": True}, TypeError, ["max_tokens", "bool"]),
        ({"max_tokens": 64.0}, TypeError, ["max_tokens", "float"]),
        ({"max_tokens": "64"}, TypeError, ["max_tokens", "str"]),
        ({"max_tokens": None}, TypeError, ["max_tokens", "NoneType"]),
        ({"max_tokens": 64, "overlap": 64}, ValueError, ["max_tokens=64", "64 tokens", "4"]),
        ({"max_tokens": 64, "overlap": 65, "overlap_side": "before"}, ValueError, ["max_tokens=64", "65"]),
        ({"max_tokens": 64, "overlap": 61, "overlap_side": "before"}, ValueError, ["max_tokens=64", "61"]),
        ({"max_tokens": 64, "overlap": 31}, ValueError, ["max_tokens=64", "31"]),
        ({"max_tokens": 64, "overlap": 10**30}, ValueError, ["max_tokens=64"]),
        ({"max_tokens": 64, "overlap": -1}, ValueError, ["overlap", "-1", "64"]),
        ({"overlap": 0.5}, ValueError, ["overlap", "0.5", "1536"]),
        ({"overlap": -0.1}, ValueError, ["overlap", "-0.1"]),
        ({"overlap": float("nan")}, ValueError, ["overlap", "nan"]),
        ({"overlap": float("inf")}, ValueError, ["overlap", "inf"]),
        ({"overlap": False}, TypeError, ["overlap", "bool"]),
        ({"overlap": "0.2"}, TypeError, ["overlap", "str"]),
        ({"overlap_side": "after"}, ValueError, ["overlap_side", "'both'", "'before'", "'after'"]),
        ({"overlap_side": None}, ValueError, ["overlap_side", "None"]),
        ({"encoding": "cl100k"}, ValueError, ["encoding", "'cl100k'", "cl100k_base"]),
        ({"encoding": b"cl100k_base"}, TypeError, ["encoding", "bytes"]),
        ({"model": "no-such-model"}, ValueError, ["model", "'no-such-model'"]),
        ({"model": 4}, TypeError, ["model", "int"]),
        ({"encoding": "gpt2", "model": "gpt-4o"}, ValueError, ["encoding", "gpt2", "model", "gpt-4o"]),
    ],
)
def test_wrong_options_are_refused_at_construction(
    front: str, options: dict[str, Any], error: type[Exception], parts: list[str]
) -> None:
    with pytest.raises(error) as raised:
        FRONTS[front](**options)
    for part in parts:
        assert part in str(raised.value)


def test_the_smallest_budget_is_allowed() -> None:
    assert tc.ChunkConfig(max_tokens=64, overlap=30).smallest_budget == 4
    assert tc.ChunkConfig(max_tokens=64, overlap=60, overlap_side="before").smallest_budget == 4
    assert tc.ChunkConfig(max_tokens=4, overlap=0).smallest_budget == 4


def test_a_model_is_resolved_by_tiktoken() -> None:
    for model in ("gpt-4", "gpt-4o", "text-embedding-3-small", "davinci"):
        assert tc.ChunkConfig(model=model).encoding == tiktoken.encoding_name_for_model(model)


def test_it_is_frozen_and_compares_by_value() -> None:
    config = tc.ChunkConfig(max_tokens=100, overlap=0.1)
    assert config == tc.ChunkConfig(max_tokens=100, overlap=10)
    assert hash(config) == hash(tc.ChunkConfig(max_tokens=100, overlap=10))
    assert config != tc.ChunkConfig(max_tokens=100, overlap=11)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.max_tokens = 5  # type: ignore[misc]


def test_json_gives_the_configuration_back() -> None:
    config = tc.ChunkConfig(max_tokens=100, overlap=0.1, overlap_side="before", encoding="o200k_base")
    assert tc.ChunkConfig.from_json(config.to_json()) == config
    assert json.loads(config.to_json()) == {
        "max_tokens": 100,
        "overlap": 10,
        "overlap_side": "before",
        "encoding": "o200k_base",
    }


@pytest.mark.parametrize(
    "text", ["", "[]", '{"max_tokens": 3}', '{"size": 5}', '{"encoding": "x", "encoding_sha256": "0"}']
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        tc.ChunkConfig.from_json(text)


def test_the_dictionary_serves_every_front() -> None:
    config = tc.ChunkConfig(max_tokens=100, overlap=0.1)
    assert tc.Chunker(**config.to_dict()).config == config


def test_the_fingerprint_depends_on_what_the_chunks_depend_on() -> None:
    base: dict[str, Any] = {"max_tokens": 100, "overlap": 10}
    others: list[dict[str, Any]] = [
        {"max_tokens": 101},
        {"overlap": 11},
        {"overlap_side": "before"},
        {"encoding": "o200k_base"},
    ]
    prints = {tc.ChunkConfig(**(base | other)).fingerprint for other in [{}, *others]}
    assert len(prints) == len(others) + 1
    assert tc.ChunkConfig(max_tokens=100, overlap=0.1).fingerprint in prints
    assert all(len(one) == 64 and int(one, 16) >= 0 for one in prints)


def test_a_tiktoken_object_of_a_built_in_encoding_is_that_encoding() -> None:
    for name in ("cl100k_base", "o200k_base", "o200k_harmony", "p50k_edit", "r50k_base"):
        assert tc.ChunkConfig(encoding=tiktoken.get_encoding(name)).encoding == name
