"""Which files a job reads and writes, and how a file appears whole or not at all."""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PathLike = str | os.PathLike[str]

_SUFFIX = ".parquet"


@dataclass(frozen=True)
class Job:
    """One output file and the inputs that go into it, in order."""

    inputs: tuple[Path, ...]
    output: Path


def plan_jobs(inputs: PathLike | Sequence[PathLike], output: PathLike) -> list[Job]:
    """What to read and where to write it.

    The output is a folder, with one file per input, if it ends in a slash or an input is a folder; else it is one file.

    Parameters
    ----------
    inputs : path, glob pattern or folder, or a sequence of these
        A folder means the ``.parquet`` files below it, hidden ones left out; these and those of a pattern come in order
        of their names.
    output : path
        A file, or a folder.

    Raises
    ------
    FileNotFoundError
        If an input does not exist, or a pattern or a folder has no file.
    ValueError
        If the output is a folder where a file is meant or the other way round, if its folder does not exist, if it is
        an input too, or if two inputs would have one output.
    """
    given = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    if not given:
        raise ValueError("inputs is empty: give a file, a pattern or a folder")
    named = [pair for one in given for pair in _find(one)]
    is_folder = os.fspath(output).endswith(_SEPARATORS) or any(Path(one).is_dir() for one in given)
    target = Path(output)
    jobs = _into_folder(named, target) if is_folder else [_into_file([path for path, _ in named], target)]
    _refuse_overwriting(jobs)
    return jobs


_SEPARATORS = tuple(separator for separator in (os.sep, os.altsep) if separator)


def _find(given: PathLike) -> list[tuple[Path, Path]]:
    """The files that one input means, each with its name in an output folder."""
    path = Path(given)
    if path.is_file():
        return [(path, Path(path.name))]
    if path.is_dir():
        below = sorted(p for p in path.rglob(f"*{_SUFFIX}") if p.is_file() and not _is_hidden(p.relative_to(path)))
        if not below:
            raise FileNotFoundError(f"input folder {str(path)!r} has no {_SUFFIX} file")
        return [(p, p.relative_to(path)) for p in below]
    if not glob.has_magic(os.fspath(given)):
        raise FileNotFoundError(f"input {str(path)!r} does not exist")
    # Not Path.glob, which knows patterns below a folder only.
    found = glob.glob(os.fspath(given), recursive=True)  # noqa: PTH207
    matches = sorted(path for path in map(Path, found) if path.is_file())
    if not matches:
        raise FileNotFoundError(f"input pattern {os.fspath(given)!r} matches no file")
    return [(p, Path(p.name)) for p in matches]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _into_file(inputs: Sequence[Path], output: Path) -> Job:
    if output.is_dir():
        raise ValueError(
            f"output {str(output)!r} is a folder; name a file in it, or end it with {os.sep!r} for one file per input"
        )
    if not output.parent.is_dir():
        raise ValueError(f"output {str(output)!r} cannot be written: the folder {str(output.parent)!r} does not exist")
    return Job(tuple(inputs), output)


def _into_folder(named: Sequence[tuple[Path, Path]], folder: Path) -> list[Job]:
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"output {str(folder)!r} is a file; a folder is needed for one file per input")
    jobs = [Job((path,), folder / name.with_suffix(_SUFFIX)) for path, name in named]
    outputs: dict[Path, Path] = {}
    for job in jobs:
        other = outputs.setdefault(job.output, job.inputs[0])
        if other is not job.inputs[0]:
            raise ValueError(f"{str(other)!r} and {str(job.inputs[0])!r} would both be written to {str(job.output)!r}")
    return jobs


def _refuse_overwriting(jobs: Sequence[Job]) -> None:
    inputs = {path.resolve() for job in jobs for path in job.inputs}
    for job in jobs:
        if job.output.is_dir():
            raise ValueError(f"output {str(job.output)!r} is a folder where a file is meant")
        if job.output.resolve() in inputs:
            raise ValueError(f"output {str(job.output)!r} is also an input")


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A path to write to that becomes `target` when the block ends well, and vanishes when it does not.

    The name is hidden and without the target's suffix, so that even after a kill nothing looks like output.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.parent / f".{target.name}.{secrets.token_hex(4)}.tmp"
    try:
        yield temporary
        _to_disk(temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _to_disk(path: Path) -> None:
    """A rename can reach the disk before the data does; a crash between the two would leave an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
