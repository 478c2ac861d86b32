"""What is chunked: text that every machine has, generated text, or a Parquet file of one's own."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics

import polars as pl

# A few words of each script, for text whose statistics are only roughly those of a language.
_WORDS = {
    "latin": "the of and storm harbour carries letters without number over grey water until morning comes",
    "cyrillic": "город река дорога старый человек время слово письмо говорил большой никогда потому вечером",
    "arabic": "البحر المدينة الكتاب الطريق القديم الرجل الوقت الكلمة الرسالة الكبير المساء الصباح",
    "devanagari": "नदी शहर किताब रास्ता पुराना आदमी समय शब्द चिट्ठी बड़ा शाम सुबह",
    "han": "天 地 人 山 水 火 木 金 日 月 城 市 道 路 书 信 时 间 老 大 说 话 从 来 因 为 晚 上",
}
_STOPS = {"han": "。", "devanagari": "।"}
_SPACES = {"han": ""}


def documentation() -> list[str]:
    """The interpreter's own documentation, some hundreds of kilobytes of English and code."""
    return list(topics.values())


def generated(script: str, size_bytes: int = 2_000_000) -> list[str]:
    """Documents of random sentences in one script, the same on every machine."""
    source = random.Random(script)
    words = _WORDS[script].split()
    space, stop = _SPACES.get(script, " "), _STOPS.get(script, ".")
    documents, size = [], 0
    while size < size_bytes:
        sentences = (space.join(source.choices(words, k=source.randint(4, 24))) + stop for _ in range(60))
        documents.append((space or "").join(sentences))
        size += len(documents[-1].encode())
    return documents


def from_parquet(path: Path) -> dict[str, list[str]]:
    """The column `text` of a Parquet file; where it has a column `lang`, a corpus for each language."""
    frame = pl.read_parquet(path)
    if "lang" not in frame.columns or frame["lang"].n_unique() == 1:
        return {path.stem: frame["text"].to_list()}
    parts = frame.partition_by("lang", as_dict=True, maintain_order=True)
    return {f"{path.stem} {language}": part["text"].to_list() for (language, *_), part in parts.items()}


BUILT_IN: dict[str, Callable[[], list[str]]] = {
    "pydoc": documentation,
    **{script: (lambda script=script: generated(script)) for script in _WORDS},
}
