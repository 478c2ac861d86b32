"""Chunking for plain Python and Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenchunk import _native
from tokenchunk._config import ChunkConfig, OverlapSide
from tokenchunk._encodings import EncodingLike

if TYPE_CHECKING:
    import pyarrow as pa


class Chunk(NamedTuple):
    """One chunk of a text, for which ``text[chunk.char_start:chunk.char_end] == chunk.content``."""

    content: str
    """The text of the chunk, as it stands in the document."""
    chunk_index: int
    """Its number in the document, from 0."""
    token_count: int
    """Its exact length in tokens."""
    char_start: int
    """Where it begins, in code points of the document."""
    char_end: int
    """Where it ends, in code points of the document, exclusive."""


class Chunker:
    """Cuts texts into chunks of bounded token length.

    Immutable and safe to share between threads; the GIL is released while it works. It pickles as its configuration.

    Parameters
    ----------
    max_tokens, overlap, overlap_side, encoding, model
        As for `ChunkConfig`.

    Examples
    --------
    >>> chunker = Chunker(max_tokens=4, overlap=0)
    >>> for chunk in chunker.chunk("One sentence. Another one."):
    ...     print(chunk)
    Chunk(content='One sentence.', chunk_index=0, token_count=3, char_start=0, char_end=13)
    Chunk(content='Another one.', chunk_index=1, token_count=3, char_start=14, char_end=26)
    """

    def __init__(
        self,
        *,
        max_tokens: int = 1536,
        overlap: float = 0.2,
        overlap_side: OverlapSide = "both",
        encoding: EncodingLike | None = None,
        model: str | None = None,
    ) -> None:
        config = ChunkConfig(
            max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
        )
        self._set(config)

    def _set(self, config: ChunkConfig) -> None:
        self._config = config
        self._native = config.native()

    @classmethod
    def from_config(cls, config: ChunkConfig) -> Chunker:
        """The chunker of a configuration that was made before."""
        chunker = cls.__new__(cls)
        chunker._set(config)
        return chunker

    @property
    def config(self) -> ChunkConfig:
        """The checked configuration."""
        return self._config

    def chunk(self, text: str) -> list[Chunk]:
        """Cut one text.

        Parameters
        ----------
        text : str
            The document. One that is empty or all white space has no chunks.

        Returns
        -------
        list of Chunk
            The chunks in document order.

        Raises
        ------
        TypeError
            If `text` is not a str.
        ValueError
            If it holds a lone surrogate; the message gives its position.
        """
        return list(map(Chunk._make, self._native.chunk(text)))

    def chunk_many(self, texts: Iterable[str | None]) -> list[list[Chunk]]:
        """Cut many texts in parallel.

        Parameters
        ----------
        texts : iterable of str or None
            The documents; None has no chunks.

        Returns
        -------
        list of list of Chunk
            The chunks of each text, in the order of the texts.

        Raises
        ------
        TypeError, ValueError
            As `chunk`; the message gives the number of the text.

        Examples
        --------
        >>> [len(chunks) for chunks in Chunker(max_tokens=4, overlap=0).chunk_many(["One. Two.", None, "Three"])]
        [1, 0, 1]
        """
        return [list(map(Chunk._make, chunks)) for chunks in self._native.chunk_many(list(texts))]

    def chunk_document(self, text: str | None, source: Any, *, chunk_id: bool = False) -> list[dict[str, Any]]:
        """Cut one document into rows.

        Parameters
        ----------
        text : str or None
            The document; None has no rows.
        source : object
            Its id, which each row repeats.
        chunk_id : bool
            Whether to add ``chunk_id``; the source must then be a str, bytes, an int or None.

        Returns
        -------
        list of dict
            One row per chunk: content, source, chunk_index, token_count, char_start, char_end, and chunk_id if asked
            for.

        Examples
        --------
        >>> Chunker(max_tokens=8).chunk_document("Hello there.", "a.txt")[0]["token_count"]
        3
        """
        if text is None:
            return []
        rows = [_row(chunk, source) for chunk in self._native.chunk(text)]
        if chunk_id:
            for row in rows:
                row["chunk_id"] = _native.chunk_id(source, row["chunk_index"], row["content"])
        return rows

    def chunk_table(
        self,
        table: Any,
        *,
        text: str = "text",
        source: str = "source",
        keep: Sequence[str] | None = None,
        chunk_id: bool = False,
    ) -> pa.Table:
        """Cut the documents of an Arrow table into a table of chunk rows.

        Parameters
        ----------
        table : pyarrow.Table, pyarrow.RecordBatch, or any object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
            One document per row.
        text : str
            The column with the documents: string, large_string, string_view, a dictionary of these, or null.
        source : str
            The column with their ids, which the output has as ``source``.
        keep : sequence of str, optional
            Other columns to repeat for each chunk; all by default.
        chunk_id : bool
            Whether to add the column ``chunk_id``; the source must then be of integers, text or binary.

        Returns
        -------
        pyarrow.Table
            Columns content, source, chunk_index, token_count, char_start, char_end, chunk_id if asked for, and the kept
            ones. Types are as they came, but string views become large strings.

        Raises
        ------
        ValueError
            If a column is missing, is not text, or would stand twice in the output; if a text is not valid UTF-8 (the
            message gives its column and row).
        TypeError
            If `table` is not an Arrow table.

        Examples
        --------
        >>> import pyarrow as pa
        >>> table = pa.table({"source": [7], "text": ["One sentence. Another one."]})
        >>> Chunker(max_tokens=4, overlap=0).chunk_table(table).select(["source", "content"]).to_pylist()
        [{'source': 7, 'content': 'One sentence.'}, {'source': 7, 'content': 'Another one.'}]
        """
        from tokenchunk._tables import chunk_table

        return chunk_table(self._native, self._config, table, text=text, source=source, keep=keep, chunk_id=chunk_id)

    def count(self, text: str) -> int:
        """Count the tokens of a text; special tokens in it are text.

        Raises
        ------
        TypeError, ValueError
            As `chunk`.

        Examples
        --------
        >>> Chunker().count("Hello there.")
        3
        """
        return self._native.count(text)

    def __repr__(self) -> str:
        config = self._config
        return (
            f"Chunker(max_tokens={config.max_tokens}, overlap={config.overlap}, "
            f"overlap_side={config.overlap_side!r}, encoding={config.encoding_name!r})"
        )

    def __eq__(self, other: object) -> bool:
        return self._config == other._config if isinstance(other, Chunker) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._config)

    def __reduce__(self) -> tuple[Any, tuple[ChunkConfig]]:
        return type(self).from_config, (self._config,)


def _row(chunk: tuple[str, int, int, int, int], source: object) -> dict[str, Any]:
    content, chunk_index, token_count, char_start, char_end = chunk
    return {
        "content": content,
        "source": source,
        "chunk_index": chunk_index,
        "token_count": token_count,
        "char_start": char_start,
        "char_end": char_end,
    }
