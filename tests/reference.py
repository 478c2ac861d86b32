"""The chunker once more, in plain Python: slow, meant to be read, and the judge of the core.

It follows DESIGN.md line by line and shares nothing with the core but the sentence ends, which it is given. Every
count is tiktoken's, of the very text that is emitted; graphemes are those of `regex`. Positions are code points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import regex
import tiktoken

# Unicode's White_Space. `str.isspace` and `str.strip` would take U+001C to U+001F as well.
WHITE_SPACE = frozenset(
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
LINE_ENDS = frozenset("\n\r\x0b\x0c\x85\u2028\u2029")
NO_BREAK_SPACES = frozenset("\xa0\u2007\u202f")
WORD_ENDS = (WHITE_SPACE - NO_BREAK_SPACES) | {"\u200b"}
# Commas, semicolons and colons that are such wherever they stand.
CLAUSE_MARKS = frozenset("、，；：﹐﹑﹔﹕､،؛՝·፣፤፥፦၊᠂᠈꓾꘍")
CLOSERS = frozenset("\"'”’»“)]}`")
DIGITS = frozenset("0123456789")


class Row(NamedTuple):
    """A chunk row, without the document's own columns."""

    content: str
    chunk_index: int
    token_count: int
    char_start: int
    char_end: int


class Span(NamedTuple):
    """A slice of the document, without white space at its ends."""

    start: int
    end: int


Fits = Callable[[int], bool]


def chunk(
    text: str,
    sentence_ends: Sequence[int],
    encoding: tiktoken.Encoding,
    max_tokens: int,
    overlap_tokens: int = 0,
    overlap_side: str = "both",
) -> list[Row]:
    """The chunk rows of `text`, whose sentences end at `sentence_ends`."""
    reserved_after = overlap_tokens if overlap_side == "both" else 0
    document = Document(text, sentence_ends, encoding)
    cores = pack(document, max_tokens, overlap_tokens, reserved_after)
    rows = []
    for index, core in enumerate(cores):
        start, end = core
        if index > 0 and overlap_tokens > 0:
            most = max_tokens - (reserved_after if index + 1 < len(cores) else 0)
            start = start_of_chunk(document, cores[index - 1], core, overlap_tokens, most)
        if index + 1 < len(cores) and reserved_after > 0:
            end = end_of_chunk(document, start, core, cores[index + 1], overlap_tokens, max_tokens)
        rows.append(Row(text[start:end], index, document.count(start, end), start, end))
    return rows


