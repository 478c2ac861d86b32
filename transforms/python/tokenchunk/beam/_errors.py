"""Documents that cannot be chunked: an exception by default, a row of the `errors` output where one is asked for."""

# No `from __future__ import annotations`: Beam reads the types of a NamedTuple's fields as they stand.

from typing import Literal, NamedTuple, Optional

import apache_beam as beam

ErrorCode = Literal["missing_field", "wrong_type", "invalid_text", "too_large"]

ERRORS = "errors"
"""Tag of the output with `ChunkError` rows."""


class ChunkError(NamedTuple):
    """One document that was not chunked. Nothing in it quotes the document's text."""

    source: Optional[str]  # noqa: UP045 - Beam knows no `str | None`
    """The document's id as text; None if it has none."""
    code: str
    """``missing_field``, ``wrong_type``, ``invalid_text`` or ``too_large``."""
    message: str
    """What is wrong: the field, what was found, what is allowed."""


beam.coders.registry.register_coder(ChunkError, beam.coders.RowCoder)


class DocumentError(ValueError):
    """A document cannot be chunked; the message names its source.

    Parameters
    ----------
    reason : str
        What is wrong. Without text of the document. It comes first since Beam appends the name of the step to it.
    source : object
        The document's id.
    code : str
        What kind of fault it is, as in `ChunkError`.
    """

    def __init__(self, reason: str, source: object, code: ErrorCode) -> None:
        super().__init__(reason, source, code)
        self.reason = reason
        self.source = source
        self.code = code

    def __str__(self) -> str:
        return f"document {self.source!r}: {self.reason}"

    def to_row(self) -> ChunkError:
        """The same as data."""
        source = self.source if self.source is None or isinstance(self.source, str) else repr(self.source)
        return ChunkError(source, self.code, self.reason)


class DocumentTypeError(DocumentError, TypeError):
    """A document's field has a type that cannot be chunked."""


def too_large(source: object, field: str, text_bytes: int, max_document_bytes: int) -> DocumentError:
    """The error for a document of more bytes than allowed."""
    reason = f"text field {field!r} has {text_bytes} bytes in UTF-8; max_document_bytes is {max_document_bytes}"
    return DocumentError(reason, source, "too_large")


def check_max_document_bytes(max_document_bytes: int | None) -> int | None:
    """Refuse a limit that is no positive number, by name."""
    if max_document_bytes is None:
        return None
    if isinstance(max_document_bytes, bool) or not isinstance(max_document_bytes, int):
        raise TypeError(f"max_document_bytes must be an int or None, not {type(max_document_bytes).__name__}")
    if max_document_bytes < 1:
        raise ValueError(f"max_document_bytes must be 1 or more, not {max_document_bytes}")
    return max_document_bytes
