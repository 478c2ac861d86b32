"""A bad document raises and is named; with exception handling it becomes a row and the others go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from beam.support import IN_MEMORY, collect, parquet_rows
from tokenchunk.beam import ChunkDocuments, ChunkDoFn, ChunkParquet, ChunkTables, DocumentError

QUOTE = "Confidential text. "
GOOD = [
    {"source": "first", "text": "Good text."},
    {"source": "none", "text": None},
    {"source": "last", "text": "Also good."},
]
LIMIT = 400

BAD: list[tuple[str, Any, str, str]] = [
    ("nan", {"source": "nan", "text": float("nan")}, "wrong_type", "text field 'text' is float; expected str or None"),
    ("int", {"source": "int", "text": 7}, "wrong_type", "text field 'text' is int; expected str or None"),
    (
        "bytes",
        {"source": "bytes", "text": b"raw \xff"},
        "wrong_type",
        "text field 'text' is bytes; expected str or None",
    ),
    ("list", {"source": "list", "text": ["a", "b"]}, "wrong_type", "text field 'text' is list; expected str or None"),
    ("missing", {"source": "missing", "body": "x"}, "missing_field", "text field 'text' is missing"),
    (
        "long",
        {"source": "long", "text": QUOTE * 30},
        "too_large",
        f"text field 'text' has {len(QUOTE) * 30} bytes in UTF-8; max_document_bytes is {LIMIT}",
    ),
]


def transform() -> ChunkDocuments:
    return ChunkDocuments(max_tokens=16, overlap=0, max_document_bytes=LIMIT)


@pytest.mark.parametrize(("source", "document", "_code", "message"), BAD, ids=[case[0] for case in BAD])
def test_a_bad_document_raises_and_is_named(source: str, document: Any, _code: str, message: str) -> None:
    with pytest.raises(Exception, match=f"document '{source}': ") as raised:
        collect(lambda pipeline: pipeline | beam.Create([GOOD[0], document]) | transform())
    assert message in str(raised.value)
    assert QUOTE not in str(raised.value)


def test_bad_documents_become_rows_and_the_good_go_on() -> None:
    documents = [*GOOD[:2], *(case[1] for case in BAD), GOOD[2]]
    chunks, errors = collect(lambda pipeline: pipeline | beam.Create(documents) | transform().with_exception_handling())
    assert sorted(row.source for row in chunks) == ["first", "last"]
    assert sorted(tuple(error) for error in errors) == sorted((source, code, text) for source, _, code, text in BAD)


def test_outputs_have_names_and_schemas() -> None:
    pipeline = beam.Pipeline(argv=[IN_MEMORY])
    outputs = pipeline | beam.Create(GOOD) | transform().with_exception_handling()
    assert outputs.chunks.element_type.__name__ == "ChunkRow"
    assert outputs.errors.element_type.__name__ == "ChunkError"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"text": "No id."}, "document None: source field 'source' is missing"),
        (
            {"source": 7, "text": "An int."},
            "document 7: source field 'source' is int; expected str, or documents with a schema",
        ),
    ],
)
def test_a_source_that_cannot_be_used_is_named(document: Any, expected: str) -> None:
    with pytest.raises(Exception, match="source field") as raised:
        collect(lambda pipeline: pipeline | beam.Create([document]) | transform())
    assert expected in str(raised.value)


def test_a_source_without_an_id_is_refused() -> None:
    fn = ChunkDoFn(chunk_id=True)
    fn.setup()
    with pytest.raises(
        TypeError, match=r"document 0.5: source field 'source' is float; expected str, bytes, int or None"
    ):
        list(fn.process({"source": 0.5, "text": "Text."}))


def test_a_lone_surrogate_is_found_without_quoting_the_text() -> None:
    """Not in a pipeline: Beam's own coders let no half of a pair through."""
    fn = ChunkDoFn()
    fn.setup()
    with pytest.raises(DocumentError) as raised:
        list(fn.process({"source": "half", "text": QUOTE + "\ud800"}))
    assert str(raised.value) == f"document 'half': text field 'text' holds a lone surrogate at character {len(QUOTE)}"
    assert raised.value.to_row().code == "invalid_text"


