"""Plain Python and Arrow: every layout of a text column gives the same rows."""

from __future__ import annotations

import hashlib
import threading
import time
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
import tiktoken

import tokenchunk as tc
from tokenchunk import _native

Rows = list[dict[str, Any]]
DICTIONARIES = [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64()]


@pytest.fixture
def table(documents: Rows) -> pa.Table:
    return pa.Table.from_pylist(documents)


def with_text(table: pa.Table, text: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.set_column(table.schema.get_field_index("text"), "text", text)


# plain Python


def test_chunks_have_the_counts_of_tiktoken(texts: list[str | None]) -> None:
    for name in ("cl100k_base", "o200k_base", "p50k_base", "r50k_base"):
        encoding = tiktoken.get_encoding(name)
        chunker = tc.Chunker(max_tokens=20, overlap=4, overlap_side="before", encoding=name)
        for text in filter(None, texts):
            assert chunker.count(text) == len(encoding.encode_ordinary(text))
            for index, chunk in enumerate(chunker.chunk(text)):
                assert chunk.chunk_index == index
                assert chunk.token_count == len(encoding.encode_ordinary(chunk.content)) <= 20
                assert text[chunk.char_start : chunk.char_end] == chunk.content


def test_many_texts_are_each_text(chunker: tc.Chunker, texts: list[str | None]) -> None:
    assert chunker.chunk_many(iter(texts)) == [[] if text is None else chunker.chunk(text) for text in texts]
    assert chunker.chunk_many([]) == []


def test_document_rows(chunker: tc.Chunker) -> None:
    rows = chunker.chunk_document("One. Two.", source=("any", "value"))
    assert rows == [
        {
            "content": "One. Two.",
            "source": ("any", "value"),
            "chunk_index": 0,
            "token_count": 4,
            "char_start": 0,
            "char_end": 9,
        }
    ]
    assert chunker.chunk_document(None, "a") == chunker.chunk_document("", "a") == []


def test_the_id_is_a_published_hash(chunker: tc.Chunker) -> None:
    def spelled(source: bytes, index: int, content: str) -> str:
        return hashlib.sha256(source + index.to_bytes(8, "little") + content.encode()).hexdigest()[:32]

    def sized(kind: bytes, value: bytes) -> bytes:
        return kind + len(value).to_bytes(8, "little") + value

    spellings: dict[str | bytes | int | None, bytes] = {
        "a.txt": sized(b"s", b"a.txt"),
        "ü": sized(b"s", "ü".encode()),
        b"a.txt": sized(b"b", b"a.txt"),
        -7: b"i" + (-7).to_bytes(16, "little", signed=True),
        2**64: b"i" + (2**64).to_bytes(16, "little", signed=True),
        None: b"n",
    }
    for source, spelling in spellings.items():
        for row in chunker.chunk_document("Same line.\n" * 20, source, chunk_id=True):
            assert row["chunk_id"] == spelled(spelling, row["chunk_index"], row["content"])


@pytest.mark.parametrize("source", [1.5, True, ["a"], 2**130])
def test_sources_without_ids_are_refused(chunker: tc.Chunker, source: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="source"):
        chunker.chunk_document("One.", source, chunk_id=True)


def test_the_gil_is_released_on_a_long_text(chunker: tc.Chunker) -> None:
    text = "The pump moved, then stopped. " * 200_000
    worker = threading.Thread(target=chunker.chunk, args=[text])
    worker.start()
    turns = 0
    while worker.is_alive():
        time.sleep(0.0001)
        turns += 1
    assert turns > 5


# tables


@pytest.mark.parametrize("dtype", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_string_types(table: pa.Table, chunker: tc.Chunker, expected: Rows, dtype: pa.DataType) -> None:
    out = chunker.chunk_table(with_text(table, table["text"].cast(dtype)))
    out.validate(full=True)
    assert out.to_pylist() == expected


@pytest.mark.parametrize("index", DICTIONARIES, ids=str)
@pytest.mark.parametrize("values", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_dictionaries(
    table: pa.Table, chunker: tc.Chunker, expected: Rows, index: pa.DataType, values: pa.DataType
) -> None:
    encoded = table["text"].combine_chunks().dictionary_encode()
    column = pa.DictionaryArray.from_arrays(encoded.indices.cast(index), encoded.dictionary.cast(values))
    assert chunker.chunk_table(with_text(table, column)).to_pylist() == expected


def test_a_null_in_a_dictionary_is_a_null(chunker: tc.Chunker) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["One.", None]))
    out = chunker.chunk_table(pa.table({"source": [1, 2, 3], "text": column}))
    assert out["source"].to_pylist() == [1]


@pytest.mark.parametrize("start", [0, 1, 7, 8, 9, 12])
@pytest.mark.parametrize("dtype", [pa.string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_sliced_columns(table: pa.Table, chunker: tc.Chunker, start: int, dtype: pa.DataType) -> None:
    text = table["text"].combine_chunks()
    text = text.dictionary_encode() if pa.types.is_dictionary(dtype) else text.cast(dtype)
    whole = with_text(table, text)
    assert chunker.chunk_table(whole.slice(start)).to_pylist() == [
        row for document in whole.slice(start).to_pylist() for row in _rows(chunker, document)
    ]
    assert chunker.chunk_table(whole.slice(start, 1)).to_pylist() == _rows(
        chunker, whole.slice(start, 1).to_pylist()[0]
    )


def _rows(chunker: tc.Chunker, document: dict[str, Any]) -> Rows:
    return [row | {"year": document["year"]} for row in chunker.chunk_document(document["text"], document["source"])]


def test_several_chunks_and_other_producers(table: pa.Table, chunker: tc.Chunker, expected: Rows) -> None:
    parts = pa.concat_tables([table.slice(0, 2), table.slice(2, 0), table.slice(2)])
    producers = [
        parts,
        table.combine_chunks().to_batches()[0],
        parts.to_reader(),
        pl.DataFrame(table),
        pl.DataFrame(table).with_columns(pl.col("text").cast(pl.Categorical), pl.col("source").cast(pl.Categorical)),
    ]
    for producer in producers:
        assert chunker.chunk_table(producer).to_pylist() == expected


@pytest.mark.skipif(not hasattr(pa, "json_"), reason="pyarrow has the type from 19 on")
def test_an_extension_type_over_string(table: pa.Table, chunker: tc.Chunker, expected: Rows) -> None:
    text = pa.ExtensionArray.from_storage(pa.json_(pa.string()), table["text"].combine_chunks())
    assert chunker.chunk_table(with_text(table, text)).to_pylist() == expected


@pytest.mark.parametrize(
    "text", [pa.array([], pa.string()), pa.nulls(3), pa.nulls(3, pa.string_view()), pa.array(["", " "])]
)
def test_no_chunks_have_the_same_schema(chunker: tc.Chunker, text: pa.Array) -> None:
    sources = pa.array(range(len(text)), pa.int16())
    out = chunker.chunk_table(pa.table({"source": sources, "text": text, "n": sources}), chunk_id=True)
    assert out.num_rows == 0
    assert out.schema == pa.schema(
        {
            "content": pa.large_string(),
            "source": pa.int16(),
            "chunk_index": pa.int64(),
            "token_count": pa.int64(),
            "char_start": pa.int64(),
            "char_end": pa.int64(),
            "chunk_id": pa.large_string(),
            "n": pa.int16(),
        }
    )


def test_kept_columns_come_as_they_were(table: pa.Table, chunker: tc.Chunker) -> None:
    columns = {
        "list": pa.array([["a"], []] * 7).slice(0, len(table)),
        "struct": pa.array([{"a": 1, "b": None}] * len(table)),
        "time": pa.array(range(len(table)), pa.timestamp("us", "UTC")),
        "decimal": pa.array(range(len(table))).cast(pa.decimal128(21, 2)),
        "bytes": pa.array([b"\xff"] * len(table)),
        "dictionary": pa.array(["u", "v"] * 7).slice(0, len(table)).dictionary_encode(),
        "map": pa.array([[("k", 1)]] * len(table), pa.map_(pa.string(), pa.int64())),
    }
    wide = table
    for name, column in columns.items():
        wide = wide.append_column(name, column)
    out = chunker.chunk_table(wide)
    for name in columns:
        assert out.schema.field(name) == wide.schema.field(name)
    by_source = {row["source"]: row for row in wide.to_pylist()}
    for row in out.to_pylist():
        assert {name: row[name] for name in columns} == {name: by_source[row["source"]][name] for name in columns}


def test_views_become_large_strings(chunker: tc.Chunker) -> None:
    frame = pl.DataFrame(
        {"source": ["a long enough source"], "text": ["One."], "tags": [["a long enough tag", "b"]], "s": [{"x": "y"}]}
    )
    out = chunker.chunk_table(frame)
    assert out.schema.field("source").type == pa.large_string()
    assert out["tags"].to_pylist() == [["a long enough tag", "b"]]
    assert out["s"].to_pylist() == [{"x": "y"}]


def test_ids_are_those_of_polars(table: pa.Table, chunker: tc.Chunker) -> None:
    for source in (pa.array(range(len(table)), pa.uint8()), table["source"], table["source"].cast(pa.binary())):
        documents = pa.table({"source": source, "text": table["text"]})
        ids = chunker.chunk_table(documents, chunk_id=True)["chunk_id"].to_pylist()
        frame = tc.chunk_documents(pl.DataFrame(documents), **chunker.config.to_dict(), chunk_id=True)
        assert ids == frame["chunk_id"].to_list()


def test_many_rows_leave_in_batches() -> None:
    fine = tc.Chunker(max_tokens=4, overlap=0)
    documents = pa.table({"source": pa.array(["s"] * 40), "text": pa.array(["One two three. " * 1000] * 40)})
    out = fine.chunk_table(documents)
    assert out.num_rows > 1 << 15
    assert out.to_pylist() == [row for _ in range(40) for row in fine.chunk_document("One two three. " * 1000, "s")]


@pytest.mark.parametrize("run_bytes", [0, 1, 70, 140, 1 << 40])
def test_runs_hold_every_row_once_in_order(run_bytes: int) -> None:
    ends = _native.byte_runs(pa.array(["a", None, "bb", "", "c" * 100]), "text", run_bytes)
    assert ends == sorted(set(ends))
    assert ends[-1] == 5
    assert len(ends) == {0: 5, 1: 5, 70: 5, 140: 3, 1 << 40: 1}[run_bytes]
    assert _native.byte_runs(pa.array([], pa.string()), "text", run_bytes) == []


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ({"source": [1]}, {}, ValueError, "text column 'text' is missing"),
        ({"text": ["a"]}, {}, ValueError, "source column 'source' is missing"),
        ({"source": [1], "text": [1]}, {}, ValueError, "text column 'text' is int64"),
        ({"source": [1], "text": [["a"]]}, {}, ValueError, "text column 'text' is list"),
        ({"source": [1], "text": [b"a"]}, {}, ValueError, "text column 'text' is binary"),
        (
            {"source": [1.5], "text": ["a"]},
            {"chunk_id": True},
            ValueError,
            "source column 'source' is double; chunk_id",
        ),
        ({"source": [1], "text": ["a"], "content": [1]}, {}, ValueError, "'content' would stand twice"),
        ({"source": [1], "text": ["a"]}, {"keep": "text"}, TypeError, "keep must be a list"),
    ],
)
def test_wrong_tables_are_refused(
    chunker: tc.Chunker, columns: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        chunker.chunk_table(pa.table(columns), **options)


def test_a_column_that_is_there_twice_is_refused(chunker: tc.Chunker) -> None:
    table = pa.Table.from_arrays([pa.array(["a"])] * 3, names=["source", "text", "text"])
    with pytest.raises(ValueError, match="text column 'text' is there 2 times"):
        chunker.chunk_table(table)


@pytest.mark.parametrize("table", [None, 3, "text", [{"text": "a"}]])
def test_what_is_no_table_is_refused(chunker: tc.Chunker, table: Any) -> None:
    with pytest.raises(TypeError, match="table must be"):
        chunker.chunk_table(table)
