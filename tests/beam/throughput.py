"""How fast the transforms are beside `chunk_parquet`, and what a second worker brings. A script, not a test.

    python tests/beam/throughput.py docs.parquet [--copies 8]

Each figure is of a process of its own with one native thread, bound to one core but for two workers, and marginal: the
time of three times the input less the time of the input itself, so that what a runner takes to start does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

OPTIONS: dict[str, Any] = {"max_tokens": 512, "overlap": 64, "overlap_side": "before"}
ONE_WORKER = ["--runner=FnApiRunner"]
TWO_WORKERS = [*ONE_WORKER, "--direct_running_mode=multi_processing", "--direct_num_workers=2"]
TWO_PROCESSES_ONE_WORKER = [*ONE_WORKER, "--direct_running_mode=multi_processing", "--direct_num_workers=1"]


def chunk_parquet(source: str, target: str) -> None:
    """Without Beam."""
    import tokenchunk as tc

    Path(target).mkdir()
    tc.chunk_parquet(source, f"{target}/", **OPTIONS)


def beam_parquet(argv: list[str]) -> Callable[[str, str], None]:
    """`ChunkParquet` with these options of Beam."""

    def run(source: str, target: str) -> None:
        import apache_beam as beam

        from tokenchunk.beam import ChunkParquet

        with beam.Pipeline(argv=argv) as pipeline:
            _ = pipeline | ChunkParquet(source, target, **OPTIONS)

    return run


def beam_tables(source: str, target: str) -> None:
    """`ChunkTables` between Beam's own reader and writer of tables."""
    import apache_beam as beam
    import pyarrow as pa
    from apache_beam.io.parquetio import ReadFromParquetBatched, WriteToParquetBatched

    import tokenchunk as tc
    from tokenchunk.beam import ChunkTables

    first = pq.ParquetFile(sorted(Path(source).parent.glob("*.parquet"))[0]).schema_arrow
    schema = tc.Chunker(**OPTIONS).chunk_table(pa.table({name: [] for name in first.names}, first)).schema
    with beam.Pipeline(argv=ONE_WORKER) as pipeline:
        tables = pipeline | ReadFromParquetBatched(source)
        chunks = tables | ChunkTables(**OPTIONS)
        _ = chunks | WriteToParquetBatched(f"{target}/chunks", schema, codec="zstd", file_name_suffix=".parquet")


RUNS: dict[str, tuple[int, Callable[[str, str], None]]] = {
    "chunk_parquet, 1 thread, 1 core": (1, chunk_parquet),
    "ChunkTables, 1 worker, 1 core": (1, beam_tables),
    "ChunkParquet, 1 worker, 1 core": (1, beam_parquet(ONE_WORKER)),
    "ChunkParquet, 1 worker process": (2, beam_parquet(TWO_PROCESSES_ONE_WORKER)),
    "ChunkParquet, 2 worker processes": (2, beam_parquet(TWO_WORKERS)),
}


class Taken(NamedTuple):
    """What a run took."""

    seconds: float
    cpu_seconds: float

    def __sub__(self, other: Taken) -> Taken:
        return Taken(self.seconds - other.seconds, self.cpu_seconds - other.cpu_seconds)


def measure(name: str, source: str) -> None:
    """Run one of `RUNS` in this process and print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        RUNS[name][1](source, f"{folder}/out")
        print(json.dumps(time.perf_counter() - started))


def fresh(name: str, source: str) -> Taken:
    """The same in a fresh process, with its worker processes; the better of two."""
    cores = RUNS[name][0]
    command = ["taskset", "-c", ",".join(map(str, range(cores))), sys.executable, __file__, source, "--measure", name]
    environment = os.environ | {"TOKENCHUNK_THREADS": "1"}
    runs = []
    for _ in range(2):
        before = os.times()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        after = os.times()
        cpu_seconds = after.children_user + after.children_system - before.children_user - before.children_system
        runs.append(Taken(float(done.stdout.splitlines()[-1]), cpu_seconds))
    return Taken(min(run.seconds for run in runs), min(run.cpu_seconds for run in runs))


def copy(source: str, folder: Path, copies: int) -> str:
    """Copies of a file, as many row groups of some megabytes; returns the pattern of their names."""
    table = pq.read_table(source)
    folder.mkdir()
    for number in range(copies):
        pq.write_table(table, folder / f"{number:03}.parquet", compression="zstd", row_group_size=len(table) // 4 + 1)
    return f"{folder}/*.parquet"


def main() -> None:
    """Measure everything, twice in turn, and print the better of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.source)
        return
    megabytes = pq.read_table(options.source, columns=["text"]).nbytes / 1e6 * options.copies
    with tempfile.TemporaryDirectory() as folder:
        small = copy(options.source, Path(folder) / "small", options.copies)
        large = copy(options.source, Path(folder) / "large", 3 * options.copies)
        print(f"{megabytes:.0f} and {3 * megabytes:.0f} MB of text")
        print(f"{'':35} {'MB/s':>8} {'ratio':>6} {'MB/CPU s':>9} {'ratio':>6}")
        rates: list[tuple[float, float]] = []
        for name in RUNS:
            taken = fresh(name, large) - fresh(name, small)
            rates.append((2 * megabytes / taken.seconds, 2 * megabytes / taken.cpu_seconds))
            (wall, cpu), (first_wall, first_cpu) = rates[-1], rates[0]
            print(f"{name:35} {wall:8.1f} {wall / first_wall:6.2f} {cpu:9.1f} {cpu / first_cpu:6.2f}", flush=True)


if __name__ == "__main__":
    main()
