"""The expressions as methods of columns: ``pl.col("text").tokenchunk``."""

from __future__ import annotations

import polars as pl

from tokenchunk import _expressions
from tokenchunk._config import OverlapSide
from tokenchunk._encodings import EncodingLike


@pl.api.register_expr_namespace("tokenchunk")
class TokenchunkNamespace:
    """Token-aware chunking of a text column; each method is the function of that name.

    Examples
    --------
    >>> pl.DataFrame({"text": ["Hello there."]}).select(pl.col("text").tokenchunk.count_tokens()).item()
    3
    """

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def chunk(
        self,
        *,
        max_tokens: int = 1536,
        overlap: float = 0.2,
        overlap_side: OverlapSide = "both",
        encoding: EncodingLike | None = None,
        model: str | None = None,
    ) -> pl.Expr:
        """Cut each document into a list of chunks: see `tokenchunk.chunk`."""
        return _expressions.chunk(
            self._expr,
            max_tokens=max_tokens,
            overlap=overlap,
            overlap_side=overlap_side,
            encoding=encoding,
            model=model,
        )

    def count_tokens(self, *, encoding: EncodingLike | None = None, model: str | None = None) -> pl.Expr:
        """Count the tokens of each document exactly: see `tokenchunk.count_tokens`."""
        return _expressions.count_tokens(self._expr, encoding=encoding, model=model)

    def estimate_tokens(self) -> pl.Expr:
        """Guess the tokens of each document: see `tokenchunk.estimate_tokens`."""
        return _expressions.estimate_tokens(self._expr)

    def split_sentences(self) -> pl.Expr:
        """Split each document into sentences: see `tokenchunk.split_sentences`."""
        return _expressions.split_sentences(self._expr)
