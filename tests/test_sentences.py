"""Sentences tile the text."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings

import tokenchunk as tc
from hard_texts import EXAMPLES, WHITE_SPACE, hard_texts
from judge import sentences
from reference import cluster_ends

BLANKS = frozenset(WHITE_SPACE)


@settings(max_examples=EXAMPLES * 4, deadline=None)
@given(hard_texts())
def test_sentences_tile_the_text(text: str) -> None:
    (pieces,) = sentences(text)
    assert "".join(pieces) == text
    assert all(pieces)


@settings(max_examples=EXAMPLES * 4, deadline=None)
@given(hard_texts())
def test_borders_are_at_characters_that_are_seen(text: str) -> None:
    (pieces,) = sentences(text)
    borders = set(cluster_ends(text, 0, len(text)))
    place = 0
    for piece in pieces[:-1]:
        place += len(piece)
        assert place in borders
        assert text[place] not in BLANKS, "a sentence keeps the white space after it"
        assert set(piece) - BLANKS, "no sentence is blank"


@pytest.mark.parametrize("space", WHITE_SPACE, ids=lambda c: f"U+{ord(c):04X}")
def test_every_white_space_may_follow_a_stop(space: str) -> None:
    text = f"b.{space}Here it goes on.{space}{space}a.{space}{space}x"
    assert "".join(sentences(text)[0]) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two was there! Where is three?", ["One is here. ", "Two was there! ", "Where is three?"]),
        ("Dr. Ode paid 3.50 at 5 p.m. today.", ["Dr. Ode paid 3.50 at 5 p.m. today."]),
        ("我们明天就走。大家都同意了！真的吗？", ["我们明天就走。", "大家都同意了！", "真的吗？"]),
        ("यह एक है। यह दो है।", ["यह एक है। ", "यह दो है।"]),
        ("كيف حالك؟ أنا بخير.", ["كيف حالك؟ ", "أنا بخير."]),
        ("A title\r\n\r\nIts text.", ["A title\r\n\r\n", "Its text."]),
        ("No mark at all", ["No mark at all"]),
    ],
)
def test_plain_cases(text: str, expected: list[str]) -> None:
    assert sentences(text) == [expected]


def test_null_stays_null_and_empty_has_none() -> None:
    frame = pl.DataFrame({"text": [None, "", " \n"]})
    assert frame.select(tc.split_sentences("text")).to_series().to_list() == [None, [], [" \n"]]
