"""Every promise of the README, as a property of the rows of hard texts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import guarantees
import reference
import tokenchunk as tc
from hard_texts import EXAMPLES, WHITE_SPACE, hard_texts
from judge import PATTERNS, Limits, chunker, document, rows, small_limits
from reference import Row, Span

names = st.sampled_from(PATTERNS)


@settings(max_examples=EXAMPLES * 3, deadline=None)
@given(text=hard_texts(), budget=st.integers(4, 40), name=names)
def test_without_overlap(text: str, budget: int, name: str) -> None:
    found, limits = rows(text, Limits(budget), name), Limits(budget)
    cores = [Span(row.char_start, row.char_end) for row in found]
    assert guarantees.violations(document(text, name), found, cores, *limits) == []


@settings(max_examples=EXAMPLES * 3, deadline=None)
@given(text=hard_texts(), limits=small_limits(), name=names)
def test_with_overlap(text: str, limits: Limits, name: str) -> None:
    doc = document(text, name)
    cores = reference.pack(doc, limits.max_tokens, limits.overlap, limits.reserved_after)
    assert guarantees.violations(doc, rows(text, limits, name), cores, *limits) == []


@settings(max_examples=EXAMPLES, deadline=None)
@given(text=hard_texts(), name=names)
def test_what_fits_is_one_chunk(text: str, name: str) -> None:
    doc = document(text, name)
    start, end = doc.skip_white_space(0), doc.trim_end(0, len(text))
    limit = max(4, doc.count(start, end))
    expected = [(text[start:end], 0, doc.count(start, end), start, end)] if start < end else []
    assert rows(text, Limits(limit), name) == expected


@given(st.text(alphabet=WHITE_SPACE))
def test_white_space_has_no_chunks(text: str) -> None:
    assert rows(text, Limits(4)) == []


def test_python_strips_more_than_unicode_has() -> None:
    assert [row.content for row in rows("\x1c a \x1f", Limits(16))] == ["\x1c a \x1f"]


@settings(max_examples=EXAMPLES, deadline=None)
@given(texts=st.lists(hard_texts(), max_size=6), limits=small_limits(), name=names)
def test_rows_depend_on_the_document_alone(texts: list[str], limits: Limits, name: str) -> None:
    shared = chunker(limits, name)
    together = shared.chunk_many(texts)
    assert together == [shared.chunk(text) for text in texts]
    fresh = [tc.Chunker.from_config(shared.config) for _ in texts]
    assert together == [own.chunk(text) for own, text in zip(fresh, texts, strict=True)]


@settings(max_examples=EXAMPLES, deadline=None)
@given(text=hard_texts(), share=st.floats(0, 0.5, exclude_max=True), max_tokens=st.integers(64, 200))
def test_a_share_is_rounded_down(text: str, share: float, max_tokens: int) -> None:
    overlap = int(max_tokens * share)
    if max_tokens - 2 * overlap >= 4:
        as_share = [Row(*chunk) for chunk in tc.Chunker(max_tokens=max_tokens, overlap=share).chunk(text)]
        assert as_share == rows(text, Limits(max_tokens, overlap))
