"""Counts are tiktoken's own, for every encoding and every text."""

from __future__ import annotations

import sys
from functools import cache

import polars as pl
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokenchunk as tc
from hard_texts import EXAMPLES, ONE_OFF, WHITE_SPACE, hard_texts
from judge import PATTERNS, Limits, chunker, encoding, rows

SEVEN = ("cl100k_base", "o200k_base", "o200k_harmony", "p50k_base", "p50k_edit", "r50k_base", "gpt2")
HARD: list[str] = [
    "",
    *WHITE_SPACE,
    *(space + "a" for space in WHITE_SPACE),
    *(space * 2 + "\n" + space for space in WHITE_SPACE),
    " \n\xa0\n x",
    "\r\n\r\n \r x",
    "!\n\n  /\r\n/x",
    "!!\u0301\u0301a !\u0301a",
    "ABאCD ABאCDe ǅa aǅ ʰA Aʰ",
    "'ſ x'ſ 'S 'LL 'Re 'tis x's's's's",
    "K \u212a's \u0130'\u017f",
    "12345678901½Ⅷ٣０",
    "\U00010940\U00016ea0\u0378",
    "<|endoftext|><|fim_prefix|><|endofprompt|>",
    "\x00\x00\x01\x7f\x1c\x1d\x1e\x1f",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿👨‍👩‍👧‍👦🇩🇪",
    *(char * length for char in " \n\ta0=-~_.中é" for length in (1, 2, 15, 16, 17, 99, 100, 101, 128, 129, 1000)),
    *ONE_OFF,
]


def tokens(text: str, judge: tiktoken.Encoding) -> int:
    return len(judge.encode_ordinary(text))


def count(text: str, name: str | tiktoken.Encoding) -> int:
    return chunker(Limits(64), name).count(text)


@pytest.mark.parametrize("name", SEVEN)
def test_hard_texts(name: str) -> None:
    counter, judge = chunker(Limits(64), name), encoding(name)
    different = [text for text in HARD if counter.count(text) != tokens(text, judge)]
    assert different == []


@pytest.mark.parametrize("name", SEVEN)
def test_an_expression_counts_the_same(name: str) -> None:
    frame = pl.DataFrame({"text": [None, *HARD]})
    counts = frame.select(tc.count_tokens("text", encoding=name)).to_series().to_list()
    assert counts == [None, *(tokens(text, encoding(name)) for text in HARD)]


@settings(max_examples=EXAMPLES * 8, deadline=None)
@given(text=hard_texts(), name=st.sampled_from(PATTERNS))
@example("x'ſ's", "o200k_base")
def test_any_text(text: str, name: str) -> None:
    assert count(text, name) == tokens(text, encoding(name))


# Classes


def all_characters() -> str:
    return "".join(map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]))


def classified(pattern: str) -> set[str]:
    """The characters of a class as the installed tiktoken has it: what its pattern does not match is dropped."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    dropping = tiktoken.Encoding("dropping", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return set(dropping.decode(dropping.encode_ordinary(all_characters())))


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "r50k_base"])
def test_every_character_beside_every_class(name: str) -> None:
    """A wrong class of one character changes a count beside letters, digits, marks or white space."""
    contexts = ("a{0}b", "A{0}b", "1{0}2", " {0}a", "!{0}\n", "'{0}a", "{0}\u0301a", "aא{0}Ab")
    judge, counter = encoding(name), chunker(Limits(64), name)
    different = [
        text
        for context in contexts
        for text in map(context.format, interesting_characters())
        if counter.count(text) != tokens(text, judge)
    ]
    assert different == []


@cache
def interesting_characters() -> tuple[str, ...]:
    """The first and last characters of every run of one class, and some of its middle."""
    classes = [classified(pattern) for pattern in (r"\p{L}", r"\p{N}", r"\p{M}", r"\s", r"[\p{Lu}\p{Lt}]", r"\p{Ll}")]
    keys = {char: tuple(char in known for known in classes) for char in all_characters()}
    chosen = [
        char
        for previous, char in zip(all_characters(), all_characters()[1:], strict=False)
        if keys[previous] != keys[char]
    ]
    return tuple({*chosen, *(chr(ord(char) - 1) for char in chosen if ord(char) != 0xE000), *all_characters()[::997]})


def test_white_space_is_as_in_tiktoken() -> None:
    assert classified(r"\s") == set(WHITE_SPACE)


# Encodings that are not built in


def own(name: str, pattern: str, *tokens_: bytes, gap: int = 1) -> tiktoken.Encoding:
    """An encoding of single bytes and some tokens more, whose ranks lie `gap` apart."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {token: 256 + gap * number for number, token in enumerate(tokens_)}
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


OWN = [
    own("bytes", r"(?s:.)+"),
    own("merges", r"\w+|\W", b"th", b"the", b"in", b"ing", b" t", b"\xcc\x81", b"aa", b"aaaa"),
    own("sparse", r"\w+|\W", b"th", b"the", b"aa", b"aaaa", gap=1000),
    own("ill-formed", r"\S+|\s+", b"abc", b"xyzzy", b"ab", b"aaa", b"e\xcc\x81"),
    own("looks behind", r"(?<=a)b+|\w|\W", b"bb", b"bbb"),
    own("one digit", r"\p{N}|[^\p{N}]+", b"12", b"an", b"and"),
]
by_name = pytest.mark.parametrize("mine", OWN, ids=lambda mine: mine.name)
texts_for_own = st.one_of(
    hard_texts(),
    st.lists(st.sampled_from(["a", "b", "ab", "abc", "the", "ing", " ", "1", "xyzzy", "e\u0301"])).map("".join),
)


@by_name
@settings(max_examples=EXAMPLES, deadline=None)
@given(text=texts_for_own)
def test_own_encodings_count_as_tiktoken_does(mine: tiktoken.Encoding, text: str) -> None:
    assert count(text, mine) == tokens(text, mine)


@by_name
@settings(max_examples=EXAMPLES, deadline=None)
@given(text=texts_for_own, limits=st.sampled_from([Limits(8), Limits(24, 4), Limits(24, 8, "before")]))
def test_own_encodings_keep_the_limit(mine: tiktoken.Encoding, text: str, limits: Limits) -> None:
    found = rows(text, limits, mine)
    assert [row.token_count for row in found] == [tokens(row.content, mine) for row in found]
    assert all(row.token_count <= limits.max_tokens for row in found)
    assert all(text[row.char_start : row.char_end] == row.content for row in found)
    gaps = zip([0, *(row.char_end for row in found)], [*(row.char_start for row in found), len(text)], strict=True)
    assert all(set(text[end:start]) <= set(WHITE_SPACE) for end, start in gaps if start > end)


def test_own_copy_of_a_built_in_encoding_has_the_same_rows() -> None:
    judge = encoding("r50k_base")
    copy = tiktoken.Encoding("copy", pat_str=judge._pat_str, mergeable_ranks=judge._mergeable_ranks, special_tokens={})
    for text in ONE_OFF:
        assert rows(text, Limits(24, 4), copy) == rows(text, Limits(24, 4), "r50k_base")
