"""The job gives the same files on every runner: one process, several, bundles tried twice, the portable protocol."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest

from beam.ports import free_port, wait_for_port
from beam.probe import pids, report_pid
from beam.support import IN_MEMORY, Row, file_hashes, parquet_rows, rows_hash
from tokenchunk.beam import ChunkParquet

OPTIONS: dict[str, Any] = {"max_tokens": 64, "overlap": 8, "overlap_side": "before"}


@pytest.fixture(scope="module")
def wanted(source_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    output = tmp_path_factory.mktemp("wanted") / "out"
    run(source_file, output, [IN_MEMORY])
    return file_hashes(output)


def run(source: Path, output: Path, argv: list[str]) -> None:
    with beam.Pipeline(argv=argv) as pipeline:
        results = pipeline | ChunkParquet(str(source), str(output), **OPTIONS)
        _ = results | beam.Map(report_pid, str(output.with_name("pids")))


@pytest.fixture
def portable_runner() -> Iterator[list[str]]:
    """Beam's own job service, and workers from a pool: the way of Flink and Spark, without Java."""
    pool, job = free_port(), free_port()
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    services = [
        subprocess.Popen([sys.executable, "-m", module, *options], env=environment, stdout=subprocess.DEVNULL)
        for module, *options in [
            ("apache_beam.runners.worker.worker_pool_main", f"--service_port={pool}"),
            ("apache_beam.runners.portability.local_job_service_main", f"--port={job}"),
        ]
    ]
    try:
        wait_for_port(pool)
        wait_for_port(job)
        yield [
            "--runner=PortableRunner",
            f"--job_endpoint=localhost:{job}",
            "--environment_type=EXTERNAL",
            f"--environment_config=localhost:{pool}",
        ]
    finally:
        for service in services:
            service.terminate()
            service.wait(20)


def test_bundles_tried_twice(source_file: Path, tmp_path: Path, wanted: dict[str, str]) -> None:
    run(source_file, tmp_path / "out", [IN_MEMORY, "--direct_runner_bundle_repeat=1"])
    assert file_hashes(tmp_path / "out") == wanted
    assert not list((tmp_path / "out").glob(".*"))


def test_two_processes(source_file: Path, tmp_path: Path, wanted: dict[str, str], expected: list[Row]) -> None:
    run(source_file, tmp_path / "out", [IN_MEMORY, "--direct_running_mode=multi_processing", "--direct_num_workers=2"])
    assert file_hashes(tmp_path / "out") == wanted
    assert rows_hash(parquet_rows(tmp_path / "out")) == rows_hash(expected)
    workers = pids(tmp_path / "pids")
    assert len(workers) == 2
    assert os.getpid() not in workers


def test_portable_runner(source_file: Path, tmp_path: Path, wanted: dict[str, str], portable_runner: list[str]) -> None:
    run(source_file, tmp_path / "out", portable_runner)
    assert file_hashes(tmp_path / "out") == wanted
    assert os.getpid() not in pids(tmp_path / "pids")


def test_the_job_as_a_script(source_file: Path, tmp_path: Path, wanted: dict[str, str]) -> None:
    job = Path(__file__).parents[2] / "pipelines" / "chunk_parquet_beam.py"
    command = [sys.executable, str(job), f"--input={source_file}", f"--output={tmp_path / 'out'}", IN_MEMORY]
    command += ["--max_tokens=64", "--overlap=8", "--overlap_side=before"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert file_hashes(tmp_path / "out") == wanted
    again = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=False, timeout=120)
    assert again.returncode == 0, again.stderr
    assert file_hashes(tmp_path / "out") == wanted
