"""The job on Apache Beam: Parquet files of documents to Parquet files of chunk rows, on any runner.

    python pipelines/chunk_parquet_beam.py --input 'docs/*.parquet' --output chunks --runner=FnApiRunner

Composition only: the work is `tokenchunk.beam.ChunkParquet`. What is not an option of the job goes to Beam.
pipelines/README.md says how to run it on Flink and on Dataflow.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence

import apache_beam as beam

from tokenchunk.beam import ChunkParquet


def parse(argv: Sequence[str] | None = None) -> tuple[argparse.Namespace, list[str]]:
    """The job's own options, and those of Beam."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("--input", required=True, action="append", help="Parquet files or a pattern; may be repeated")
    parser.add_argument("--output", required=True, help="the folder to write to")
    parser.add_argument("--text_column", default="text", help="the documents (default: text)")
    parser.add_argument("--source_column", default="source", help="their ids (default: source)")
    parser.add_argument("--max_tokens", type=int, default=1536, help="limit of a chunk (default: 1536)")
    parser.add_argument(
        "--overlap",
        type=_number,
        default=0.2,
        help="tokens (64) or share of max_tokens (0.2) on each side (default: 0.2)",
    )
    parser.add_argument("--overlap_side", choices=["both", "before"], default="both", help="default: both")
    parser.add_argument("--encoding", default="cl100k_base", help="default: cl100k_base")
    parser.add_argument("--resume", action="store_true", help="go on with a job that did not finish")
    return parser.parse_known_args(argv)


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the job and wait for it."""
    options, beam_options = parse(argv)
    with beam.Pipeline(argv=beam_options) as pipeline:
        _ = pipeline | ChunkParquet(
            options.input,
            options.output,
            text=options.text_column,
            source=options.source_column,
            max_tokens=options.max_tokens,
            overlap=options.overlap,
            overlap_side=options.overlap_side,
            encoding=options.encoding,
            resume=options.resume,
        )


if __name__ == "__main__":
    logging.getLogger().setLevel(logging.INFO)
    main()
