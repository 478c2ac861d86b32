"""The Polars front: every way to reach a column gives the rows that plain Python gives."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import tokenchunk as tc

Rows = list[dict[str, Any]]
OPTIONS: dict[str, Any] = {"max_tokens": 16, "overlap": 0.2}
FIELDS = {
    "content": pl.String,
    "chunk_index": pl.Int64,
    "token_count": pl.Int64,
    "char_start": pl.Int64,
    "char_end": pl.Int64,
}
LIST = pl.List(pl.Struct(FIELDS))
ENGINES = ["in-memory", "streaming"]


def lists_of(chunker: tc.Chunker, texts: list[str | None]) -> list[Rows | None]:
    return [None if text is None else [chunk._asdict() for chunk in chunker.chunk(text)] for text in texts]


@pytest.fixture(scope="module")
def lists(chunker: tc.Chunker, texts: list[str | None]) -> list[Rows | None]:
    return lists_of(chunker, texts)


@pytest.fixture
def frame(documents: Rows) -> pl.DataFrame:
    return pl.DataFrame(documents)


def chunked(frame: pl.DataFrame, expr: pl.Expr | None = None) -> list[Rows | None]:
    out = frame.select(chunks=tc.chunk("text" if expr is None else expr, **OPTIONS))["chunks"]
    assert out.dtype == LIST
    return out.to_list()


# expressions


def test_lists_are_what_plain_python_gives(frame: pl.DataFrame, lists: list[Rows | None]) -> None:
    assert chunked(frame) == lists


def test_null_gives_null_and_blank_gives_an_empty_list() -> None:
    assert chunked(pl.DataFrame({"text": [None, "", " \n ", "\u00a0\u3000"]})) == [None, [], [], []]


@pytest.mark.parametrize("engine", ENGINES)
def test_lazy_engines(frame: pl.DataFrame, lists: list[Rows | None], engine: Any) -> None:
    lazy = frame.lazy().select(chunks=tc.chunk("text", **OPTIONS))
    assert lazy.collect_schema() == {"chunks": LIST}
    out = lazy.collect(engine=engine)
    assert out.schema == {"chunks": LIST}
    assert out["chunks"].to_list() == lists


def test_the_namespace_is_the_functions(frame: pl.DataFrame) -> None:
    column = pl.col("text").tokenchunk  # type: ignore[attr-defined]
    pairs = [
        (column.chunk(**OPTIONS), tc.chunk("text", **OPTIONS)),
        (column.count_tokens(encoding="o200k_base"), tc.count_tokens("text", encoding="o200k_base")),
        (column.estimate_tokens(), tc.estimate_tokens("text")),
        (column.split_sentences(), tc.split_sentences("text")),
    ]
    for method, function in pairs:
        assert frame.select(method).equals(frame.select(function))


def _through_parquet(series: pl.Series) -> pl.Series:
    buffer = io.BytesIO()
    series.to_frame().write_parquet(buffer)
    buffer.seek(0)
    return pl.read_parquet(buffer)["text"]


COLUMNS: dict[str, Callable[[pl.Series], pl.Series]] = {
    "several chunks": lambda s: pl.concat([s[:3], s[3:4], s[4:4], s[4:]], rechunk=False),
    "sliced": lambda s: pl.concat([pl.Series("text", ["not this"]), s, s])[1 : 1 + len(s)],
    "gathered": lambda s: pl.concat([s, s.reverse()]).gather(list(range(len(s)))),
    "from arrow": lambda s: pl.Series("text", pl.from_arrow(s.to_arrow(compat_level=pl.CompatLevel.oldest()))),
    "from a sliced arrow array": lambda s: pl.Series("text", pl.from_arrow(s.append(s).to_arrow().slice(2))).tail(
        len(s)
    ),
    "filtered": lambda s: pl.DataFrame({"text": s, "even": [True] * len(s)}).filter("even")["text"],
    "categorical": lambda s: s.cast(pl.Categorical),
    "enum": lambda s: s.cast(pl.Enum(s.drop_nulls().unique(maintain_order=True))),
    "from parquet": _through_parquet,
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_however_they_came(kind: str, texts: list[str | None], chunker: tc.Chunker) -> None:
    series = COLUMNS[kind](pl.Series("text", texts))
    strings = series.cast(pl.String)
    assert chunked(series.to_frame("text")) == lists_of(chunker, strings.to_list())
    counts = series.to_frame("text").select(tc.count_tokens("text"))["text"].to_list()
    assert counts == [None if text is None else chunker.count(text) for text in strings]
    joined = series.to_frame("text").select(tc.split_sentences("text").list.join(""))["text"]
    assert joined.to_list() == strings.to_list()


def test_a_column_of_type_null_gives_null_lists() -> None:
    frame = pl.DataFrame({"text": [None, None]})
    assert frame.schema["text"] == pl.Null
    assert chunked(frame) == [None, None]
    assert frame.select(tc.count_tokens("text"))["text"].to_list() == [None, None]


def test_no_rows_keep_the_type() -> None:
    assert chunked(pl.DataFrame(schema={"text": pl.String})) == []
    assert pl.DataFrame(schema={"text": pl.String}).select(tc.split_sentences("text")).schema["text"] == pl.List(
        pl.String
    )


def test_a_literal_is_broadcast(frame: pl.DataFrame, chunker: tc.Chunker) -> None:
    out = frame.select("source", chunks=tc.chunk(pl.lit("Same text."), **OPTIONS))
    assert out["chunks"].to_list() == lists_of(chunker, ["Same text."]) * len(frame)


def test_a_series_is_accepted(texts: list[str | None], lists: list[Rows | None]) -> None:
    assert pl.select(tc.chunk(pl.Series("text", texts), **OPTIONS)).to_series().to_list() == lists


def test_over_and_group_by(frame: pl.DataFrame, lists: list[Rows | None]) -> None:
    frame = frame.with_columns(group=pl.int_range(pl.len()) % 3)
    assert frame.select(tc.chunk("text", **OPTIONS).over("group"))["text"].to_list() == lists
    grouped = frame.group_by("group", maintain_order=True).agg(tc.chunk("text", **OPTIONS))
    assert grouped["text"].to_list() == [lists[start::3] for start in range(3)]


def test_inside_lists(texts: list[str | None], lists: list[Rows | None]) -> None:
    frame = pl.DataFrame({"pages": [texts[:4], [], texts[4:]]})
    out = frame.select(pl.col("pages").list.eval(tc.chunk(pl.element(), **OPTIONS)))["pages"]
    assert out.to_list() == [lists[:4], [], lists[4:]]


def test_content_points_into_the_document() -> None:
    text = "A sentence of a long book is here. " * 100_000
    out = (
        pl.DataFrame({"text": [text]})
        .select(tc.chunk("text", max_tokens=512, overlap=250))
        .explode("text")
        .unnest("text")
    )
    repeated = out["content"].str.len_bytes().sum()
    assert repeated > 2 * len(text)
    arrow = out["content"].to_arrow(compat_level=pl.CompatLevel.newest())
    assert arrow.get_total_buffer_size() - arrow.buffers()[1].size < 1.1 * len(text)


@pytest.mark.parametrize("name", ["chunk", "count_tokens", "estimate_tokens", "split_sentences"])
@pytest.mark.parametrize(
    "dtype", [pl.Int64, pl.Binary, pl.List(pl.String), pl.Struct({"a": pl.String}), pl.Date, pl.Boolean]
)
def test_a_column_that_is_not_text_is_refused_at_schema_resolution(name: str, dtype: pl.DataType) -> None:
    lazy = pl.LazyFrame(schema={"body": dtype}).select(getattr(tc, name)("body"))
    with pytest.raises(pl.exceptions.ComputeError, match=r'column "body" is .*expected text'):
        lazy.collect_schema()


def test_estimates_are_a_quarter_of_the_characters() -> None:
    out = pl.DataFrame({"text": ["", "a", "abcd", "abcde", "éééé", None]}).select(tc.estimate_tokens("text"))
    assert out["text"].to_list() == [0, 1, 1, 2, 1, None]
    assert out.schema == {"text": pl.Int64}


# frames


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_a_lazy_frame(frame: pl.DataFrame, expected: Rows, engine: Any) -> None:
    lazy = tc.chunk_documents(frame.lazy(), **OPTIONS)
    assert isinstance(lazy, pl.LazyFrame)
    out = lazy.collect(engine=engine)
    assert out.to_dicts() == expected
    assert lazy.collect_schema() == out.schema


def test_rows_of_a_frame(frame: pl.DataFrame, expected: Rows) -> None:
    out = tc.chunk_documents(frame, **OPTIONS)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == ["content", "source", "chunk_index", "token_count", "char_start", "char_end", "year"]
    assert out.to_dicts() == expected


@pytest.mark.parametrize("texts", [[], [None, None], ["", None, " "]])
def test_no_chunks_have_the_same_schema(texts: list[str | None]) -> None:
    frame = pl.DataFrame({"source": range(len(texts)), "text": texts}, schema_overrides={"source": pl.Int32})
    out = tc.chunk_documents(frame, chunk_id=True)
    assert out.height == 0
    assert dict(out.schema) == {
        "content": pl.String,
        "source": pl.Int32,
        "chunk_index": pl.Int64,
        "token_count": pl.Int64,
        "char_start": pl.Int64,
        "char_end": pl.Int64,
        "chunk_id": pl.String,
    }
    assert tc.chunk_documents(frame.lazy(), chunk_id=True).collect().schema == out.schema


def test_other_names_and_kept_columns(frame: pl.DataFrame, expected: Rows) -> None:
    frame = frame.rename({"text": "body", "source": "path"}).with_columns(tags=pl.Series([["x", "y"]] * len(frame)))
    out = tc.chunk_documents(frame, text="body", source="path", keep=["tags", "path"], **OPTIONS)
    assert out.columns[6:] == ["tags", "path"]
    assert out["path"].to_list() == out["source"].to_list() == [row["source"] for row in expected]
    assert out["tags"].to_list() == [["x", "y"]] * len(expected)
    assert tc.chunk_documents(frame, text="body", source="path", keep=[], **OPTIONS).width == 6


def test_the_text_column_may_be_called_content(frame: pl.DataFrame, expected: Rows) -> None:
    out = tc.chunk_documents(frame.rename({"text": "content"}), text="content", **OPTIONS)
    assert out.to_dicts() == expected


def test_streaming_over_many_batches_is_eager(documents: Rows) -> None:
    frame = pl.DataFrame(documents * 50).with_row_index("n")
    eager = tc.chunk_documents(frame, chunk_id=True, **OPTIONS)
    with pl.Config(streaming_chunk_size=7):
        streamed = tc.chunk_documents(frame.lazy(), chunk_id=True, **OPTIONS).collect(engine="streaming")
    assert streamed.equals(eager)


def test_sinking_gives_the_same_file(frame: pl.DataFrame, expected: Rows, tmp_path: Any) -> None:
    frame.write_parquet(tmp_path / "in.parquet")
    lazy = tc.chunk_documents(pl.scan_parquet(tmp_path / "in.parquet"), **OPTIONS)
    lazy.sink_parquet(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").to_dicts() == expected
    assert lazy.select("token_count").collect()["token_count"].to_list() == [row["token_count"] for row in expected]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"text": "body"}, ValueError, r"text column 'body' is missing.*'source', 'text', 'year'"),
        ({"source": "id"}, ValueError, r"source column 'id' is missing"),
        ({"text": "year"}, ValueError, r"text column 'year' is Int64; expected"),
        ({"keep": ["yaer"]}, ValueError, r"keep column 'yaer' is missing"),
        ({"keep": ["year", "year"]}, ValueError, r"'year' twice"),
        ({"keep": ["text"]}, ValueError, r"keep has the text column 'text'"),
        ({"keep": ["source"]}, ValueError, r"column 'source' would stand twice"),
        ({"keep": "year"}, TypeError, r"keep must be a list"),
        ({"text": "source"}, ValueError, r"same column 'source'"),
        ({"text": 3}, TypeError, r"text must name columns by str, not int"),
        ({"max_tokens": 2}, ValueError, r"max_tokens"),
    ],
)
@pytest.mark.parametrize("lazy", [False, True])
def test_wrong_frames_are_refused_before_any_work(
    frame: pl.DataFrame, options: dict[str, Any], error: type[Exception], message: str, lazy: bool
) -> None:
    call: Any = tc.chunk_documents
    with pytest.raises(error, match=message):
        call(frame.lazy() if lazy else frame, **options)


@pytest.mark.parametrize("name", ["content", "chunk_index", "token_count", "char_start", "char_end", "chunk_id"])
def test_name_clashes_are_refused(frame: pl.DataFrame, name: str) -> None:
    with pytest.raises(ValueError, match=rf"column '{name}' would stand twice"):
        tc.chunk_documents(frame.rename({"year": name}), chunk_id=True)
    assert tc.chunk_documents(frame.rename({"year": name}), keep=[]).width == 6


# chunk ids


def test_ids_depend_on_source_index_and_content_alone(
    frame: pl.DataFrame, chunker: tc.Chunker, documents: Rows
) -> None:
    out = tc.chunk_documents(frame, chunk_id=True, **OPTIONS)
    assert out["chunk_id"].n_unique() == out.height
    plain = [
        row["chunk_id"]
        for document in documents
        for row in chunker.chunk_document(document["text"], document["source"], chunk_id=True)
    ]
    assert out["chunk_id"].to_list() == plain


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt16, pl.Int32, pl.UInt64, pl.Int128])
def test_the_width_of_an_integer_source_does_not_matter(dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"source": [5, None], "text": ["One.", "Two."]}, schema_overrides={"source": dtype})
    ids = tc.chunk_documents(frame, chunk_id=True)["chunk_id"].to_list()
    chunker = tc.Chunker()
    assert ids == [
        chunker.chunk_document("One.", 5, chunk_id=True)[0]["chunk_id"],
        chunker.chunk_document("Two.", None, chunk_id=True)[0]["chunk_id"],
    ]


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Date, pl.Boolean, pl.List(pl.Int64), pl.Decimal(10, 2), pl.UInt128])
def test_sources_without_ids_are_refused_at_schema_resolution(dtype: pl.DataType) -> None:
    lazy = tc.chunk_documents(pl.LazyFrame(schema={"source": dtype, "text": pl.String}), chunk_id=True)
    with pytest.raises(pl.exceptions.ComputeError, match=r'column "source" is .*chunk_id needs'):
        lazy.collect_schema()
