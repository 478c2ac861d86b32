"""Rows of documents to rows of chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apache_beam as beam

from tokenchunk import ChunkConfig
from tokenchunk._config import OverlapSide
from tokenchunk._encodings import EncodingLike
from tokenchunk.beam._document_fn import DocumentFn
from tokenchunk.beam._errors import check_max_document_bytes
from tokenchunk.beam._row import ChunkRow
from tokenchunk.beam._schema import fields_of, kept_fields, row_type
from tokenchunk.beam._with_errors import WithErrors


class ChunkDoFn(DocumentFn[Any]):
    """Cuts documents into chunk rows, for a `beam.ParDo` of your own; `ChunkDocuments` knows more about types.

    It raises `DocumentError` for a document that it cannot cut, so that ``ParDo(...).with_exception_handling()`` works.

    Parameters
    ----------
    text, source : str
        The fields of a document with its text and its id.
    max_tokens, overlap, overlap_side, encoding, model
        As for `tokenchunk.ChunkConfig`.
    keep : sequence of str
        Other fields to repeat for each chunk; a document without one has None there.
    chunk_id : bool
        Whether to add the field ``chunk_id``; the source must then be str, bytes, int or None.
    max_document_bytes : int, optional
        Refuse documents with more bytes in UTF-8.

    Raises
    ------
    TypeError, ValueError
        If a parameter is wrong, here and not on a worker.

    Examples
    --------
    >>> fn = ChunkDoFn(max_tokens=4, overlap=0)
    >>> fn.setup()
    >>> [row.content for row in fn.process({"source": 1, "text": "One sentence. Another one."})]
    ['One sentence.', 'Another one.']
    """

    def __init__(
        self,
        *,
        text: str = "text",
        source: str = "source",
        max_tokens: int = 1536,
        overlap: float = 0.2,
        overlap_side: OverlapSide = "both",
        encoding: EncodingLike | None = None,
        model: str | None = None,
        keep: Sequence[str] = (),
        chunk_id: bool = False,
        max_document_bytes: int | None = None,
    ) -> None:
        config = ChunkConfig(
            max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
        )
        kept = kept_fields(None, text=text, source=source, keep=keep, chunk_id=chunk_id)
        super().__init__(
            config,
            row_maker(list(kept), chunk_id=chunk_id),
            text=text,
            source=source,
            keep=list(kept),
            chunk_id=chunk_id,
            max_document_bytes=max_document_bytes,
        )


def row_maker(kept: Sequence[str], *, chunk_id: bool) -> Callable[..., Any]:
    """What makes a row of keywords: `ChunkRow` if its fields are enough."""
    return beam.Row if kept or chunk_id else ChunkRow


class ChunkDocuments(WithErrors):
    """Cuts a PCollection of documents (dicts, `beam.Row`, NamedTuple) into one of chunk rows with a schema.

    The output is of `ChunkRow`, or of rows with the same fields, the kept ones and ``chunk_id``. Windows and timestamps
    stay. For large corpora in Parquet take `ChunkParquet` or `ChunkTables`: a shuffle of chunk rows costs ten times as
    much as making them.

    ``chunks, errors = documents | ChunkDocuments(...).with_exception_handling()`` gives documents that cannot be cut as
    `ChunkError` rows; by default the first one raises. A text that is None, empty or all white space has no rows.

    Parameters
    ----------
    text, source : str
        The fields of a document with its text and its id.
    max_tokens, overlap, overlap_side, encoding, model
        As for `tokenchunk.ChunkConfig`.
    keep : sequence of str, or mapping of str to type, optional
        Other fields to repeat for each chunk; by default all that the input's schema has. Dicts have no schema: name
        the fields, with their types if a sink is to know them. A dict without one has None.
    chunk_id : bool
        Whether to add the field ``chunk_id``; the source must then be str, bytes, int or None.
    max_document_bytes : int, optional
        Refuse documents with more bytes in UTF-8.

    Raises
    ------
    TypeError, ValueError
        If a parameter is wrong; when it is applied, if a field is missing from the input's schema, is no text, or would
        stand twice in the output. Dicts are taken to have a source of type str.

    Examples
    --------
    >>> documents = [{"source": "a", "text": "One. Two.", "lang": "en"}]
    >>> with beam.Pipeline(runner="FnApiRunner") as pipeline:
    ...     rows = pipeline | beam.Create(documents) | ChunkDocuments(keep={"lang": str})
    ...     _ = rows | beam.Map(lambda row: print(row.content, row.lang))
    One. Two. en
    """

    def __init__(
        self,
        *,
        text: str = "text",
        source: str = "source",
        max_tokens: int = 1536,
        overlap: float = 0.2,
        overlap_side: OverlapSide = "both",
        encoding: EncodingLike | None = None,
        model: str | None = None,
        keep: Sequence[str] | Mapping[str, Any] | None = None,
        chunk_id: bool = False,
        max_document_bytes: int | None = None,
    ) -> None:
        super().__init__()
        self._config = ChunkConfig(
            max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
        )
        self._text, self._source, self._keep, self._chunk_id = text, source, keep, chunk_id
        self._max_document_bytes = check_max_document_bytes(max_document_bytes)

    def expand(self, pcoll: beam.PCollection[Any]) -> Any:
        """Resolve the types and apply the DoFn."""
        fields = fields_of(pcoll.element_type)
        kept = kept_fields(fields, text=self._text, source=self._source, keep=self._keep, chunk_id=self._chunk_id)
        fn = DocumentFn[Any](
            self._config,
            row_maker(list(kept), chunk_id=self._chunk_id),
            text=self._text,
            source=self._source,
            keep=list(kept),
            chunk_id=self._chunk_id,
            source_type=str if fields is None else object,
            max_document_bytes=self._max_document_bytes,
            tag_errors=self.tag_errors,
        )
        source_type = str if fields is None else fields[self._source]
        return self.apply_fn(pcoll, fn, row_type(source_type, kept, chunk_id=self._chunk_id))
