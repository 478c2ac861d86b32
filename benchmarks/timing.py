"""Contenders take turns, round after round, so that a machine that slows down slows all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contenders import Contender, Texts

# The peers that chunk are slow: they get the first so many bytes of a corpus.
SLOW_BYTES = 300_000


@dataclass(frozen=True)
class Speed:
    """MB/s of UTF-8 over all rounds, and the median of our speed over this one in the same round."""

    best: float
    median: float
    worst: float
    ours_over_this: float


@dataclass(frozen=True)
class Row:
    """What one corpus gave, by contender."""

    corpus: str
    size_bytes: int
    speeds: Mapping[str, Speed]


def race(
    corpus: str,
    texts: Texts,
    contenders: Sequence[Contender],
    slow: Sequence[Contender],
    encoding: str,
    max_tokens: int,
    rounds: int,
) -> Row:
    """Time all contenders, of which the first is the one that the others are compared with."""
    samples = [_head(texts) if contender in slow else texts for contender in contenders]
    sizes = [size_bytes(sample) for sample in samples]
    works = [contender(sample, encoding, max_tokens) for contender, sample in zip(contenders, samples, strict=True)]
    for work in works:
        work()  # Vocabularies are loaded and caches filled: nobody is timed cold here.
    by_round = []
    for _ in range(rounds):
        speeds = []
        for work, size in zip(works, sizes, strict=True):
            start = time.perf_counter()
            work()
            speeds.append(size / (time.perf_counter() - start) / 1e6)
        by_round.append(speeds)
    results = {}
    for contender, speeds in zip(contenders, zip(*by_round, strict=True), strict=True):
        ratios = [ours[0] / speed for ours, speed in zip(by_round, speeds, strict=True)]
        spread = (max(speeds), statistics.median(speeds), min(speeds))
        results[contender.__name__] = Speed(*spread, statistics.median(ratios))
    return Row(corpus, sizes[0], results)


def size_bytes(texts: Texts) -> int:
    """Bytes of UTF-8."""
    return sum(len(text.encode()) for text in texts)


def _head(texts: Texts) -> Texts:
    head: Texts = []
    while len(head) < len(texts) and size_bytes(head) < SLOW_BYTES:
        head.append(texts[len(head)])
    return head
