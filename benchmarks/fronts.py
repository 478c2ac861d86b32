"""The fronts beside the core, which is the expression on a frame in memory; each figure is of a fresh process.

Called as a script by itself: `fronts.py FRONT SOURCE` prints MB/s of text and the process's peak memory in MiB, as
Linux has it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import tokenchunk as tc

OPTIONS = {"max_tokens": 512, "overlap": 64}


def core(source: Path, target: Path) -> Callable[[], object]:
    frame = pl.read_parquet(source)
    return lambda: frame.select(tc.chunk("text", **OPTIONS))


def streaming(source: Path, target: Path) -> Callable[[], object]:
    frame = pl.read_parquet(source).lazy()
    return lambda: frame.select(tc.chunk("text", **OPTIONS)).collect(engine="streaming")


def parquet(source: Path, target: Path) -> Callable[[], object]:
    return lambda: tc.chunk_parquet(source, target, **OPTIONS)


FRONTS = {front.__name__: front for front in (core, streaming, parquet)}


def write(texts: Sequence[str], copies: int, target: Path) -> None:
    """Documents in row groups of some megabytes; without a dictionary, in which a copy would cost nothing."""
    table = pa.table({"source": range(len(texts)), "text": texts})
    pq.write_table(
        pa.concat_tables([table] * copies), target, compression="zstd", use_dictionary=False, row_group_size=1000
    )


def fresh(front: str, source: Path, threads: int) -> tuple[float, float]:
    """MB/s and peak memory of a front in a process of its own."""
    environment = os.environ | {"TOKENCHUNK_THREADS": str(threads), "POLARS_MAX_THREADS": str(threads)}
    command = [sys.executable, __file__, front, str(source)]
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    mb_per_second, peak_mib = json.loads(done.stdout)
    return mb_per_second, peak_mib


def _measure(front: str, source: Path) -> tuple[float, float]:
    """The second of two calls: the first fills the caches."""
    size_bytes = pl.scan_parquet(source).select(pl.col("text").str.len_bytes().sum()).collect().item()
    with tempfile.TemporaryDirectory() as folder:
        work = FRONTS[front](source, Path(folder) / "chunks.parquet")
        work()
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
    return size_bytes / seconds / 1e6, _peak_mib()


def _peak_mib() -> float:
    # Not `getrusage`, which begins with the peak of the process that started this one.
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], Path(sys.argv[2]))))
