"""Exact token-aware chunking for dataframes.

Documents come as rows; embedding models take pieces of bounded token length. `tokenchunk` turns document rows into
chunk rows with exact token counts, a hard limit, natural borders, overlap and offsets. One core in Rust, several
fronts:

- Polars expressions and frames: `chunk`, `count_tokens`, `estimate_tokens`, `split_sentences`, `chunk_documents`, and
  the same on columns as ``pl.col("text").tokenchunk``;
- plain Python and Arrow: `Chunker`;
- Parquet to Parquet in bounded memory: `chunk_parquet`, and ``tokenchunk chunk`` on the command line.

Examples
--------
>>> import polars as pl
>>> import tokenchunk as tc
>>> documents = pl.DataFrame({"source": ["a.txt"], "text": ["One sentence. Another one."]})
>>> tc.chunk_documents(documents, max_tokens=4, overlap=0).select("content", "token_count").rows()
[('One sentence.', 3), ('Another one.', 3)]
"""

from tokenchunk import _namespace as _namespace
from tokenchunk._chunker import Chunk, Chunker
from tokenchunk._config import ChunkConfig
from tokenchunk._encodings import CustomEncoding, export_vocabularies, register_encoding
from tokenchunk._expressions import chunk, count_tokens, estimate_tokens, split_sentences
from tokenchunk._frames import chunk_documents
from tokenchunk._native import BUILTIN_ENCODINGS, __version__
from tokenchunk._parquet import Summary, chunk_parquet

__all__ = [
    "BUILTIN_ENCODINGS",
    "Chunk",
    "ChunkConfig",
    "Chunker",
    "CustomEncoding",
    "Summary",
    "__version__",
    "chunk",
    "chunk_documents",
    "chunk_parquet",
    "count_tokens",
    "estimate_tokens",
    "export_vocabularies",
    "register_encoding",
    "split_sentences",
]
