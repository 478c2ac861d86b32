"""How a long job tells how far it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ProgressCallback = Callable[[int, int, int], object]
"""Called with documents read, chunks made and bytes of text read so far."""


@contextmanager
def reporting(progress: bool | ProgressCallback, documents: int) -> Iterator[ProgressCallback]:
    """The callback to report to: the caller's own, a bar if the error output is a terminal, or none."""
    if callable(progress):
        yield progress
    elif progress and sys.stderr.isatty():
        with _bar(documents) as callback:
            yield callback
    else:
        yield lambda *_: None


@contextmanager
def _bar(documents: int) -> Iterator[ProgressCallback]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} documents"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[chunks]:,} chunks, {task.fields[megabytes]:,.0f} MB"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=documents, chunks=0, megabytes=0.0)
        yield lambda done, chunks, size: bar.update(task, completed=done, chunks=chunks, megabytes=size / 1e6)
