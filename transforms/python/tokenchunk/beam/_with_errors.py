"""One output of chunks, or two: chunks and errors."""

from __future__ import annotations

import copy
from typing import Any

import apache_beam as beam
from typing_extensions import Self

from tokenchunk.beam._errors import ERRORS, ChunkError

CHUNKS = "chunks"


class WithErrors(beam.PTransform[Any, Any]):
    """A transform that raises for a bad document unless its errors are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.tag_errors = False

    def with_exception_handling(self) -> Self:
        """The same transform with two outputs, ``chunks`` and ``errors``, the latter of `ChunkError` rows."""
        both = copy.copy(self)
        both.tag_errors = True
        return both

    def apply_fn(self, pcoll: beam.PCollection[Any], fn: beam.DoFn, element_type: Any) -> Any:
        """Apply a DoFn that yields chunks and, if errors are asked for, `ChunkError` rows under their tag."""
        pardo = beam.ParDo(fn).with_output_types(element_type)
        if not self.tag_errors:
            return pcoll | "Chunk" >> pardo
        outputs = pcoll | "Chunk" >> pardo.with_outputs(ERRORS, main=CHUNKS)
        outputs[ERRORS].element_type = ChunkError
        return outputs
