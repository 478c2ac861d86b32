"""What a fresh process waits for: our import, the first call, and then calls on small frames."""

from __future__ import annotations

import statistics
import subprocess
import sys

# `polars` is there in any case, so its import is not counted.
_SCRIPT = """
import time
import polars as pl
frame = pl.DataFrame({"text": ["A short row. It has two sentences."] * 100})
start = time.perf_counter()
import tokenchunk as tc
imported = time.perf_counter()
work = lambda: frame.select(tc.chunk("text", encoding=ENCODING, max_tokens=512))
work()
called = time.perf_counter()
for _ in range(20):
    work()
ended = time.perf_counter()
print(imported - start, called - imported, (ended - called) / 20)
"""


def milliseconds(encoding: str, processes: int) -> tuple[float, float, float]:
    """Medians over fresh processes: import, first call, and a later call on 100 short rows."""
    script = _SCRIPT.replace("ENCODING", repr(encoding))
    runs = [subprocess.run([sys.executable, "-c", script], check=True, capture_output=True) for _ in range(processes)]
    columns = zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    imported, first, later = (1000 * statistics.median(column) for column in columns)
    return imported, first, later
