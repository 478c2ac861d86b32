"""What a job counts while it runs, in Beam's metrics."""

from __future__ import annotations

from collections.abc import Sequence

from apache_beam.metrics import Metrics

NAMESPACE = "tokenchunk"


class ChunkMetrics:
    """Counters and distributions in the namespace ``tokenchunk``.

    A runner may count a bundle again that it tries again: exact totals are in the rows, these show progress.
    """

    def __init__(self) -> None:
        self._documents = Metrics.counter(NAMESPACE, "documents")
        self._empty_documents = Metrics.counter(NAMESPACE, "empty_documents")
        self._failed_documents = Metrics.counter(NAMESPACE, "failed_documents")
        self._chunks = Metrics.counter(NAMESPACE, "chunks")
        self._tokens = Metrics.counter(NAMESPACE, "tokens")
        self._input_bytes = Metrics.counter(NAMESPACE, "input_bytes")
        self._chunk_tokens = Metrics.distribution(NAMESPACE, "chunk_tokens")
        self._document_tokens = Metrics.distribution(NAMESPACE, "document_tokens")

    def add(
        self, *, documents: int, text_bytes: int, chunk_tokens: Sequence[int], document_tokens: Sequence[int]
    ) -> None:
        """Count a batch.

        Parameters
        ----------
        documents : int
            Documents that were read, those without chunks included.
        text_bytes : int
            Bytes of their text in UTF-8.
        chunk_tokens : sequence of int
            Tokens of each chunk.
        document_tokens : sequence of int
            Tokens of each document that has chunks, overlap counted as often as it is written.
        """
        self._documents.inc(documents)
        self._empty_documents.inc(documents - len(document_tokens))
        self._chunks.inc(len(chunk_tokens))
        self._tokens.inc(sum(chunk_tokens))
        self._input_bytes.inc(text_bytes)
        for tokens in chunk_tokens:
            self._chunk_tokens.update(tokens)
        for tokens in document_tokens:
            self._document_tokens.update(tokens)

    def add_failed(self, documents: int = 1) -> None:
        """Count documents that were refused."""
        self._documents.inc(documents)
        self._failed_documents.inc(documents)
