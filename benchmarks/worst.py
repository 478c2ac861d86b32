"""Texts that make tokenisers and splitters slow, each of a few MB, and how we fare with them beside prose."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable

from contenders import Texts
from corpora import documentation

MEGABYTES = 10


def _repeated(unit: str) -> Callable[[int], str]:
    # Letters around it: white space at the ends of a document is no chunk's.
    return lambda size_bytes: f"x{unit * (size_bytes // len(unit.encode()))}x"


def _base64(size_bytes: int) -> str:
    return base64.b64encode(random.Random(0).randbytes(size_bytes * 3 // 4)).decode()


def _json(size_bytes: int) -> str:
    source = random.Random(0)
    records = [{"id": number, "score": source.random(), "tag": f"t{source.randrange(9999)}"} for number in range(1000)]
    return json.dumps(records * (size_bytes // 50_000), separators=(",", ":"))


_MAKERS: dict[str, Callable[[int], str]] = {
    "prose": _repeated("\n\n".join(documentation())),
    "one letter": _repeated("a"),
    "underscores": _repeated("_"),
    "hyphens": _repeated("-"),
    "spaces": _repeated(" "),
    "newlines": _repeated("\n"),
    "digits": _repeated("1234567890"),
    "contractions": _repeated("x's's's"),
    "base64": _base64,
    "minified JSON": _json,
    "Chinese without spaces": _repeated("天地玄黄宇宙洪荒日月盈昃辰宿列张"),
    "Thai": _repeated("ข้าวปลาอาหารในนาน้ำ"),
    "emoji families": _repeated("👩\u200d👩\u200d👧\u200d👦"),
    "combining marks": _repeated("a\u0301\u0302\u0303"),
}


def texts(megabytes: int = MEGABYTES) -> dict[str, Texts]:
    """By name, one document each; the first is prose, to compare the others with."""
    return {name: [make(megabytes * 1_000_000)] for name, make in _MAKERS.items()}
