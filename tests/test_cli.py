"""The command line: the same rows, exit codes, no traceback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tokenchunk as tc
from conftest import Rows

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run() -> Run:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tokenchunk", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    return run


@pytest.fixture
def source_file(documents: Rows, tmp_path: Path) -> Path:
    path = tmp_path / "docs.parquet"
    pq.write_table(pa.Table.from_pylist(documents), path)
    return path


def test_it_writes_the_rows_and_says_what_it_did(run: Run, source_file: Path, expected: Rows, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    done = run("chunk", source_file, "-o", target, "--max-tokens", "16", "--overlap", "0.2")
    assert (done.returncode, done.stderr) == (0, "")
    assert pq.read_table(target).to_pylist() == expected
    assert f"{len(expected)} chunks" in done.stdout.replace(",", "")
    assert str(target) in done.stdout


def test_options_reach_the_job(run: Run, source_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    options = ["--max-tokens", "20", "--overlap", "4", "--overlap-side", "before", "--model", "gpt-4o"]
    done = run(
        "chunk", source_file, "--output", target, *options, "--chunk-id", "--no-keep", "--quiet", "--batch-mb", "1"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    chunker = tc.Chunker(max_tokens=20, overlap=4, overlap_side="before", encoding="o200k_base")
    assert pq.read_table(target).equals(chunker.chunk_table(pq.read_table(source_file), keep=[], chunk_id=True))


def test_several_inputs_and_kept_columns(run: Run, source_file: Path, tmp_path: Path) -> None:
    done = run("chunk", source_file, f"{tmp_path}/do*.parquet", "-o", tmp_path / "out.parquet", "--keep", "year")
    assert done.returncode == 0
    assert "year" in pq.read_schema(tmp_path / "out.parquet").names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-tokens", "3"], "max_tokens must be from 4"),
        (["--max-tokens", "many"], "max-tokens"),
        (["--overlap", "0.7"], "overlap as a share"),
        (["--overlap", "much"], "overlap must be a number"),
        (["--overlap-side", "after"], "overlap_side"),
        (["--encoding", "nope"], "unknown encoding 'nope'"),
        (["--encoding", "gpt2", "--model", "gpt-4o"], "not both"),
        (["--keep", "year", "--no-keep"], "not both"),
        (["--no-such-option"], "no-such-option"),
        (["--batch-mb", "0"], "batch-mb"),
    ],
)
def test_wrong_usage_is_2(run: Run, source_file: Path, tmp_path: Path, arguments: list[str], message: str) -> None:
    done = run("chunk", source_file, "-o", tmp_path / "out.parquet", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out.parquet").exists()


def test_failed_input_is_1(run: Run, source_file: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"nothing")
    cases = {
        "broken.parquet": "cannot be read as Parquet",
        "absent.parquet": "does not exist",
        "absent-*.parquet": "matches no file",
    }
    for name, message in cases.items():
        done = run("chunk", tmp_path / name, "-o", tmp_path / "out.parquet")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("tokenchunk: ")
        assert message in done.stderr
        assert "Traceback" not in done.stderr
    done = run("chunk", source_file, "-o", tmp_path / "out.parquet", "--text", "body")
    assert (done.returncode, "text column 'body' is missing" in done.stderr) == (1, True)


def test_help_and_version(run: Run) -> None:
    assert run("--version").stdout == f"tokenchunk {tc.__version__}\n"
    assert "chunk" in run("--help").stdout
    assert "--max-tokens" in run("chunk", "--help").stdout
    assert run().returncode == 2


def test_the_polars_pipeline(source_file: Path, tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "pipelines" / "chunk_parquet_polars.py"
    command = [sys.executable, str(script), str(source_file), str(tmp_path / "out.parquet"), "--max-tokens", "16"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    expected = tc.Chunker(max_tokens=16).chunk_table(pq.read_table(source_file), chunk_id=True)
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == expected.to_pylist()
