"""One document to its chunks: what every transform of single documents does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from tokenchunk import ChunkConfig
from tokenchunk.beam._errors import ERRORS, DocumentError, DocumentTypeError, check_max_document_bytes, too_large
from tokenchunk.beam._log import note_long_document
from tokenchunk.beam._metrics import ChunkMetrics
from tokenchunk.beam._schema import own
from tokenchunk.beam._shared import shared_chunker

RowT = TypeVar("RowT")

_MISSING = object()


class DocumentFn(beam.DoFn, Generic[RowT]):
    """What every transform of single documents does; `make_row` is what they differ in.

    Parameters
    ----------
    config : ChunkConfig
        How to chunk.
    make_row : callable
        Makes an output element from the fields of a chunk row, given as keywords.
    text, source : str
        The fields with the document and its id.
    keep : sequence of str
        Fields to repeat for each chunk.
    chunk_id : bool
        Whether the rows have a field ``chunk_id``.
    source_type : type
        Refuse ids of any other type.
    max_document_bytes : int or None
        Refuse longer documents.
    tag_errors : bool
        Whether refused documents go to the output ``errors`` instead of raising.
    """

    def __init__(
        self,
        config: ChunkConfig,
        make_row: Callable[..., RowT],
        *,
        text: str,
        source: str,
        keep: Sequence[str],
        chunk_id: bool,
        source_type: type = object,
        max_document_bytes: int | None = None,
        tag_errors: bool = False,
    ) -> None:
        self._config = config
        self._make_row = make_row
        self._text, self._source, self._keep = text, source, tuple(keep)
        self._chunk_id = chunk_id
        self._source_type = source_type
        self._max_document_bytes = check_max_document_bytes(max_document_bytes)
        self._tag_errors = tag_errors
        self._metrics = ChunkMetrics()

    def setup(self) -> None:
        """Make the chunker, or take the one that another thread of this process made."""
        self._chunker = shared_chunker(self._config)

    def process(self, element: Any) -> Iterator[RowT | TaggedOutput]:
        """Cut one document; its rows keep its window and timestamp."""
        try:
            rows = self._chunk(element)
        except DocumentError as error:
            if not self._tag_errors:
                raise
            self._metrics.add_failed()
            yield TaggedOutput(ERRORS, error.to_row())
            return
        for row in rows:
            yield self._make_row(**row, **{name: own(_get(element, name, None)) for name in self._keep})

    def _chunk(self, element: Any) -> list[dict[str, Any]]:
        source, text = self._read(element)
        text_bytes = self._check_text(source, text)
        note_long_document(source, text_bytes)
        rows = self._chunk_text(source, text)
        tokens = [row["token_count"] for row in rows]
        self._metrics.add(
            documents=1, text_bytes=text_bytes, chunk_tokens=tokens, document_tokens=[sum(tokens)] if tokens else []
        )
        return rows

    def _read(self, element: Any) -> tuple[Any, str | None]:
        source = _get(element, self._source, _MISSING)
        if source is _MISSING:
            raise DocumentError(f"source field {self._source!r} is missing", None, "missing_field")
        if not isinstance(source, self._source_type):
            raise self._wrong_source(source, f"{self._source_type.__name__}, or documents with a schema")
        text = _get(element, self._text, _MISSING)
        if text is _MISSING:
            raise DocumentError(f"text field {self._text!r} is missing", source, "missing_field")
        if text is not None and not isinstance(text, str):
            found = type(text).__name__
            raise DocumentTypeError(f"text field {self._text!r} is {found}; expected str or None", source, "wrong_type")
        return source, text

    def _check_text(self, source: Any, text: str | None) -> int:
        if text is None:
            return 0
        try:
            text_bytes = len(text) if text.isascii() else len(text.encode())
        except UnicodeEncodeError as error:
            where = f"text field {self._text!r} holds a lone surrogate at character {error.start}"
            # Not chained: that error holds the text.
            raise DocumentError(where, source, "invalid_text") from None
        if self._max_document_bytes is not None and text_bytes > self._max_document_bytes:
            raise too_large(source, self._text, text_bytes, self._max_document_bytes)
        return text_bytes

    def _chunk_text(self, source: Any, text: str | None) -> list[dict[str, Any]]:
        try:
            return self._chunker.chunk_document(text, source, chunk_id=self._chunk_id)
        except TypeError as error:
            raise self._wrong_source(source, "str, bytes, int or None") from error
        except ValueError as error:
            raise DocumentError(f"text field {self._text!r}: {error}", source, "invalid_text") from error

    def _wrong_source(self, source: Any, expected: str) -> DocumentTypeError:
        found = type(source).__name__
        reason = f"source field {self._source!r} is {found}; expected {expected}"
        return DocumentTypeError(reason, source, "wrong_type")


def _get(element: Any, name: str, default: Any) -> Any:
    """A field of a dict, or of a `beam.Row`, NamedTuple or dataclass."""
    return element.get(name, default) if isinstance(element, Mapping) else getattr(element, name, default)
