"""`ChunkParquet`, then a step that notes its process and takes its time: there must be a middle to kill the job in."""

from __future__ import annotations

import argparse
import time

import apache_beam as beam

from beam.probe import report_pid
from tokenchunk.beam import ChunkParquet, UnitResult


def linger(result: UnitResult, seconds: float) -> UnitResult:
    """Take a while over each unit that was done now."""
    if not result.finished_before:
        time.sleep(seconds)
    return result


def main() -> None:
    """Run the job."""
    parser = argparse.ArgumentParser()
    for name in ("input", "output", "pids"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--seconds_per_unit", type=float, default=0)
    parser.add_argument("--resume", action="store_true")
    options, beam_options = parser.parse_known_args()
    with beam.Pipeline(argv=beam_options) as pipeline:
        job = ChunkParquet(
            options.input, options.output, max_tokens=64, overlap=8, overlap_side="before", resume=options.resume
        )
        _ = (
            pipeline
            | job
            | "Report" >> beam.Map(report_pid, options.pids)
            | "Linger" >> beam.Map(linger, options.seconds_per_unit)
        )


if __name__ == "__main__":
    main()
