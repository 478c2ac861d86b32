"""Frames of documents to frames of chunk rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import polars as pl

from tokenchunk._columns import kept_columns, output_columns
from tokenchunk._config import ChunkConfig, OverlapSide
from tokenchunk._encodings import EncodingLike
from tokenchunk._expressions import chunk_by
from tokenchunk._expressions import chunk_id as chunk_id_of

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

_CHUNKS = "content"  # the list's name until it is unnested: no kept column can have it
_TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Null)


def chunk_documents(
    frame: Frame,
    *,
    text: str = "text",
    source: str = "source",
    max_tokens: int = 1536,
    overlap: float = 0.2,
    overlap_side: OverlapSide = "both",
    encoding: EncodingLike | None = None,
    model: str | None = None,
    keep: Sequence[str] | None = None,
    chunk_id: bool = False,
) -> Frame:
    """Turn a frame of documents into a frame of chunk rows, in the same order.

    Parameters
    ----------
    frame : DataFrame or LazyFrame
        One document per row.
    text, source : str
        The columns with the documents and with their ids.
    max_tokens, overlap, overlap_side, encoding, model
        As for `chunk`.
    keep : sequence of str, optional
        Other columns to repeat for each chunk; all by default.
    chunk_id : bool
        Whether to add the column ``chunk_id``; the source must then be of integers, text or binary.

    Returns
    -------
    DataFrame or LazyFrame
        As the input. Columns content, source, chunk_index, token_count, char_start, char_end, chunk_id if asked for,
        and the kept ones. A document that is null, empty or all white space has no row.

    Raises
    ------
    TypeError, ValueError
        If an option is wrong, or a column is missing, is not text, or would stand twice in the output: before any work.

    Examples
    --------
    >>> documents = pl.LazyFrame({"source": [1, 2], "text": ["One sentence. Another one.", None], "lang": ["en", "en"]})
    >>> chunk_documents(documents, max_tokens=4, overlap=0).collect()
    shape: (2, 7)
    ┌───────────────┬────────┬─────────────┬─────────────┬────────────┬──────────┬──────┐
    │ content       ┆ source ┆ chunk_index ┆ token_count ┆ char_start ┆ char_end ┆ lang │
    │ ---           ┆ ---    ┆ ---         ┆ ---         ┆ ---        ┆ ---      ┆ ---  │
    │ str           ┆ i64    ┆ i64         ┆ i64         ┆ i64        ┆ i64      ┆ str  │
    ╞═══════════════╪════════╪═════════════╪═════════════╪════════════╪══════════╪══════╡
    │ One sentence. ┆ 1      ┆ 0           ┆ 3           ┆ 0          ┆ 13       ┆ en   │
    │ Another one.  ┆ 1      ┆ 1           ┆ 3           ┆ 14         ┆ 26       ┆ en   │
    └───────────────┴────────┴─────────────┴─────────────┴────────────┴──────────┴──────┘
    """
    config = ChunkConfig(
        max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
    )
    schema = frame.collect_schema()
    kept = kept_columns(list(schema), text=text, source=source, keep=keep, chunk_id=chunk_id)
    if not isinstance(schema[text], _TEXT_TYPES):
        raise ValueError(f"text column {text!r} is {schema[text]}; expected String, Categorical, Enum or Null")
    # The text is left out before the explosion, which would repeat it for each chunk.
    chunks = frame.select(chunk_by(config, text).alias(_CHUNKS), pl.col(source).alias("source"), *kept)
    rows = chunks.explode(_CHUNKS, empty_as_null=False, keep_nulls=False).unnest(_CHUNKS)
    if chunk_id:
        rows = rows.with_columns(chunk_id_of("source", "chunk_index", "content").alias("chunk_id"))
    return rows.select(output_columns(chunk_id=chunk_id, kept=kept))
