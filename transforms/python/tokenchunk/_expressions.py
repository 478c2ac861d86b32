"""Polars expressions: the plugin's functions with checked options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from polars.plugins import register_plugin_function

from tokenchunk import _native
from tokenchunk._config import ChunkConfig, OverlapSide
from tokenchunk._encodings import EncodingLike

IntoExprColumn = pl.Expr | str | pl.Series

# The file itself: given a folder, Polars takes the first library in it.
_LIBRARY = Path(_native.__file__)


def chunk(
    text: IntoExprColumn,
    *,
    max_tokens: int = 1536,
    overlap: float = 0.2,
    overlap_side: OverlapSide = "both",
    encoding: EncodingLike | None = None,
    model: str | None = None,
) -> pl.Expr:
    """Cut each document into a list of chunks.

    Parameters
    ----------
    text : str, Expr or Series
        The column with the documents: String, Categorical, Enum or Null.
    max_tokens : int
        Hard limit of each chunk in tokens, overlap included.
    overlap : int or float
        Tokens of the neighbouring text to repeat on each side that `overlap_side` names: an int counts tokens, a float
        in [0, 0.5) is a share of `max_tokens`.
    overlap_side : {"both", "before"}
        Repeat text of both neighbours, or of the one before only.
    encoding : str or tiktoken.Encoding, optional
        A built-in encoding's name (default ``"cl100k_base"``) or any `tiktoken.Encoding`.
    model : str, optional
        Instead of `encoding`: a model's name.

    Returns
    -------
    Expr
        ``List[Struct{content: String, chunk_index, token_count, char_start, char_end: Int64}]``; null for null, an
        empty list for a document that is empty or all white space. The content is not copied: it points into the
        document.

    Raises
    ------
    TypeError, ValueError
        If an option is wrong, at once. A column that is not text is refused when Polars resolves the schema.

    Examples
    --------
    >>> df = pl.DataFrame({"text": ["One sentence. Another one."]})
    >>> df.select(chunk("text", max_tokens=4, overlap=0)).explode("text").unnest("text")
    shape: (2, 5)
    ┌───────────────┬─────────────┬─────────────┬────────────┬──────────┐
    │ content       ┆ chunk_index ┆ token_count ┆ char_start ┆ char_end │
    │ ---           ┆ ---         ┆ ---         ┆ ---        ┆ ---      │
    │ str           ┆ i64         ┆ i64         ┆ i64        ┆ i64      │
    ╞═══════════════╪═════════════╪═════════════╪════════════╪══════════╡
    │ One sentence. ┆ 0           ┆ 3           ┆ 0          ┆ 13       │
    │ Another one.  ┆ 1           ┆ 3           ┆ 14         ┆ 26       │
    └───────────────┴─────────────┴─────────────┴────────────┴──────────┘
    """
    config = ChunkConfig(
        max_tokens=max_tokens, overlap=overlap, overlap_side=overlap_side, encoding=encoding, model=model
    )
    return chunk_by(config, text)


def chunk_by(config: ChunkConfig, text: IntoExprColumn) -> pl.Expr:
    """`chunk` with a configuration that was made before."""
    options = {
        **_encoding_options(config),
        "max_tokens": config.max_tokens,
        "overlap_tokens": config.overlap_tokens,
        "overlap_side": config.overlap_side,
    }
    return _plugin("chunk", [text], options)


def count_tokens(text: IntoExprColumn, *, encoding: EncodingLike | None = None, model: str | None = None) -> pl.Expr:
    """Count the tokens of each document exactly; special tokens in it are text.

    Parameters
    ----------
    text : str, Expr or Series
        The column with the documents: String, Categorical, Enum or Null.
    encoding, model
        As for `chunk`.

    Returns
    -------
    Expr
        Int64; null for null.

    Raises
    ------
    TypeError, ValueError
        As `chunk`.

    Examples
    --------
    >>> pl.DataFrame({"text": ["Hello there.", None]}).select(count_tokens("text"))["text"].to_list()
    [3, None]
    """
    return _plugin("count_tokens", [text], _encoding_options(ChunkConfig(encoding=encoding, model=model)))


def estimate_tokens(text: IntoExprColumn) -> pl.Expr:
    """Guess the tokens of each document as a quarter of its characters, rounded up.

    Quick and about right for English prose; far too low for other scripts, numbers and code. Never a limit: for that
    there is `count_tokens`.

    Parameters
    ----------
    text : str, Expr or Series
        The column with the documents: String, Categorical, Enum or Null.

    Returns
    -------
    Expr
        Int64; null for null.

    Examples
    --------
    >>> pl.DataFrame({"text": ["Hello there.", ""]}).select(estimate_tokens("text"))["text"].to_list()
    [3, 0]
    """
    return _plugin("estimate_tokens", [text])


def split_sentences(text: IntoExprColumn) -> pl.Expr:
    """Split each document into sentences.

    Parameters
    ----------
    text : str, Expr or Series
        The column with the documents: String, Categorical, Enum or Null.

    Returns
    -------
    Expr
        ``List[String]``; null for null. Joined, the pieces give the document back: white space stays at a sentence's
        end.

    Examples
    --------
    >>> pl.DataFrame({"text": ["One sentence. Another one."]}).select(split_sentences("text"))["text"].to_list()
    [['One sentence. ', 'Another one.']]
    """
    return _plugin("split_sentences", [text])


def chunk_id(source: IntoExprColumn, chunk_index: IntoExprColumn, content: IntoExprColumn) -> pl.Expr:
    """The ids of chunk rows, from the three columns that they depend on."""
    return _plugin("chunk_id", [source, chunk_index, content])


def _encoding_options(config: ChunkConfig) -> dict[str, Any]:
    return {"encoding": config.encoding_name, "sha256": config.encoding_sha256}


def _plugin(name: str, columns: list[IntoExprColumn], options: dict[str, Any] | None = None) -> pl.Expr:
    return register_plugin_function(
        plugin_path=_LIBRARY,
        function_name=name,
        args=columns,
        kwargs=options,
        # A row of the output depends on the same row of the input and on nothing else, and there are as many. This is
        # what lets Polars stream: without it the whole column is one call.
        is_elementwise=True,
    )
