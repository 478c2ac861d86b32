"""The vectors in tests/data, which the core's own tests read too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from judge import Limits, chunker, rows

DATA = Path(__file__).parent / "data"


def vectors(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="ascii").splitlines()]


def test_chunks() -> None:
    for vector in vectors("chunks.jsonl"):
        limits = Limits(vector["max_tokens"], vector["overlap"], vector["side"])
        found = rows(vector["text"], limits, vector["encoding"])
        assert [[*row[2:]] for row in found] == vector["chunks"], (vector["text"], limits, vector["encoding"])


def test_counts() -> None:
    for vector in vectors("counts.jsonl"):
        counts = {name: chunker(Limits(64), name).count(vector["text"]) for name in vector["counts"]}
        assert counts == vector["counts"], vector["text"]
