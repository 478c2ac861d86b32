"""The core's rows are those of the reference, which is slow and plain."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reference
from hard_texts import EXAMPLES, ONE_OFF, hard_texts
from judge import PATTERNS, Limits, document, rows, small_limits


def expected(text: str, limits: Limits, name: str) -> list[reference.Row]:
    doc = document(text, name)
    return reference.chunk(text, doc.sentence_ends, doc.encoding, *limits)


@settings(max_examples=EXAMPLES * 4, deadline=None)
@given(text=hard_texts(), limits=small_limits(), name=st.sampled_from(PATTERNS))
@example("b.\u205fB", Limits(4), "cl100k_base")
@example("x's's's's's's's's's", Limits(6, 1), "o200k_base")
@example("1234567890123456789012345678901", Limits(5), "cl100k_base")
@example("🇩🇪🇫🇷🇺🇳🇯🇵", Limits(4), "r50k_base")
@example("\U000110bd\U000110bdമ്ខ្មែរ\u0301", Limits(12), "o200k_base")
@example("a" + "\u0301" * 60 + " next", Limits(8, 2), "cl100k_base")
def test_rows_are_those_of_the_reference(text: str, limits: Limits, name: str) -> None:
    assert rows(text, limits, name) == expected(text, limits, name)


@pytest.mark.parametrize("text", ONE_OFF, ids=lambda text: text[:12])
@pytest.mark.parametrize(
    "limits",
    [Limits(4), Limits(16), Limits(64), Limits(20, 8, "both"), Limits(24, 8, "before"), Limits(100, 20, "both")],
    ids=str,
)
def test_one_off_texts(text: str, limits: Limits) -> None:
    assert rows(text, limits) == expected(text, limits, "cl100k_base")
