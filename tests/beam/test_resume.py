"""What a killed or repeated job finds, does again, and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tokenchunk as tc
from beam.support import Row, collect, file_hashes, parquet_rows, rows_hash, write_corpus
from tokenchunk.beam import ChunkParquet, UnitResult

OPTIONS: dict[str, Any] = {"max_tokens": 64, "overlap": 8, "overlap_side": "before"}


def run(source: Path, output: Path, **options: Any) -> list[UnitResult]:
    results: list[UnitResult] = collect(
        lambda pipeline: pipeline | ChunkParquet(str(source), str(output), **(OPTIONS | options))
    )
    return sorted(results)


def test_a_file_per_row_group_and_a_manifest(source_file: Path, tmp_path: Path, expected: list[Row]) -> None:
    output = tmp_path / "out"
    results = run(source_file, output)
    assert len(results) == pq.ParquetFile(source_file).num_row_groups == len(list(output.glob("*.parquet")))
    assert sum(result.chunks for result in results) == len(expected)
    manifest = json.loads((output / "_manifest.json").read_text())
    config = tc.ChunkConfig(**OPTIONS)
    assert (manifest["fingerprint"], manifest["config"]) == (config.fingerprint, config.to_dict())
    assert [UnitResult(**unit) for unit in manifest["units"]] == sorted(results, key=lambda result: result.output)


def test_files_say_what_they_are(source_file: Path, tmp_path: Path) -> None:
    [first, *_] = run(source_file, tmp_path / "out")
    file = pq.ParquetFile(first.output)
    metadata = file.metadata.metadata
    config = tc.ChunkConfig(**OPTIONS)
    assert metadata[b"tokenchunk.fingerprint"].decode() == config.fingerprint
    assert tc.ChunkConfig.from_json(metadata[b"tokenchunk.config"].decode()) == config
    assert metadata[b"tokenchunk.version"].decode() == tc.__version__
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_finished_units_are_not_done_again(source_file: Path, tmp_path: Path, expected: list[Row]) -> None:
    output = tmp_path / "out"
    first = run(source_file, output)
    hashes = file_hashes(output)
    Path(first[0].output).unlink()
    Path(first[3].output).unlink()
    (output / "_manifest.json").unlink()
    (output / f".{Path(first[0].output).name}.0a1b.tmp").write_bytes(b"half a fi")  # what a kill leaves
    kept = {path: path.stat().st_mtime_ns for path in output.glob("*.parquet")}
    second = run(source_file, output, resume=True)
    assert [result.finished_before for result in second] == [i not in (0, 3) for i in range(len(second))]
    assert [result._replace(finished_before=False) for result in second] == first
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())
    assert file_hashes(output) == hashes
    assert rows_hash(parquet_rows(output)) == rows_hash(expected)
    assert rows_hash(pq.read_table(output).to_pylist()) == rows_hash(expected)
    assert (output / "_manifest.json").exists()


def test_a_new_row_group_of_the_input_is_done(tmp_path: Path, documents: list[Row]) -> None:
    run(write_corpus(tmp_path / "in" / "a.parquet", documents[:10]), tmp_path / "out")
    write_corpus(tmp_path / "in" / "b.parquet", documents[10:20])
    results = run(tmp_path / "in" / "*.parquet", tmp_path / "out", resume=True)
    assert [(Path(result.path).name, result.finished_before) for result in results] == [
        ("a.parquet", True), ("a.parquet", True), ("b.parquet", False), ("b.parquet", False)
    ]  # fmt: skip


def test_an_input_that_changed_is_done_again(tmp_path: Path, documents: list[Row]) -> None:
    source = write_corpus(tmp_path / "in.parquet", documents[10:20])
    run(source, tmp_path / "out")
    changed = [row | {"text": "Changed."} for row in documents[10:20]]
    write_corpus(source, changed)
    results = run(source, tmp_path / "out", resume=True)
    assert not any(result.finished_before for result in results)
    assert {row["content"] for row in parquet_rows(tmp_path / "out")} == {"Changed."}


@pytest.mark.parametrize("changed", [{"max_tokens": 65}, {"chunk_id": True}, {"keep": []}, {"max_document_bytes": 9}])
def test_another_configuration_is_refused_before_any_work(changed: Any, source_file: Path, tmp_path: Path) -> None:
    run(source_file, tmp_path / "out")
    hashes = file_hashes(tmp_path / "out")
    with pytest.raises(ValueError, match=r"was written with .* this job has .* resume with the same parameters"):
        run(source_file, tmp_path / "out", resume=True, **changed)
    assert file_hashes(tmp_path / "out") == hashes


def test_files_of_an_earlier_job_are_not_mixed_with_new_ones(source_file: Path, tmp_path: Path) -> None:
    run(source_file, tmp_path / "out")
    with pytest.raises(ValueError, match=r"has files of an earlier job.* resume=True"):
        run(source_file, tmp_path / "out")


def test_files_of_somebody_else_are_refused(source_file: Path, tmp_path: Path) -> None:
    write_corpus(tmp_path / "out" / "part-0.parquet", [])
    with pytest.raises(ValueError, match="was written with nothing that this job knows"):
        run(source_file, tmp_path / "out", resume=True)


def test_a_failed_unit_leaves_no_file(tmp_path: Path) -> None:
    text = pa.array([b"Good.", b"bad \xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"source": ["a", "b"], "text": text}), tmp_path / "in.parquet")
    with pytest.raises(Exception, match="document 'b'"):
        run(tmp_path / "in.parquet", tmp_path / "out")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


def test_a_unit_without_chunks_has_a_file_with_the_columns(tmp_path: Path, documents: list[Row]) -> None:
    empty = [row | {"text": None} for row in documents[:3]]
    [result] = run(write_corpus(tmp_path / "in.parquet", empty), tmp_path / "out")
    assert result.chunks == 0
    assert pq.read_table(result.output).num_rows == 0
    assert pq.read_table(result.output).schema.names[-2:] == ["year", "lang"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "body"}, "in.parquet: text column 'body' is missing"),
        ({"text": "year"}, "in.parquet: text column 'year' is int64; expected"),
        ({"keep": ["nope"]}, "in.parquet: keep column 'nope' is missing"),
    ],
)
def test_a_wrong_column_is_named_with_its_file(
    options: Any, message: str, tmp_path: Path, documents: list[Row]
) -> None:
    source = write_corpus(tmp_path / "in.parquet", documents[:3])
    with pytest.raises(Exception, match=message):
        run(source, tmp_path / "out", **options)


def test_a_file_that_two_patterns_match_is_done_once(source_file: Path, tmp_path: Path, expected: list[Row]) -> None:
    patterns = [str(source_file), f"{source_file.parent}/*.parquet"]
    results = collect(lambda pipeline: pipeline | ChunkParquet(patterns, str(tmp_path / "out"), **OPTIONS))
    assert sum(result.chunks for result in results) == len(expected)


def test_no_input_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="nothing-here"):
        run(tmp_path / "nothing-here-*.parquet", tmp_path / "out")


def test_what_is_no_parquet_is_named(tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_text("no Parquet")
    with pytest.raises(Exception, match=r"in\.parquet: cannot be read as Parquet"):
        run(tmp_path / "in.parquet", tmp_path / "out")


def test_memory_does_not_grow_with_the_row_group(tmp_path: Path) -> None:
    """A row group of 256 MB, in a process that may not hold it."""
    schema = pa.schema({"source": pa.int64(), "text": pa.string()})
    text = "The pump moved 3.5 litres, then stopped. Nobody knew why! " * 2000
    with pq.ParquetWriter(tmp_path / "in.parquet", schema, compression="zstd", use_dictionary=False) as writer:
        rows = pa.table({"source": list(range(2300)), "text": [text] * 2300}, schema)
        writer.write_table(rows, row_group_size=2300)
    script = f"""
import resource, pathlib
from tokenchunk.beam import ChunkParquet
from beam.support import collect
warm, big = (lambda source: collect(lambda p: p | ChunkParquet(source, source + "-out", overlap=0)) for _ in "ab")
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
warm({str(tmp_path / "small.parquet")!r}); before = peak()
big({str(tmp_path / "in.parquet")!r})
print(peak() - before)
"""
    pq.write_table(rows.slice(0, 230), tmp_path / "small.parquet", compression="zstd", use_dictionary=False)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) < 100  # MiB more, for an input ten times as large
