"""Which processes did the work: a step that leaves a file per process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def report_pid(element: T, folder: str) -> T:
    """Pass an element on, and note who did."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / str(os.getpid())).touch()
    return element


def pids(folder: Path) -> set[int]:
    """The processes that were noted."""
    return {int(path.name) for path in folder.iterdir()}
