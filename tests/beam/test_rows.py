"""What rows look like: types, kept fields, windows, what a sink makes of them."""

from __future__ import annotations

import typing
from pathlib import Path
from typing import Any, NamedTuple

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
from apache_beam.io import WriteToParquet
from apache_beam.transforms.window import FixedWindows, TimestampedValue
from apache_beam.typehints.row_type import RowTypeConstraint

from beam.pages import Page
from beam.support import IN_MEMORY, collect
from tokenchunk.beam import CHUNK_SCHEMA, ChunkDocuments, ChunkDoFn, ChunkRow
from tokenchunk.beam._schema import fields_of

TEXT = "One. Two. Three. Four. Five. Six."


class LatePage(NamedTuple):
    """The same with types that are still strings, as this module's are."""

    source: int
    text: str | None
    title: str | None


PAGES = [Page(1, TEXT, "T"), Page(2, None, "empty"), Page(3, "Seven.", None)]
WANTED = [(1, 0, "T"), (1, 1, "T"), (1, 2, "T"), (3, 0, None)]


def named_tuples(pipeline: beam.Pipeline) -> Any:
    return pipeline | beam.Create(PAGES)


def late_named_tuples(pipeline: beam.Pipeline) -> Any:
    return pipeline | beam.Create([LatePage(*page) for page in PAGES])


def beam_rows(pipeline: beam.Pipeline) -> Any:
    row_type = RowTypeConstraint.from_fields(list(Page.__annotations__.items()))
    return pipeline | beam.Create([beam.Row(**page._asdict()) for page in PAGES]).with_output_types(row_type)


@pytest.mark.parametrize("make", [named_tuples, late_named_tuples, beam_rows])
def test_documents_with_a_schema_keep_their_fields_and_types(make: Any) -> None:
    types: dict[str, Any] = {}

    def build(pipeline: beam.Pipeline) -> Any:
        chunks = make(pipeline) | ChunkDocuments(max_tokens=4, overlap=0, chunk_id=True)
        types.update(fields_of(chunks.element_type) or {})
        return chunks | beam.Reshuffle()  # through the row coder

    rows = collect(build)
    assert sorted((row.source, row.chunk_index, row.title) for row in rows) == WANTED
    assert all(len(row.chunk_id) == 32 for row in rows)
    assert list(types) == [*ChunkRow._fields, "chunk_id", "title"]
    assert (types["source"], types["token_count"], types["title"]) == (int, int, str | None)


def test_dicts_give_chunk_rows() -> None:
    pipeline = beam.Pipeline(argv=[IN_MEMORY])
    chunks = pipeline | beam.Create([{"source": "a", "text": TEXT}]) | ChunkDocuments()
    assert chunks.element_type is ChunkRow


def test_kept_fields_of_dicts_are_there_in_every_row_and_shared_by_none() -> None:
    documents: list[dict[str, Any]] = [
        {"source": "m1", "text": "One. Two. Three. Four.", "tags": ["x"], "page": 1},
        {"source": "m2", "text": "Six.", "page": None},
    ]
    fn = ChunkDoFn(max_tokens=4, overlap=0, keep=["tags", "page"])
    fn.setup()
    rows = [row for document in documents for row in fn.process(document)]
    assert [(row.source, row.tags, row.page) for row in rows[:-1]] == [("m1", ["x"], 1)] * (len(rows) - 1)
    assert (rows[-1].source, rows[-1].tags, rows[-1].page) == ("m2", None, None)
    rows[0].tags.append("changed")
    assert rows[1].tags == documents[0]["tags"] == ["x"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "body"}, "text column 'body' is missing; the columns are 'source', 'text', 'title'"),
        ({"source": "id"}, "source column 'id' is missing"),
        ({"keep": ["year"]}, "keep column 'year' is missing"),
        ({"text": "source", "source": "text"}, "text field 'source' is int; expected str or str"),
    ],
)
def test_a_field_that_the_schema_lacks_is_refused_when_applied(options: dict[str, Any], message: str) -> None:
    pages = beam.Pipeline(argv=[IN_MEMORY]) | beam.Create(PAGES)
    with pytest.raises(ValueError, match=message):
        _ = pages | ChunkDocuments(**options)


def test_windows_and_timestamps_stay() -> None:
    documents = [TimestampedValue({"source": f"t{at}", "text": TEXT}, at) for at in (1, 11, 12)]

    class Stamp(beam.DoFn):
        def process(
            self, row: ChunkRow, at: Any = beam.DoFn.TimestampParam, window: Any = beam.DoFn.WindowParam
        ) -> typing.Iterator[tuple[str, float, float]]:
            yield row.source, float(at), float(window.start)

    stamps = collect(
        lambda pipeline: (
            pipeline
            | beam.Create(documents)
            | beam.Map(lambda document: document)
            | beam.WindowInto(FixedWindows(10))
            | ChunkDocuments(max_tokens=8, overlap=0)
            | beam.ParDo(Stamp())
        )
    )
    assert set(stamps) == {("t1", 1.0, 0.0), ("t11", 11.0, 10.0), ("t12", 12.0, 10.0)}


@pytest.mark.parametrize("schema", [None, CHUNK_SCHEMA], ids=["inferred", "given"])
def test_beams_parquet_sink_takes_the_rows(schema: Any, tmp_path: Path) -> None:
    documents = [{"source": "full", "text": TEXT}, {"source": "other", "text": "Other text."}]
    with beam.Pipeline(argv=[IN_MEMORY]) as pipeline:
        chunks = pipeline | beam.Create(documents) | ChunkDocuments(max_tokens=8, overlap=0)
        if schema is not None:
            chunks = chunks | beam.Map(lambda row: row._asdict())
        _ = chunks | WriteToParquet(str(tmp_path / "chunks"), schema, file_name_suffix=".parquet")
    [path] = tmp_path.glob("*.parquet")
    table = pq.read_table(path)
    assert table.schema.equals(CHUNK_SCHEMA)
    assert table.num_rows > 2


def test_kept_fields_with_types_reach_a_sink(tmp_path: Path) -> None:
    documents = [{"source": "full", "text": TEXT, "year": 2020}, {"source": "bare", "text": "Other text."}]
    with beam.Pipeline(argv=[IN_MEMORY]) as pipeline:
        chunks = pipeline | beam.Create(documents) | ChunkDocuments(keep={"year": int | None})
        _ = chunks | WriteToParquet(str(tmp_path / "chunks"), file_name_suffix=".parquet")
    [path] = tmp_path.glob("*.parquet")
    assert {(row["source"], row["year"]) for row in pq.read_table(path).to_pylist()} == {("full", 2020), ("bare", None)}


def test_rows_do_not_depend_on_neighbours_or_attempts() -> None:
    """The same document under two names, twice under one, in any order, gives the same rows each time."""
    document = "Same line.\nSame line.\nSame line.\n" * 10
    documents = [{"source": name, "text": document} for name in ("a.txt", "b.txt", "a.txt")]

    def ids(order: list[dict[str, str]]) -> list[tuple[str, int, str]]:
        transform = ChunkDocuments(max_tokens=8, overlap=0, chunk_id=True)
        rows = collect(lambda pipeline: pipeline | beam.Create(order, reshuffle=False) | transform)
        return sorted((row.source, row.chunk_index, row.chunk_id) for row in rows)

    found = ids(documents)
    assert found == ids(documents[::-1])
    per_document = len(found) // 3
    assert len({chunk_id for _, _, chunk_id in found}) == 2 * per_document
