"""On a real cluster: a Flink JobManager and TaskManagers as processes of their own, and Python workers from a pool.

Run with `pytest -c tests/beam/pytest.ini -m engine tests/beam/test_engine.py`. Skipped, with the reason, where a part
of the engine is not to be had.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from beam.engine.cluster import DIES_WITH_US, FlinkCluster
from beam.engine.parts import Parts, UnavailableError, fetch
from beam.ports import wait_until
from beam.probe import pids
from beam.support import Row, parquet_rows, rows_hash

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def parts() -> Parts:
    try:
        return fetch()
    except UnavailableError as reason:
        pytest.skip(f"no Flink here: {reason}")


@pytest.fixture(scope="module")
def cluster(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlinkCluster]:
    """One for all tests, since it takes a while to start: three TaskManagers, of which a test kills one."""
    with FlinkCluster(parts, tmp_path_factory.mktemp("cluster"), task_managers=3) as cluster:
        yield cluster


class Job:
    """The slow job in a process of its own."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.output, self._pids = folder / "out", folder / "pids"
        self._command = [sys.executable, "-m", "beam.engine.slow_job", f"--input={source}", f"--output={self.output}"]
        self._command += [f"--pids={self._pids}"]
        self._log = folder / "job.log"

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            return subprocess.Popen([*DIES_WITH_US, *self._command, *options], stdout=log, stderr=subprocess.STDOUT)

    def finish(self, process: subprocess.Popen[bytes]) -> None:
        assert process.wait(240) == 0, self._log.read_text()[-3000:]

    def units_done(self) -> int:
        return len(list(self.output.glob("*.parquet")))

    def pids(self) -> set[int]:
        return pids(self._pids)

    def kill_workers(self) -> None:
        """They would end by themselves, but might finish a unit before."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def job(source_file: Path, tmp_path: Path) -> Job:
    return Job(source_file, tmp_path)


def test_two_task_managers_do_the_work(cluster: FlinkCluster, job: Job, expected: list[Row]) -> None:
    process = job.start(*cluster.options)
    job.finish(process)
    assert rows_hash(parquet_rows(job.output)) == rows_hash(expected)
    [flink_job] = cluster.rest("/jobs")["jobs"]
    tasks = cluster.tasks(flink_job["id"], "Report")
    print(f"\nrecords read by each TaskManager: {tasks}; worker processes: {job.pids()}")
    assert flink_job["status"] == "FINISHED"
    assert len([records for records in tasks.values() if records > 0]) == 2
    assert len(job.pids()) == 2
    assert os.getpid() not in job.pids()


def test_a_killed_task_manager_does_not_change_a_row(cluster: FlinkCluster, job: Job, expected: list[Row]) -> None:
    process = job.start(*cluster.options, "--seconds_per_unit=1")
    wait_until(lambda: job.units_done() >= 3)
    running = cluster.running_job()
    assert running is not None
    victim = min(cluster.busy_task_managers(running))
    cluster.kill(victim)
    assert process.poll() is None
    job.finish(process)
    history = cluster.rest(f"/jobs/{running}/exceptions")["exceptionHistory"]["entries"]
    print(f"\nkilled {victim} in mid-job; Flink recovered from: {[entry['exceptionName'] for entry in history]}")
    assert history
    assert cluster.rest(f"/jobs/{running}")["state"] == "FINISHED"
    assert rows_hash(parquet_rows(job.output)) == rows_hash(expected)


def test_a_killed_job_is_resumed(cluster: FlinkCluster, job: Job, expected: list[Row]) -> None:
    process = job.start(*cluster.options, "--seconds_per_unit=1")
    wait_until(lambda: job.units_done() >= 4)
    killed = cluster.running_job()
    assert killed is not None
    process.kill()
    process.wait()
    cluster.kill_task_managers()
    job.kill_workers()
    cluster.cancel(killed)
    before = {path.name: path.stat().st_mtime_ns for path in job.output.glob("*.parquet")}
    assert not (job.output / "_manifest.json").exists()
    cluster.start_task_managers("tm-4", "tm-5")
    job.finish(job.start(*cluster.options, "--resume"))
    assert rows_hash(parquet_rows(job.output)) == rows_hash(expected)
    units = json.loads((job.output / "_manifest.json").read_text())["units"]
    kept = {Path(unit["output"]).name for unit in units if unit["finished_before"]}
    print(f"\n{len(kept)} of {len(units)} units were finished before the kill")
    assert kept == set(before)
    assert len(kept) < len(units)
    assert all((job.output / name).stat().st_mtime_ns == when for name, when in before.items())
