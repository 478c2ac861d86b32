"""Which fields a chunk row has on Beam, and of which types."""

from __future__ import annotations

import copy
import typing
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any

import apache_beam as beam
from apache_beam.typehints.row_type import RowTypeConstraint

from tokenchunk._columns import kept_columns
from tokenchunk.beam._row import ChunkRow

_SCALARS = (str, int, float, bool, bytes, type(None))


def fields_of(element_type: Any) -> dict[str, Any] | None:
    """The fields of a PCollection's rows and their types; None if it has no schema, as dicts have none."""
    if isinstance(element_type, RowTypeConstraint):
        return dict(element_type._fields)
    if RowTypeConstraint.from_user_type(element_type) is None:
        return None
    # Beam leaves annotations that are still strings as they are.
    return typing.get_type_hints(element_type)


def kept_fields(
    fields: Mapping[str, Any] | None,
    *,
    text: str,
    source: str,
    keep: Sequence[str] | Mapping[str, Any] | None,
    chunk_id: bool,
) -> dict[str, Any]:
    """The fields of a document that are repeated beside its chunks, and their types.

    Parameters
    ----------
    fields : mapping of str to type, or None
        The fields of the documents; None if the PCollection has no schema.
    text, source : str
        The fields with the documents and their ids.
    keep : sequence of str, mapping of str to type, or None
        The fields to repeat; None for all others that the schema has.
    chunk_id : bool
        Whether the output has a field ``chunk_id``.

    Raises
    ------
    TypeError, ValueError
        If a field is missing from the schema, is no text, or would stand twice in the output.
    """
    types = dict(keep) if isinstance(keep, Mapping) else {}
    names = keep if keep is None or isinstance(keep, str) else list(keep)
    if fields is None:
        known = list(dict.fromkeys([text, source, *(names or [])]))
        kept = kept_columns(known, text=text, source=source, keep=names, chunk_id=chunk_id)
        return {name: types.get(name, Any) for name in kept}
    kept = kept_columns(list(fields), text=text, source=source, keep=names, chunk_id=chunk_id)
    _check_text_type(text, fields[text])
    return {name: types.get(name, fields[name]) for name in kept}


def _check_text_type(text: str, kind: Any) -> None:
    if kind not in (str, str | None, Any, beam.typehints.Any, beam.typehints.Optional[str]):
        raise ValueError(f"text field {text!r} is {_type_name(kind)}; expected str or str | None")


def _type_name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind)


def row_type(source_type: Any, kept: Mapping[str, Any], *, chunk_id: bool) -> Any:
    """The element type of chunk rows: `ChunkRow`, or a schema of the same fields and more."""
    if source_type is str and not kept and not chunk_id:
        return ChunkRow
    types = ChunkRow.__annotations__ | {"source": source_type}
    if chunk_id:
        types["chunk_id"] = str
    return RowTypeConstraint.from_fields([(name, _known_to_beam(kind)) for name, kind in (types | dict(kept)).items()])


def _known_to_beam(kind: Any) -> Any:
    """`int | None` as `Optional[int]`: the former Beam pickles instead of giving it a type that sinks know."""
    return typing.Union[kind.__args__] if isinstance(kind, UnionType) else kind  # noqa: UP007


def own(value: Any) -> Any:
    """A value for one row alone: Beam forbids sharing what a later step may change."""
    return value if isinstance(value, _SCALARS) else copy.deepcopy(value)
