"""What the Beam tests share: a corpus, a way to get a pipeline's rows, and hashes to compare them by."""

from __future__ import annotations

import hashlib
import json
import pydoc_data.topics
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]

IN_MEMORY = "--runner=FnApiRunner"
COLUMNS = ["content", "source", "chunk_index", "token_count", "char_start", "char_end"]


def corpus(documents: int = 60) -> list[Row]:
    """Python's own documentation, and texts that are hard to cut, with other columns."""
    topics = sorted(pydoc_data.topics.topics.items())
    hard = [
        None,
        "",
        " \n\u3000",
        "x" * 4000,
        "他说：“我们走吧。”然后就走了。" * 60,
        "e\u0301a\u0308 👩\u200d💻 <|endoftext|> ünïcödé. " * 30,
        "".join(f"Line {i}\r\n" for i in range(300)),
    ]
    texts: list[str | None] = [*hard, *(text for _, text in topics)]
    return [
        {"source": f"doc-{i:03}", "text": text, "year": 2000 + i, "lang": "en" if i % 3 else None}
        for i, text in enumerate(texts[:documents])
    ]


def write_corpus(path: Path, rows: list[Row], *, row_group_rows: int = 5) -> Path:
    """As Polars writes it: large strings; in many row groups."""
    schema = pa.schema(
        {"source": pa.large_string(), "text": pa.large_string(), "year": pa.int64(), "lang": pa.large_string()}
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema), path, row_group_size=row_group_rows)
    return path


_collected: dict[str, list[Any]] = {}


class _Collect(beam.DoFn):
    """Keeps elements in this module: the in-memory runner works in the test's own process."""

    def __init__(self, key: str) -> None:
        self._key = key

    def process(self, element: Any) -> None:
        _collected[self._key].append(element)


def collect(build: Callable[[beam.Pipeline], Any]) -> Any:
    """Run what `build` makes of a pipeline in memory; returns the elements of each PCollection that it returns."""
    pipeline = beam.Pipeline(argv=[IN_MEMORY])
    outputs = build(pipeline)
    outputs = [outputs] if isinstance(outputs, beam.PCollection) else list(outputs)
    keys = [uuid.uuid4().hex for _ in outputs]
    for key, output in zip(keys, outputs, strict=True):
        _collected[key] = []
        _ = output | key >> beam.ParDo(_Collect(key))
    pipeline.run().wait_until_finish()
    found = [_collected.pop(key) for key in keys]
    return found[0] if len(found) == 1 else found


def as_dicts(rows: Iterable[Any]) -> list[Row]:
    """Chunk rows of any kind as dicts, sorted."""
    dicts = [row._asdict() if hasattr(row, "_asdict") else dict(row) for row in rows]
    return sorted(dicts, key=lambda row: (str(row["source"]), row["chunk_index"]))


def rows_hash(rows: Iterable[Any], columns: list[str] = COLUMNS) -> str:
    """One hash of all rows, whatever their order."""
    digest = hashlib.sha256()
    for line in sorted(json.dumps([row[column] for column in columns]) for row in as_dicts(rows)):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def parquet_rows(folder: Path) -> list[Row]:
    """The rows of all Parquet files that a reader finds in a folder."""
    files = sorted(folder.glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def file_hashes(folder: Path) -> dict[str, str]:
    """The hash of each file that is data."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.glob("*.parquet"))}