def test_beams_own_exception_handling_works_with_the_dofn() -> None:
    def build(pipeline: beam.Pipeline) -> Any:
        documents = pipeline | beam.Create([GOOD[0], BAD[0][1], GOOD[2]])
        return documents | beam.ParDo(ChunkDoFn(max_tokens=16)).with_exception_handling()

    good, bad = collect(build)
    assert sorted(row.source for row in good) == ["first", "last"]
    [(document, (kind, text, _))] = bad
    assert document["source"] == "nan"
    assert issubclass(kind, DocumentError)
    assert issubclass(kind, TypeError)
    assert "text field 'text' is float" in text


def ill_formed(*texts: bytes | None) -> pa.Table:
    """A string column whose bytes nobody checked, as pyarrow reads them from Parquet."""
    column = pa.array(texts, pa.binary()).view(pa.string())
    return pa.table({"source": [f"row-{i}" for i in range(len(texts))], "text": column})


TABLE = ill_formed(b"Good text.", b"bad \xff\xfe", None, QUOTE.encode() * 30, b"Also good.")
TABLE_ERRORS = [
    ("row-1", "invalid_text", "text column 'text': not valid UTF-8 at byte 4"),
    ("row-3", "too_large", f"text field 'text' has {len(QUOTE) * 30} bytes in UTF-8; max_document_bytes is {LIMIT}"),
]


def test_bad_rows_of_a_table_become_rows_and_the_good_go_on() -> None:
    transform = ChunkTables(max_tokens=16, overlap=0, max_document_bytes=LIMIT).with_exception_handling()
    chunks, errors = collect(lambda pipeline: pipeline | beam.Create([TABLE, TABLE.slice(4)]) | transform)
    rows = [row for table in chunks for row in table.to_pylist()]
    assert sorted(row["source"] for row in rows) == ["row-0", "row-4", "row-4"]
    assert sorted(tuple(error) for error in errors) == TABLE_ERRORS


@pytest.mark.parametrize(("limit", "message"), [(None, TABLE_ERRORS[0]), (LIMIT, TABLE_ERRORS[1])])
def test_a_bad_row_of_a_table_raises_and_is_named(limit: int | None, message: tuple[str, str, str]) -> None:
    table = TABLE if limit is None else TABLE.slice(2)
    with pytest.raises(Exception, match=f"document '{message[0]}'") as raised:
        collect(lambda pipeline: pipeline | beam.Create([table]) | ChunkTables(max_document_bytes=limit))
    assert message[2] in str(raised.value)
    assert QUOTE not in str(raised.value)


def test_bad_rows_of_a_file(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "in.parquet", row_group_size=2)

    def build(pipeline: beam.Pipeline) -> Any:
        job = ChunkParquet(str(tmp_path / "in.parquet"), str(tmp_path / "out"), max_document_bytes=LIMIT)
        return pipeline | job.with_exception_handling()

    results, errors = collect(build)
    assert sorted(tuple(error) for error in errors) == TABLE_ERRORS
    assert [row["source"] for row in parquet_rows(tmp_path / "out")] == ["row-0", "row-4"]
    assert sum(result.failed_documents for result in results) == 2
    assert sum(result.documents for result in results) == 5


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_tokens": 64, "overlap": 64}, ValueError, "max_tokens=64"),
        ({"max_tokens": 0}, ValueError, "max_tokens must be from 4"),
        ({"overlap": -1}, ValueError, "overlap must be 0 or more"),
        ({"encoding": "nope"}, ValueError, "unknown encoding 'nope'"),
        ({"max_document_bytes": 0}, ValueError, "max_document_bytes must be 1 or more, not 0"),
        ({"max_document_bytes": "1"}, TypeError, "max_document_bytes must be an int or None, not str"),
        ({"keep": "year"}, TypeError, "keep must be a list of column names, not the str 'year'"),
    ],
)
@pytest.mark.parametrize("make", [ChunkDoFn, ChunkTables, lambda **options: ChunkParquet("in", "out", **options)])
def test_a_wrong_option_is_refused_when_the_transform_is_made(
    make: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(**options)
