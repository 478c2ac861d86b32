"""One chunker for all threads of a worker process."""

from __future__ import annotations

import functools

from tokenchunk import ChunkConfig, Chunker


@functools.lru_cache(maxsize=16)
def shared_chunker(config: ChunkConfig) -> Chunker:
    """The process's chunker of a configuration; made at the first call, which `DoFn.setup` is for.

    A chunker is immutable and safe to share, and its vocabulary is part of the package: nothing is fetched.
    """
    return Chunker.from_config(config)
