"""The main job on real documents that every machine has: the interpreter's own documentation, to Parquet.

    python pipelines/demo_pydoc.py [FOLDER]

Writes `documents.parquet` and `chunks.parquet` to the folder (a new temporary one by default) and shows the first rows.
"""

import tempfile
from pathlib import Path
from pydoc_data.topics import topics
from typing import Annotated

import polars as pl
import typer

import tokenchunk as tc


def main(folder: Annotated[Path | None, typer.Argument(help="Where to write.")] = None) -> None:
    """Chunk the documentation of every Python topic to at most 512 tokens, of which 64 on each side are overlap."""
    folder = folder or Path(tempfile.mkdtemp(prefix="tokenchunk-demo-"))
    documents, chunks = folder / "documents.parquet", folder / "chunks.parquet"
    pl.DataFrame({"source": topics.keys(), "text": topics.values()}).write_parquet(documents)
    summary = tc.chunk_parquet(documents, chunks, max_tokens=512, overlap=64)
    print(pl.read_parquet(chunks).head(8))
    print(f"{chunks}: {summary}")


if __name__ == "__main__":
    typer.run(main)
