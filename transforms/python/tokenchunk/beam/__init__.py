"""The chunker for Apache Beam: the same rows as every other front, on any runner.

- `ChunkDocuments` (and `ChunkDoFn` for a `ParDo` of your own): rows of documents to rows of chunks.
- `ChunkTables`: `pyarrow.Table` to `pyarrow.Table`, for bulk work.
- `ChunkParquet`: a whole job, Parquet files to Parquet files, that can be killed and resumed.
- `TokenChunkingProvider`: the chunking step of `apache_beam.ml.rag`, for `MLTransform` and the vector stores.

Beam YAML finds the transforms through `YAML_PROVIDERS`, a file in this package.

Examples
--------
>>> import apache_beam as beam
>>> from tokenchunk.beam import ChunkDocuments
>>> documents = [{"source": "a.txt", "text": "One sentence. Another one."}]
>>> with beam.Pipeline(runner="FnApiRunner") as pipeline:
...     chunks = pipeline | beam.Create(documents) | ChunkDocuments(max_tokens=4, overlap=0)
...     _ = chunks | beam.Map(lambda row: print(row.chunk_index, row.token_count, row.content))
0 3 One sentence.
1 3 Another one.
"""

try:
    import apache_beam as _apache_beam  # noqa: F401
except ImportError as error:
    raise ImportError("tokenchunk.beam needs Apache Beam: pip install 'tokenchunk[beam]'") from error

from tokenchunk.beam._documents import ChunkDocuments, ChunkDoFn
from tokenchunk.beam._errors import ChunkError, DocumentError
from tokenchunk.beam._parquet import ChunkParquet
from tokenchunk.beam._providers import YAML_PROVIDERS
from tokenchunk.beam._rag import TokenChunkingProvider
from tokenchunk.beam._row import CHUNK_SCHEMA, ChunkRow
from tokenchunk.beam._tables import ChunkTables
from tokenchunk.beam._units import UnitResult

__all__ = [
    "CHUNK_SCHEMA",
    "YAML_PROVIDERS",
    "ChunkDoFn",
    "ChunkDocuments",
    "ChunkError",
    "ChunkParquet",
    "ChunkRow",
    "ChunkTables",
    "DocumentError",
    "TokenChunkingProvider",
    "UnitResult",
]
