"""Which columns a table of chunk rows has, for every front."""

from __future__ import annotations

from collections.abc import Sequence

CHUNK_COLUMNS = ("content", "source", "chunk_index", "token_count", "char_start", "char_end")


def output_columns(*, chunk_id: bool, kept: Sequence[str]) -> list[str]:
    """The columns of the output in order."""
    return [*CHUNK_COLUMNS, *(["chunk_id"] if chunk_id else []), *kept]


def kept_columns(
    names: Sequence[str], *, text: str, source: str, keep: Sequence[str] | None, chunk_id: bool
) -> list[str]:
    """The columns of the input that are repeated beside the chunks.

    Parameters
    ----------
    names : sequence of str
        The columns of the input.
    text, source : str
        The columns with the documents and with their ids.
    keep : sequence of str or None
        The columns to repeat; None for all the others.
    chunk_id : bool
        Whether the output has a column ``chunk_id``.

    Raises
    ------
    TypeError
        If a name is not a str, or `keep` is one.
    ValueError
        If a column is missing or there twice, or if a column of the output would stand there twice.
    """
    _find(names, text, "text")
    _find(names, source, "source")
    if text == source:
        raise ValueError(f"text and source are the same column {text!r}")
    if isinstance(keep, str):
        raise TypeError(f"keep must be a list of column names, not the str {keep!r}")
    kept = [name for name in names if name not in (text, source)] if keep is None else list(keep)
    for name in kept:
        _find(names, name, "keep")
    if text in kept:
        raise ValueError(f"keep has the text column {text!r}; the chunks do not repeat the whole document")
    _check_clashes(kept, chunk_id=chunk_id)
    return kept


def _find(names: Sequence[str], name: str, parameter: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{parameter} must name columns by str, not {type(name).__name__}")
    found = list(names).count(name)
    if found == 0:
        raise ValueError(f"{parameter} column {name!r} is missing; the columns are {', '.join(map(repr, names))}")
    if found > 1:
        raise ValueError(f"{parameter} column {name!r} is there {found} times")


def _check_clashes(kept: Sequence[str], *, chunk_id: bool) -> None:
    columns = output_columns(chunk_id=chunk_id, kept=[])
    for position, name in enumerate(kept):
        if name in columns:
            raise ValueError(
                f"column {name!r} would stand twice in the output, which has a column of that name: "
                "rename it, or leave it out with keep="
            )
        if name in kept[:position]:
            raise ValueError(f"keep has column {name!r} twice")
