"""Record batches of documents to record batches of chunk rows, with bad documents set apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tokenchunk import ChunkConfig, _native
from tokenchunk._tables import TableChunker
from tokenchunk.beam._errors import DocumentError, too_large
from tokenchunk.beam._log import note_long_document
from tokenchunk.beam._metrics import ChunkMetrics
from tokenchunk.beam._shared import shared_chunker

CALL_BYTES = 8 << 20
"""About how many bytes of text are chunked at a time: bounds what a worker holds beside its input."""


@dataclass(frozen=True)
class Columns:
    """Which columns of a table mean what."""

    text: str
    """The documents."""
    source: str
    """Their ids."""
    keep: tuple[str, ...] | None
    """Other columns to repeat; None for all."""
    chunk_id: bool
    """Whether the output has a column ``chunk_id``."""
    max_document_bytes: int | None
    """Refuse longer documents."""


class BatchChunker:
    """Cuts the record batches of one table.

    Parameters
    ----------
    config : ChunkConfig
        How to chunk.
    columns : Columns
        What is where.
    schema : pyarrow.Schema
        The schema of the documents.
    metrics : ChunkMetrics
        Where to count.
    refuse : callable
        Gets each bad document as a `DocumentError`; may raise it.

    Raises
    ------
    ValueError
        If a column is missing, is no text, or would stand twice in the output.
    """

    def __init__(
        self,
        config: ChunkConfig,
        columns: Columns,
        schema: pa.Schema,
        *,
        metrics: ChunkMetrics,
        refuse: Callable[[DocumentError], None],
    ) -> None:
        self._columns = columns
        self._metrics = metrics
        self._refuse = refuse
        self._chunker = TableChunker(
            shared_chunker(config)._native,
            config,
            schema,
            text=columns.text,
            source=columns.source,
            keep=columns.keep,
            chunk_id=columns.chunk_id,
            call_bytes=CALL_BYTES,
        )
        self.schema: pa.Schema = self._chunker.schema
        self.input_columns: list[str] = self._chunker.input_columns

    def chunk(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Cut a batch of any size; rows come in order, some megabytes at a time."""
        start = 0
        for end in _native.byte_runs(batch.column(self._columns.text), self._columns.text, CALL_BYTES):
            yield from self._chunk_run(batch.slice(start, end - start))
            start = end

    def _chunk_run(self, run: pa.RecordBatch) -> list[pa.RecordBatch]:
        text_bytes = self._text_bytes(run)
        if self._is_long(text_bytes):
            return self._chunk_each(run)
        # A document as long as a run is alone in it.
        if run.num_rows == 1:
            note_long_document(run.column(self._columns.source)[0].as_py(), text_bytes)
        try:
            return self._cut(run)
        except ValueError:
            return self._chunk_each(run)

    def _chunk_each(self, run: pa.RecordBatch) -> list[pa.RecordBatch]:
        """Cut the documents of a run one by one, to find those that cannot be."""
        documents = (run.slice(row, 1) for row in range(run.num_rows))
        return [rows for document in documents for rows in self._chunk_one(document)]

    def _chunk_one(self, document: pa.RecordBatch) -> list[pa.RecordBatch]:
        text, source = self._columns.text, document.column(self._columns.source)[0].as_py()
        text_bytes = self._text_bytes(document)
        if self._is_long(text_bytes):
            return self._fail(too_large(source, text, text_bytes, self._columns.max_document_bytes or 0))
        try:
            return self._cut(document)
        except ValueError as error:
            return self._fail(DocumentError(f"text column {text!r}: {_reason(error)}", source, "invalid_text"))

    def _fail(self, error: DocumentError) -> list[pa.RecordBatch]:
        self._refuse(error)
        self._metrics.add_failed()
        return []

    def _cut(self, run: pa.RecordBatch) -> list[pa.RecordBatch]:
        rows = list(self._chunker.chunk(run))
        index, tokens = (_joined(rows, name) for name in ("chunk_index", "token_count"))
        firsts = np.flatnonzero(index == 0)
        self._metrics.add(
            documents=run.num_rows,
            text_bytes=self._text_bytes(run),
            chunk_tokens=tokens.tolist(),
            document_tokens=np.add.reduceat(tokens, firsts).tolist() if len(firsts) else [],
        )
        return rows

    def _is_long(self, text_bytes: int) -> bool:
        limit = self._columns.max_document_bytes
        return limit is not None and text_bytes > limit

    def _text_bytes(self, batch: pa.RecordBatch) -> int:
        return _native.byte_count(batch.column(self._columns.text), self._columns.text)


def _reason(error: ValueError) -> str:
    """What the core says, without the row number, which counts documents of a batch."""
    return re.sub(r"^column .*?, row \d+: ", "", str(error))


def _joined(rows: Sequence[pa.RecordBatch], column: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    if not rows:
        return np.empty(0, np.int64)
    return np.concatenate([batch.column(column).to_numpy() for batch in rows])
