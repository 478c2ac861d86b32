"""The guarantees of the README as checks of a document's rows, whoever made them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from reference import (
    Document,
    Row,
    Span,
    cluster_ends,
    is_clause_border,
    is_line_border,
    is_word_border,
)

Violations = Iterator[str]


def violations(
    document: Document, rows: Sequence[Row], cores: Sequence[Span], max_tokens: int, overlap: int, side: str
) -> list[str]:
    """What the rows of a document violate, in words; `cores` are its rows without the overlap."""
    checks = [
        rows_alone(document, rows, max_tokens),
        rising(rows),
        complete(document, cores),
        whole_sentences(document, cores, max_tokens, overlap, side),
        cuts(document, cores, max_tokens, overlap, side),
        whole_graphemes(document, rows, smallest_budget(max_tokens, overlap, side)),
        overlaps(document, rows, cores, overlap, side),
    ]
    return [violation for check in checks for violation in check]


def smallest_budget(max_tokens: int, overlap: int, side: str) -> int:
    return max_tokens - overlap * (2 if side == "both" else 1)


def budget_of(number: int, max_tokens: int, overlap: int, side: str) -> int:
    """The budget of a core that is not the last."""
    before = overlap if number > 0 else 0
    return max_tokens - before - (overlap if side == "both" else 0)


def is_blank(document: Document, start: int, end: int) -> bool:
    return document.trim_end(start, end) == start


def rows_alone(document: Document, rows: Sequence[Row], max_tokens: int) -> Violations:
    """Hard limit, exact counts, verbatim, trimmed, numbered."""
    for number, row in enumerate(rows):
        count = len(document.encoding.encode_ordinary(row.content))
        if count > max_tokens:
            yield f"row {number} has {count} tokens"
        if row.token_count != count:
            yield f"row {number} says {row.token_count} tokens and has {count}"
        if document.text[row.char_start : row.char_end] != row.content:
            yield f"row {number} is not verbatim"
        if is_blank(document, row.char_start, row.char_start + 1) or is_blank(document, row.char_end - 1, row.char_end):
            yield f"row {number} is not trimmed"
        if row.chunk_index != number:
            yield f"row {number} is numbered {row.chunk_index}"


def rising(rows: Sequence[Row]) -> Violations:
    for before, after in itertools.pairwise(rows):
        if before.char_start >= after.char_start or before.char_end >= after.char_end:
            yield f"no progress at row {after.chunk_index}"


def complete(document: Document, cores: Sequence[Span]) -> Violations:
    """Cores are disjoint and in order, and only white space lies between them."""
    at = 0
    for core in [*cores, Span(len(document.text), len(document.text))]:
        if core.start < at:
            yield f"core {core} begins before {at}"
        if not is_blank(document, at, core.start):
            yield f"lost before core {core}"
        at = core.end


def whole_sentences(document: Document, cores: Sequence[Span], max_tokens: int, overlap: int, side: str) -> Violations:
    """No border inside a sentence that fits, and no core that could have taken one sentence more."""
    smallest = smallest_budget(max_tokens, overlap, side)
    starts = [0, *document.sentence_ends]
    for start, end in zip(map(document.skip_white_space, starts), document.sentence_ends, strict=False):
        is_cut = any(start < core.end < document.trim_end(start, end) for core in cores)
        if is_cut and document.fits(start, end, smallest):
            yield f"sentence {start, end} is cut and fits"
    for number, core in enumerate(cores[:-1]):
        budget = budget_of(number, max_tokens, overlap, side)
        for end in document.sentence_ends:
            if document.trim_end(core.start, end) > core.end and document.fits(core.start, end, budget):
                yield f"core {core} could have gone on to {end}"


def cuts(document: Document, cores: Sequence[Span], max_tokens: int, overlap: int, side: str) -> Violations:
    """A sentence is cut at the best kind of border that keeps the piece at least half full."""
    sentence_ends = {document.trim_end(0, end) for end in document.sentence_ends}
    for number, core in enumerate(cores[:-1]):
        if core.end in sentence_ends:
            continue
        budget = budget_of(number, max_tokens, overlap, side)
        if document.count(*core) > budget:
            yield f"core {core} is over its budget"
        for is_border in (is_line_border, is_clause_border, is_word_border):
            if any(is_border(document, at) for at in range(core.end, document.skip_white_space(core.end) + 1)):
                break
            borders = (at for at in range(core.end, core.start, -1) if is_border(document, at))
            fitting = (at for at in borders if document.fits(core.start, at, budget))
            # The furthest alone: an earlier one may cost more tokens, but holds less text.
            for at in itertools.islice(fitting, 1):
                if document.count(core.start, at) * 2 >= budget:
                    yield f"core {core} has the better border {at} ({is_border.__name__})"


def whole_graphemes(document: Document, rows: Sequence[Row], budget: int) -> Violations:
    """No border inside a grapheme cluster that fits, but for the white space that is taken off."""
    places = {row.char_start for row in rows} | {row.char_end for row in rows}
    start = 0
    for end in cluster_ends(document.text, 0, len(document.text)):
        for place in places & set(range(start + 1, end)):
            is_trimming = is_blank(document, start, place) or is_blank(document, place, end)
            if not is_trimming and document.fits(start, end, budget):
                yield f"border {place} is inside the cluster {start, end}"
        start = end


def overlaps(document: Document, rows: Sequence[Row], cores: Sequence[Span], overlap: int, side: str) -> Violations:
    """Each chunk holds its core, and of each neighbour at most so many tokens and never the whole."""
    if len(rows) != len(cores):
        yield f"{len(rows)} rows and {len(cores)} cores"
    for number, (row, core) in enumerate(zip(rows, cores, strict=False)):
        if row.char_start > core.start or row.char_end < core.end:
            yield f"row {number} does not hold its core"
        if row.char_start < core.start:
            yield from inside(document, cores, number - 1, Span(row.char_start, cores[number - 1].end), overlap)
        if row.char_end > core.end:
            if side == "before":
                yield f"row {number} overlaps after its core"
            yield from inside(document, cores, number + 1, Span(cores[number + 1].start, row.char_end), overlap)


def inside(document: Document, cores: Sequence[Span], number: int, region: Span, overlap: int) -> Violations:
    neighbour = cores[number] if number >= 0 else Span(0, 0)
    if not neighbour.start <= region.start < region.end <= neighbour.end or region == neighbour:
        yield f"overlap {region} is not a part of core {number}"
    if document.count(*region) > overlap:
        yield f"overlap {region} has more than {overlap} tokens"
