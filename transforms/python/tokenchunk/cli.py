"""The command line: ``tokenchunk chunk``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer

from tokenchunk import ChunkConfig, Summary, __version__, chunk_parquet

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Exact token-aware chunking of documents.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tokenchunk {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Exact token-aware chunking of documents."""


@app.command()
def chunk(
    inputs: Annotated[list[str], typer.Argument(metavar="INPUT...", help="Parquet files, patterns or folders.")],
    output: Annotated[
        str, typer.Option("--output", "-o", help="A Parquet file; or a folder, ending in a slash: one file per input.")
    ],
    text: Annotated[str, typer.Option(help="The column with the documents.")] = "text",
    source: Annotated[str, typer.Option(help="The column with their ids.")] = "source",
    max_tokens: Annotated[int, typer.Option(help="Hard limit of each chunk in tokens, overlap included.")] = 1536,
    overlap: Annotated[
        str, typer.Option(help="Tokens (64) or share of the limit (0.2) to repeat of each neighbour.")
    ] = "0.2",
    overlap_side: Annotated[
        str, typer.Option(help="Repeat text of 'both' neighbours, or of the one 'before' only.")
    ] = "both",
    encoding: Annotated[str | None, typer.Option(help="The encoding's name, cl100k_base by default.")] = None,
    model: Annotated[str | None, typer.Option(help="Instead of --encoding: a model's name.")] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Another column to repeat for each chunk, again for more; all by default.")
    ] = None,
    no_keep: Annotated[bool, typer.Option("--no-keep", help="Repeat no other column.")] = False,
    chunk_id: Annotated[bool, typer.Option("--chunk-id", help="Add the column chunk_id.")] = False,
    batch_mb: Annotated[int, typer.Option(min=1, help="Megabytes of text to work on at a time.")] = 8,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show neither progress nor summary.")] = False,
) -> None:
    """Chunk the documents of Parquet files into Parquet files of chunk rows."""
    with _usage_errors():
        if keep and no_keep:
            raise ValueError("give --keep or --no-keep, not both")
        options: dict[str, Any] = {
            "max_tokens": max_tokens,
            "overlap": _number(overlap),
            "overlap_side": overlap_side,
            "encoding": encoding,
            "model": model,
        }
        ChunkConfig(**options)
    with _failures():
        summary = chunk_parquet(
            inputs,
            output,
            text=text,
            source=source,
            **options,
            keep=[] if no_keep else keep or None,
            chunk_id=chunk_id,
            batch_bytes=batch_mb << 20,
            progress=not quiet,
        )
    if not quiet:
        typer.echo(_sentence(summary, output))


def _number(overlap: str) -> int | float:
    try:
        return int(overlap)
    except ValueError:
        pass
    try:
        return float(overlap)
    except ValueError:
        raise ValueError(f"overlap must be a number of tokens or a share of the limit, not {overlap!r}") from None


def _sentence(summary: Summary, output: str) -> str:
    return (
        f"{summary.documents:,} documents ({summary.empty:,} empty, {summary.bytes / 1e6:,.1f} MB) -> "
        f"{summary.chunks:,} chunks ({summary.tokens:,} tokens) in {summary.seconds:.1f} s: {output}"
    )


@contextmanager
def _usage_errors() -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError, ImportError) as error:
        _fail(error, 2)


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError, OSError) as error:
        _fail(error, 1)
    except KeyboardInterrupt:
        _fail("interrupted; nothing was written of the file it was at", 1)


def _fail(error: object, code: int) -> NoReturn:
    print(f"tokenchunk: {error}", file=sys.stderr)
    raise typer.Exit(code)
