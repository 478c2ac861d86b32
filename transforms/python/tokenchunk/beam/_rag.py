"""The chunking step of `apache_beam.ml.rag`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import apache_beam as beam
from apache_beam.internal import pickler
from apache_beam.ml.rag.chunking.base import ChunkIdFn, ChunkingTransformProvider
from apache_beam.ml.rag.types import Chunk, Content

from tokenchunk import ChunkConfig
from tokenchunk._config import OverlapSide
from tokenchunk._encodings import EncodingLike
from tokenchunk.beam._document_fn import DocumentFn
from tokenchunk.beam._schema import kept_fields


class TokenChunkingProvider(ChunkingTransformProvider):
    """Cuts documents (dicts) into `apache_beam.ml.rag.types.Chunk` items, for `MLTransform` and the vector stores.

    An item's metadata are its own: ``source``, ``token_count``, ``char_start``, ``char_end`` and the kept fields. Its
    id is a hash of source, index and content, so that a retry writes the same vectors again and no second ones.

    Without `MLTransform`, which wants a folder for artifacts: ``documents | provider.get_splitter_transform()``.

    Parameters
    ----------
    text, source : str
        The fields of a document with its text and its id, a str, bytes, int or None.
    max_tokens, overlap, overlap_side, encoding, model
        As for `tokenchunk.ChunkConfig`.
    keep : sequence of str
        Other fields to put into the metadata; a document without one has None there.
    chunk_id_fn : callable, optional
        Makes the id of an item instead.
    max_document_bytes : int, optional
        Refuse documents with more bytes in UTF-8.

    Raises
    ------
    TypeError, ValueError
        If a parameter is wrong.

    Examples
    --------
    >>> provider = TokenChunkingProvider(max_tokens=4, overlap=0)
    >>> documents = [{"source": "a.txt", "text": "One sentence. Another one."}]
    >>> with beam.Pipeline(runner="FnApiRunner") as pipeline:
    ...     items = pipeline | beam.Create(documents) | provider.get_splitter_transform()
    ...     _ = items | beam.Map(lambda item: print(item.id, item.content.text, item.metadata["token_count"]))
    b542c345e1fc78f0c5ccf845e6cc9049 One sentence. 3
    53046fda909c60541da78e9c8c3aa5b4 Another one. 3
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
        chunk_id_fn: ChunkIdFn | None = None,
        max_document_bytes: int | None = None,
    ) -> None:
        super().__init__(chunk_id_fn)
        config = ChunkConfig(
            max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
        )
        kept = kept_fields(None, text=text, source=source, keep=keep, chunk_id=True)
        self._fn = DocumentFn[Chunk](
            config,
            _ItemMaker(chunk_id_fn),
            text=text,
            source=source,
            keep=list(kept),
            chunk_id=True,
            max_document_bytes=max_document_bytes,
        )

    def get_splitter_transform(self) -> beam.PTransform[Any, Any]:
        """The transform from documents to items."""
        return _ChunkItems(self._fn)

    def get_ptransform_for_processing(self, **_: Any) -> beam.PTransform[Any, Any]:
        """The same for `MLTransform`, which silently leaves out what lacks `with_exception_handling`, as chains do."""
        return self.get_splitter_transform()


class _ItemMaker:
    """Makes an item of the fields of a chunk row."""

    def __init__(self, chunk_id_fn: Callable[[Chunk], str] | None) -> None:
        self._chunk_id_fn = chunk_id_fn

    def __call__(self, *, content: str, chunk_index: int, chunk_id: str, **metadata: Any) -> Chunk:
        item = Chunk(content=Content(text=content), id=chunk_id, index=chunk_index, metadata=metadata)
        if self._chunk_id_fn is not None:
            item.id = self._chunk_id_fn(item)
        return item


class _ChunkItems(beam.PTransform[Any, Any]):
    """One transform, which `MLTransform` can write as JSON, read back, and ask for exception handling."""

    def __init__(self, fn: DocumentFn[Chunk]) -> None:
        super().__init__()
        # A str: JSON gives back neither a native object nor a function that is not importable.
        self._pickled_fn = pickler.dumps(fn).decode("ascii")

    def with_exception_handling(self, **options: Any) -> beam.PTransform[Any, Any]:
        """Beam's own handling: a bad document comes out as ``(document, (type, repr, traceback))``."""
        return self._pardo().with_exception_handling(**options)

    def expand(self, pcoll: beam.PCollection[Any]) -> beam.PCollection[Chunk]:
        """Apply the DoFn."""
        return pcoll | "Chunk" >> self._pardo()

    def _pardo(self) -> beam.ParDo:
        return beam.ParDo(pickler.loads(self._pickled_fn.encode("ascii"))).with_output_types(Chunk)