@dataclass(frozen=True)
class Document:
    """A text with its sentences, and the questions that packing asks of it."""

    text: str
    sentence_ends: Sequence[int]
    encoding: tiktoken.Encoding

    def trim_end(self, start: int, end: int) -> int:
        """The end of `[start, end)` without white space there."""
        while end > start and self.text[end - 1] in WHITE_SPACE:
            end -= 1
        return end

    def skip_white_space(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in WHITE_SPACE:
            at += 1
        return at

    def count(self, start: int, end: int) -> int:
        """Tokens of the content of `[start, end)` as a text of its own."""
        return count_tokens(self.text[start : self.trim_end(start, end)], self.encoding)

    def fits(self, start: int, end: int, tokens: int) -> bool:
        return self.count(start, end) <= tokens

    @cached_property
    def grapheme_borders(self) -> frozenset[int]:
        return frozenset(cluster_ends(self.text, 0, len(self.text)))

    @cached_property
    def longest_token(self) -> int:
        """Bytes of the longest token."""
        return max(map(len, self.encoding.token_byte_values()))

    def reach(self, start: int, end: int, tokens: int) -> int:
        """The end of the token number `tokens` from `start` on, past white space; `end` if there are no more."""
        whole = self.text[start:end].encode()
        size = 8 * tokens
        while True:
            window = text_of(whole[:size])
            content = window[: len(window) - trailing_white_space(window)]
            pieces = self.token_bytes(content)
            if len(pieces) > tokens:
                return self.skip_white_space(start + len(text_of(b"".join(pieces[:tokens]))))
            if size >= len(whole):
                return end
            size *= 2

    def reach_back(self, start: int, end: int, tokens: int) -> int:
        """The start of the last `tokens` tokens before `end`; `start` if there are no more."""
        whole = self.text[start:end].encode()
        size = 8 * tokens
        while True:
            pieces = self.token_bytes(text_of(whole[-size:]))
            if len(pieces) > tokens:
                return end - len(text_of(b"".join(pieces[-tokens:])))
            if size >= len(whole):
                return start
            size *= 2

    def token_bytes(self, text: str) -> list[bytes]:
        return self.encoding.decode_tokens_bytes(self.encoding.encode_ordinary(text))


@lru_cache(maxsize=1 << 15)
def count_tokens(text: str, encoding: tiktoken.Encoding) -> int:
    return len(encoding.encode_ordinary(text))


def text_of(utf8: bytes) -> str:
    """The whole characters in a slice of UTF-8: an end that begins or ends inside a character is rounded inwards."""
    return utf8.decode(errors="ignore")


def trailing_white_space(text: str) -> int:
    count = 0
    while count < len(text) and text[-1 - count] in WHITE_SPACE:
        count += 1
    return count


def cluster_ends(text: str, start: int, end: int) -> list[int]:
    """Ends of the grapheme clusters of `[start, end)` as a text of its own."""
    ends: list[int] = [start + cluster.end() for cluster in regex.finditer(r"\X", text[start:end])]
    return ends


# Packing


def pack(document: Document, max_tokens: int, reserved_before: int, reserved_after: int) -> list[Span]:
    """The cores of a document."""
    cores: list[Span] = []
    end_of_text = document.trim_end(0, len(document.text))
    at = document.skip_white_space(0)
    while at < end_of_text:
        most = max_tokens - (reserved_before if cores else 0)
        if document.fits(at, end_of_text, most):
            end = end_of_text
        else:
            end = document.trim_end(at, end_of_core(document, at, most - reserved_after))
        cores.append(Span(at, end))
        at = document.skip_white_space(end)
    return cores


def end_of_core(document: Document, start: int, budget: int) -> int:
    """The furthest sentence end that fits; if none does, a place inside the sentence."""
    for end in reversed(document.sentence_ends):
        if end > start and document.fits(start, end, budget):
            return end
    sentence_end = next(end for end in document.sentence_ends if end > start)
    return cut(document, start, document.trim_end(start, sentence_end), budget)


def cut(document: Document, start: int, end: int, budget: int) -> int:
    """The best border inside the sentence `[start, end)`, which does not fit."""
    reach = document.reach(start, end, budget)
    for is_border in (is_line_border, is_clause_border, is_word_border):
        borders = (at for at in range(reach, start, -1) if is_border(document, at))
        furthest = next((at for at in borders if document.fits(start, at, budget)), None)
        if furthest is not None and document.count(start, furthest) * 2 >= budget:
            return furthest
    clusters = cluster_ends(document.text, start, end)
    within = [at for at in clusters if at <= reach] or first_cluster(document, reach, clusters)
    # Only the first cluster may be cut: one after it might fit by itself.
    places: list[int] = [*reversed(within), *range(min(reach, clusters[0]), start, -1)]
    for at in places:
        if document.fits(start, at, budget):
            return at
    raise ValueError("the encoding needs more than 4 tokens for one character")


def first_cluster(document: Document, reach: int, clusters: list[int]) -> list[int]:
    """The end of the first cluster, which is past the reach, if it may fit at all."""
    beyond = len(document.text[reach : clusters[0]].encode())
    return clusters[:1] if beyond <= document.longest_token else []


def is_line_border(document: Document, at: int) -> bool:
    text = document.text
    return text[at - 1] in LINE_ENDS and text[at - 1 : at + 1] != "\r\n" and at in document.grapheme_borders


def is_clause_border(document: Document, at: int) -> bool:
    text = document.text
    if is_white_or_end(text, at) and text[at - 1] in CLOSERS:
        is_border = at > 1 and text[at - 2] in CLAUSE_MARKS | set(",;:")
    elif at < len(text) and text[at] in CLOSERS and is_white_or_end(text, at + 1):
        is_border = False
    elif text[at - 1] in ",;":
        is_border = not (at > 1 and text[at - 2] in DIGITS and at < len(text) and text[at] in DIGITS)
    elif text[at - 1] == ":":
        is_border = is_white_or_end(text, at)
    else:
        is_border = text[at - 1] in CLAUSE_MARKS
    return is_border and at in document.grapheme_borders


def is_white_or_end(text: str, at: int) -> bool:
    return at >= len(text) or text[at] in WHITE_SPACE


def is_word_border(document: Document, at: int) -> bool:
    text = document.text
    is_border = at < len(text) and text[at - 1] in WORD_ENDS and text[at] not in WHITE_SPACE
    return is_border and at in document.grapheme_borders


# Overlap


def start_of_chunk(document: Document, previous: Span, core: Span, overlap: int, most: int) -> int:
    """Where the chunk with this core begins, inside the previous core if anything there fits."""

    def fits(start: int) -> bool:
        return document.fits(start, previous.end, overlap) and document.fits(start, core.end, most)

    reach = document.reach_back(*previous, overlap)
    inside = range(previous.start + 1, previous.end)
    sentences = [at for at in map(document.skip_white_space, document.sentence_ends) if at in inside]
    words = [at for at in inside if at >= reach and is_word_border(document, at)]
    clusters = cluster_ends(document.text, *previous)
    graphemes = [at for at in clusters if at in inside and at >= reach and document.text[at] not in WHITE_SPACE]
    beyond = [at for at in reversed(sentences) if at < reach]
    within = [at for at in sentences if at >= reach]
    found = furthest(beyond, fits) or first([*within, *words, *graphemes], fits)
    return core.start if found is None else found


def end_of_chunk(document: Document, start: int, core: Span, following: Span, overlap: int, most: int) -> int:
    """Where the chunk with this core ends, inside the following core if anything there fits."""

    def fits(end: int) -> bool:
        return document.fits(following.start, end, overlap) and document.fits(start, end, most)

    reach = document.reach(*following, overlap)
    inside = range(following.start + 1, following.end)
    sentences = [at for at in document.sentence_ends if at in inside]
    words = [at for at in inside if at <= reach and is_word_border(document, at)]
    clusters = cluster_ends(document.text, *following)
    graphemes = [at for at in clusters if at in inside and at <= reach and document.text[at - 1] not in WHITE_SPACE]
    beyond = [at for at in sentences if at > reach]
    within = [at for at in sentences if at <= reach]
    descending = [*reversed(within), *reversed(words), *reversed(graphemes)]
    found = furthest(beyond, fits) or first(descending, fits)
    return core.end if found is None else document.trim_end(following.start, found)


def furthest(places: Iterable[int], fits: Fits) -> int | None:
    """The last of the places from the nearest outwards, as long as they fit."""
    found = None
    for at in places:
        if not fits(at):
            break
        found = at
    return found


def first(places: Iterable[int], fits: Fits) -> int | None:
    return next(filter(fits, places), None)
