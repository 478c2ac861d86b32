"""Who waits for a document that takes long is told which one it is."""

from __future__ import annotations

import logging

LONG_BYTES = 8 << 20
"""From so many bytes of text on, a document is worth a line: it takes a tenth of a second or so."""

_logger = logging.getLogger("tokenchunk.beam")


def note_long_document(source: object, text_bytes: int) -> None:
    """Log the id and the size of a long document before it is chunked; never its text."""
    if text_bytes >= LONG_BYTES:
        _logger.info("document %r has %d bytes of text", source, text_bytes)
