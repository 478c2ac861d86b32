"""Documents with a schema, in a module that workers can import."""

# No `from __future__ import annotations`: Beam reads the types of a NamedTuple's fields as they stand.

from typing import NamedTuple, Optional


class Page(NamedTuple):
    """A page of a book."""

    source: int
    text: Optional[str]  # noqa: UP045 - one of the two spellings
    title: str | None
