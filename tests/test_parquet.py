"""Parquet to Parquet: the same rows, whole files or none, bounded memory."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tokenchunk as tc
from conftest import Rows, Script

OPTIONS: dict[str, Any] = {"max_tokens": 16, "overlap": 0.2}


@pytest.fixture
def source_file(documents: Rows, tmp_path: Path) -> Path:
    path = tmp_path / "docs.parquet"
    pq.write_table(pa.Table.from_pylist(documents), path)
    return path


def invalid_utf8(rows: int, bad: int) -> pa.Table:
    """A table whose text column is not valid UTF-8 in one row; pyarrow writes and reads it without a look."""
    values = [b"A good sentence is here."] * rows
    values[bad] = b"secret \xff bytes"
    offsets, data = [0], b""
    for value in values:
        data += value
        offsets.append(len(data))
    buffers = [None, pa.py_buffer(pa.array(offsets, pa.int32()).buffers()[1]), pa.py_buffer(data)]
    return pa.table({"source": range(rows), "text": pa.Array.from_buffers(pa.string(), rows, buffers)})


def test_rows_schema_and_summary(source_file: Path, no_leftovers: Path, expected: Rows, documents: Rows) -> None:
    target = no_leftovers / "chunks.parquet"
    summary = tc.chunk_parquet(source_file, target, **OPTIONS)
    assert pq.read_table(target).to_pylist() == expected
    assert pl.read_parquet(target).to_dicts() == expected
    texts = [document["text"] for document in documents]
    assert summary.documents == len(documents)
    assert summary.empty == sum(1 for text in texts if text is None or not text.strip())
    assert summary.chunks == len(expected)
    assert summary.tokens == sum(row["token_count"] for row in expected)
    assert summary.bytes == sum(len((text or "").encode()) for text in texts)
    assert summary.seconds > 0


def test_the_file_tells_its_configuration(source_file: Path, tmp_path: Path) -> None:
    tc.chunk_parquet(source_file, tmp_path / "out.parquet", **OPTIONS)
    file = pq.ParquetFile(tmp_path / "out.parquet")
    config = tc.ChunkConfig(**OPTIONS)
    assert file.metadata.metadata[b"tokenchunk.fingerprint"].decode() == config.fingerprint
    assert tc.ChunkConfig.from_json(file.metadata.metadata[b"tokenchunk.config"].decode()) == config
    assert file.metadata.metadata[b"tokenchunk.version"].decode() == tc.__version__
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize("batch_bytes", [1, 1000, 1 << 30])
@pytest.mark.parametrize("row_group_size", [1, 5, 1000])
def test_batches_and_row_groups_do_not_change_rows(
    documents: Rows, expected: Rows, tmp_path: Path, batch_bytes: int, row_group_size: int
) -> None:
    pq.write_table(pa.Table.from_pylist(documents), tmp_path / "in.parquet", row_group_size=row_group_size)
    tc.chunk_parquet(tmp_path / "in.parquet", tmp_path / "out.parquet", batch_bytes=batch_bytes, **OPTIONS)
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == expected


@pytest.mark.parametrize("dtype", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_text_types(documents: Rows, expected: Rows, tmp_path: Path, dtype: pa.DataType) -> None:
    table = pa.Table.from_pylist(documents)
    text = table["text"].combine_chunks()
    text = text.dictionary_encode() if pa.types.is_dictionary(dtype) else text.cast(dtype)
    pq.write_table(table.set_column(1, "text", text), tmp_path / "in.parquet")
    tc.chunk_parquet(tmp_path / "in.parquet", tmp_path / "out.parquet", **OPTIONS)
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == expected


def test_a_file_written_by_polars(documents: Rows, expected: Rows, tmp_path: Path) -> None:
    pl.DataFrame(documents).write_parquet(tmp_path / "in.parquet")
    tc.chunk_parquet(tmp_path / "in.parquet", tmp_path / "out.parquet", **OPTIONS)
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == expected


def test_kept_columns_and_ids(documents: Rows, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([document | {"tags": ["a"], "skip": 1} for document in documents])
    pq.write_table(table, tmp_path / "in.parquet")
    tc.chunk_parquet(tmp_path / "in.parquet", tmp_path / "out.parquet", keep=["tags"], chunk_id=True, **OPTIONS)
    expected = tc.Chunker(**OPTIONS).chunk_table(table, keep=["tags"], chunk_id=True)
    assert pq.read_table(tmp_path / "out.parquet").equals(expected)


@pytest.mark.parametrize("texts", [[], [None, ""]])
def test_no_chunks_make_a_file_of_the_same_schema(tmp_path: Path, texts: list[str | None]) -> None:
    table = pa.table({"source": pa.array(range(len(texts)), pa.int64()), "text": pa.array(texts, pa.string())})
    pq.write_table(table, tmp_path / "in.parquet")
    summary = tc.chunk_parquet(tmp_path / "in.parquet", tmp_path / "out.parquet")
    assert (summary.documents, summary.empty, summary.chunks) == (len(texts), len(texts), 0)
    assert pq.read_table(tmp_path / "out.parquet").schema.names == [
        "content",
        "source",
        "chunk_index",
        "token_count",
        "char_start",
        "char_end",
    ]


def test_row_groups_are_bounded_in_bytes(tmp_path: Path) -> None:
    text = "The pump moved, then stopped. " * 2000
    pq.write_table(pa.table({"source": range(400), "text": [text] * 400}), tmp_path / "in.parquet")
    tc.chunk_parquet(tmp_path / "in.parquet", tmp_path / "out.parquet", max_tokens=512, overlap=200)
    metadata = pq.ParquetFile(tmp_path / "out.parquet").metadata
    sizes = [metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)]
    assert metadata.num_row_groups > 1
    assert max(sizes) < 128 << 20


def test_progress_is_told_and_rises(documents: Rows, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(documents), tmp_path / "in.parquet", row_group_size=3)
    told: list[tuple[int, int, int]] = []
    summary = tc.chunk_parquet(
        tmp_path / "in.parquet", tmp_path / "out.parquet", batch_bytes=500, progress=lambda *done: told.append(done)
    )
    assert len(told) > 1
    assert all(a <= b for one, two in pairwise(told) for a, b in zip(one, two, strict=True))
    assert told[-1] == (summary.documents, summary.chunks, summary.bytes)


# several files


@pytest.fixture
def folder(documents: Rows, tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "deep").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    table = pa.Table.from_pylist(documents)
    pq.write_table(table.slice(0, 5), folder / "a.parquet")
    pq.write_table(table.slice(5), folder / "deep" / "b.parquet")
    for name in ("_temporary.parquet", ".c.parquet", ".hidden/d.parquet", "readme.txt"):
        (folder / name).write_text("not a document")
    return folder


def test_a_folder_gives_one_file_per_input(folder: Path, no_leftovers: Path, expected: Rows) -> None:
    summary = tc.chunk_parquet(folder, no_leftovers / "chunks", **OPTIONS)
    files = sorted(path.relative_to(no_leftovers) for path in no_leftovers.rglob("*") if path.is_file())
    assert files == [Path("chunks/a.parquet"), Path("chunks/deep/b.parquet")]
    assert [row for file in files for row in pq.read_table(no_leftovers / file).to_pylist()] == expected
    assert summary.chunks == len(expected)


def test_a_pattern_gives_one_file(folder: Path, no_leftovers: Path, expected: Rows) -> None:
    tc.chunk_parquet(f"{folder}/**/[ab].parquet", no_leftovers / "all.parquet", **OPTIONS)
    assert pq.read_table(no_leftovers / "all.parquet").to_pylist() == expected


def test_a_slash_asks_for_one_file_per_input(folder: Path, no_leftovers: Path) -> None:
    tc.chunk_parquet([folder / "a.parquet", f"{folder}/deep/*.parquet"], f"{no_leftovers}/new/", **OPTIONS)
    assert sorted(path.name for path in (no_leftovers / "new").iterdir()) == ["a.parquet", "b.parquet"]


def test_inputs_of_one_output_must_agree(tmp_path: Path, no_leftovers: Path) -> None:
    pq.write_table(pa.table({"source": [1], "text": ["a"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"source": ["1"], "text": ["a"]}), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"2.parquet: its columns differ .*source: string"):
        tc.chunk_parquet(f"{tmp_path}/*.parquet", no_leftovers / "out.parquet")
    assert list(no_leftovers.iterdir()) == []


# whole or not at all


@pytest.mark.parametrize("old", [None, b"an older file"])
def test_invalid_utf8_names_file_column_and_row_and_leaves_nothing(
    tmp_path: Path, no_leftovers: Path, old: bytes | None
) -> None:
    pq.write_table(invalid_utf8(5000, 4321), tmp_path / "in.parquet", row_group_size=1000)
    target = no_leftovers / "out.parquet"
    if old is not None:
        target.write_bytes(old)
    with pytest.raises(ValueError, match=r'in.parquet: column "text", row 4321: not valid UTF-8 at byte 7') as raised:
        tc.chunk_parquet(tmp_path / "in.parquet", target, batch_bytes=10_000)
    assert "secret" not in str(raised.value)
    assert (target.read_bytes() if target.exists() else None) == old
    assert [path.name for path in no_leftovers.iterdir()] == ([] if old is None else ["out.parquet"])


def test_invalid_utf8_in_memory() -> None:
    table = invalid_utf8(10, 7)
    with pytest.raises(ValueError, match=r'column "text", row 7: not valid UTF-8'):
        tc.Chunker().chunk_table(table)
    assert tc.Chunker().chunk_table(table.slice(0, 7)).num_rows == 7
    with pytest.raises(pl.exceptions.ComputeError, match=r'column "text", row 7: not valid UTF-8'):
        pl.DataFrame(table).select(tc.chunk("text"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_an_interrupted_job_leaves_nothing(source_file: Path, no_leftovers: Path, error: type[BaseException]) -> None:
    def interrupt(*_: int) -> None:
        raise error

    with pytest.raises(error):
        tc.chunk_parquet(source_file, no_leftovers / "out.parquet", progress=interrupt)
    assert list(no_leftovers.iterdir()) == []


def test_a_folder_keeps_the_files_that_were_whole(tmp_path: Path, no_leftovers: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    pq.write_table(pa.table({"source": [1], "text": ["Good."]}), folder / "1.parquet")
    pq.write_table(invalid_utf8(3, 1), folder / "2.parquet")
    with pytest.raises(ValueError, match=r"2\.parquet"):
        tc.chunk_parquet(folder, no_leftovers)
    assert [path.name for path in no_leftovers.iterdir()] == ["1.parquet"]


def test_the_file_has_the_usual_permissions(source_file: Path, tmp_path: Path) -> None:
    tc.chunk_parquet(source_file, tmp_path / "out.parquet", **OPTIONS)
    (tmp_path / "usual").touch()
    assert (tmp_path / "out.parquet").stat().st_mode == (tmp_path / "usual").stat().st_mode


# refused before any output


def test_wrong_inputs_are_refused(tmp_path: Path, no_leftovers: Path, source_file: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 this is not Parquet PAR1")
    (tmp_path / "empty.parquet").touch()
    (tmp_path / "nothing").mkdir()
    pq.write_table(pa.table({"source": [1], "text": [["a"]]}), tmp_path / "nested.parquet")
    pq.write_table(pa.table({"source": [1], "text": [1]}), tmp_path / "numbers.parquet")
    pq.write_table(pa.table({"id": [1], "text": ["a"]}), tmp_path / "other.parquet")
    cases: list[tuple[Any, type[Exception], str]] = [
        ("broken.parquet", ValueError, "broken.parquet: cannot be read as Parquet"),
        ("empty.parquet", ValueError, "empty.parquet: cannot be read as Parquet"),
        ("nested.parquet", ValueError, "nested.parquet: text column 'text' is list"),
        ("numbers.parquet", ValueError, "numbers.parquet: text column 'text' is int64"),
        ("other.parquet", ValueError, "other.parquet: source column 'source' is missing"),
        ("absent.parquet", FileNotFoundError, "absent.parquet' does not exist"),
        ("absent-*.parquet", FileNotFoundError, "matches no file"),
        ("nothing", FileNotFoundError, "has no .parquet file"),
    ]
    for name, error, message in cases:
        with pytest.raises(error, match=message):
            tc.chunk_parquet([source_file, tmp_path / name], f"{no_leftovers}/")
        assert list(no_leftovers.iterdir()) == []
    with pytest.raises(ValueError, match="inputs is empty"):
        tc.chunk_parquet([], no_leftovers / "out.parquet")


def test_wrong_outputs_are_refused(source_file: Path, no_leftovers: Path, folder: Path) -> None:
    before = source_file.read_bytes()
    cases: list[tuple[Any, Any, str]] = [
        (source_file, no_leftovers, "is a folder"),
        (source_file, source_file, "is also an input"),
        (source_file, f"{source_file.parent}/", "is also an input"),
        (source_file, f"{no_leftovers}/../docs.parquet", "is also an input"),
        (source_file, no_leftovers / "absent" / "out.parquet", "does not exist"),
        (folder, source_file, "is a file"),
        (folder, folder, "is also an input"),
        ([source_file, source_file], f"{no_leftovers}/", "would both be written"),
    ]
    for inputs, output, message in cases:
        with pytest.raises(ValueError, match=message):
            tc.chunk_parquet(inputs, output)
    assert source_file.read_bytes() == before
    assert list(no_leftovers.iterdir()) == []


@pytest.mark.parametrize(
    ("batch_bytes", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_wrong_batch_bytes_are_refused(
    source_file: Path, tmp_path: Path, batch_bytes: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match="batch_bytes"):
        tc.chunk_parquet(source_file, tmp_path / "out.parquet", batch_bytes=batch_bytes)


# memory

MEASURE = """
import resource, sys, tokenchunk
tokenchunk.chunk_parquet(sys.argv[1], sys.argv[2], max_tokens=512, overlap=64)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def giant_row_group(path: Path, megabytes: int) -> None:
    import random

    draw = random.Random(7)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(5000)]
    texts = [" ".join(draw.choices(words, k=1700)) for _ in range(64)]
    table = pa.table({"source": range(len(texts)), "text": texts})
    repeated = pa.concat_tables([table] * (megabytes * 1_000_000 // table.nbytes))
    pq.write_table(repeated, path, row_group_size=repeated.num_rows, use_dictionary=False)


@pytest.mark.skipif(os.name != "posix", reason="measures the resident set as Linux reports it")
def test_memory_does_not_grow_with_the_input(tmp_path: Path, run_python: Script) -> None:
    peaks = []
    for megabytes in (30, 300):
        giant_row_group(tmp_path / "in.parquet", megabytes)
        done = run_python(MEASURE, tmp_path / "in.parquet", tmp_path / "out.parquet")
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
    assert peaks[1] - peaks[0] < 64, peaks
