"""The streaming job in Polars: scan Parquet, chunk, sink Parquet.

    python pipelines/chunk_parquet_polars.py 'docs/*.parquet' chunks.parquet --max-tokens 512

Composition only: filters, joins and the rest of Polars fit between the steps. Its memory is about the number of cores
times a source row group, and grows somewhat with the input; `tokenchunk chunk` (or `tokenchunk.chunk_parquet`) stays
flat.
"""

from pathlib import Path
from typing import Annotated

import polars as pl
import typer

import tokenchunk as tc


def main(
    source: Annotated[str, typer.Argument(help="Parquet files with columns source and text.")],
    target: Annotated[Path, typer.Argument(help="The Parquet file to write.")],
    max_tokens: int = 1536,
    overlap: float = 0.2,
) -> None:
    """Chunk the documents of Parquet files with Polars' streaming engine."""
    documents = pl.scan_parquet(source)
    chunks = tc.chunk_documents(documents, max_tokens=max_tokens, overlap=overlap, chunk_id=True)
    # Polars bounds row groups by rows only; this many chunks of 1536 tokens are some 60 MB.
    chunks.sink_parquet(target, compression="zstd", row_group_size=10_000)


if __name__ == "__main__":
    typer.run(main)
