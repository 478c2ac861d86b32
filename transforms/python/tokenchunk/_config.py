"""The one configuration that every front is built from."""

from __future__ import annotations

import hashlib
import json
import operator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, SupportsIndex, get_args

from tokenchunk import _native
from tokenchunk._encodings import CustomEncoding, EncodingLike, resolve_encoding

OverlapSide = Literal["both", "before"]

_MIN_TOKENS = 4  # one code point can cost as many
_MAX_TOKENS = 2**31 - 1


@dataclass(frozen=True)
class ChunkConfig:
    """A checked configuration: plain data that pickles small, compares by value and has a stable fingerprint.

    Parameters
    ----------
    max_tokens : int
        Hard limit of each chunk in tokens, overlap included: 4 to 2147483647.
    overlap : int or float
        Tokens of the neighbouring text to repeat on each side that `overlap_side` names. An int counts tokens; a float
        in [0, 0.5) is a share of `max_tokens`, rounded down. The attribute is the number of tokens.
    overlap_side : {"both", "before"}
        ``"both"``: the tail of the chunk before and the head of the chunk after; ``"before"``: the former only.
    encoding : str or tiktoken.Encoding, optional
        A built-in encoding's name (default ``"cl100k_base"``) or any `tiktoken.Encoding`.
    model : str, optional
        Instead of `encoding`: a model's name, resolved by tiktoken's table. It is not kept; `encoding` is what it
        means.

    Raises
    ------
    TypeError
        If a parameter has the wrong type.
    ValueError
        If a parameter is out of range, if encoding and model are both given or unknown, or if the overlap leaves less
        than 4 tokens of the limit for new text.

    Examples
    --------
    >>> config = ChunkConfig(max_tokens=512, overlap=0.2)
    >>> config.overlap, config.encoding
    (102, 'cl100k_base')
    >>> ChunkConfig.from_json(config.to_json()) == config
    True
    """

    max_tokens: int = 1536
    overlap: int | float = 0.2
    overlap_side: OverlapSide = "both"
    encoding: str | CustomEncoding = "cl100k_base"

    def __init__(
        self,
        *,
        max_tokens: int = 1536,
        overlap: float = 0.2,
        overlap_side: OverlapSide = "both",
        encoding: EncodingLike | None = None,
        model: str | None = None,
    ) -> None:
        limit = _check_max_tokens(max_tokens)
        if overlap_side not in get_args(OverlapSide):
            raise ValueError(f"overlap_side must be 'both' or 'before', not {overlap_side!r}")
        tokens = _check_overlap(overlap, limit, overlap_side)
        resolved = resolve_encoding(encoding, model)
        object.__setattr__(self, "max_tokens", limit)
        object.__setattr__(self, "overlap", tokens)
        object.__setattr__(self, "overlap_side", overlap_side)
        object.__setattr__(self, "encoding", resolved)

    @property
    def overlap_tokens(self) -> int:
        """The overlap in tokens on each side."""
        return int(self.overlap)

    @property
    def overlapped_sides(self) -> int:
        """On how many sides a chunk may repeat text."""
        return _sides(self.overlap_side) if self.overlap_tokens else 0

    @property
    def smallest_budget(self) -> int:
        """The fewest tokens of new text that a chunk has room for: the limit less the overlap on its sides."""
        return self.max_tokens - self.overlapped_sides * self.overlap_tokens

    @property
    def encoding_name(self) -> str:
        """The encoding's name."""
        return self.encoding if isinstance(self.encoding, str) else self.encoding.name

    @property
    def encoding_sha256(self) -> str | None:
        """The hash that names a custom encoding; None for a built-in one."""
        return None if isinstance(self.encoding, str) else self.encoding.sha256

    @property
    def fingerprint(self) -> str:
        """A hash of all that the chunks of a text depend on.

        SHA-256, in hexadecimal, over the canonical JSON of the configuration, the version of the sentence rules and the
        hash of the vocabulary. Equal fingerprints mean equal chunks.
        """
        identity = self._named() | {
            "rules_version": _native.RULES_VERSION,
            "vocabulary_sha256": _native.vocabulary_sha256(self.encoding_name, self.encoding_sha256),
        }
        return hashlib.sha256(_canonical(identity).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The options that every front takes: ``chunk("text", **config.to_dict())``."""
        return {
            "max_tokens": self.max_tokens,
            "overlap": self.overlap_tokens,
            "overlap_side": self.overlap_side,
            "encoding": self.encoding,
        }

    def _named(self) -> dict[str, Any]:
        """The options with the encoding by name, and by hash if it is not built in."""
        named = self.to_dict() | {"encoding": self.encoding_name}
        return named if self.encoding_sha256 is None else named | {"encoding_sha256": self.encoding_sha256}

    def to_json(self) -> str:
        """The configuration as one line of JSON; of a custom encoding only the name and the hash."""
        return _canonical(self._named())

    @classmethod
    def from_json(cls, text: str) -> ChunkConfig:
        """The configuration that `to_json` wrote.

        Raises
        ------
        ValueError
            If it is not such JSON, or names a custom encoding, which does not travel in JSON.
        """
        values = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError("a configuration in JSON must be an object")
        if "encoding_sha256" in values:
            raise ValueError(f"encoding {values.get('encoding')!r} is not built in: only a pickle carries it whole")
        unknown = values.keys() - {"max_tokens", "overlap", "overlap_side", "encoding"}
        if unknown:
            raise ValueError(f"unknown parameters in the configuration: {', '.join(sorted(unknown))}")
        return cls(**values)

    def native(self) -> _native.Chunker:
        """The Rust chunker of this configuration."""
        return _native.Chunker(
            self.encoding_name, self.encoding_sha256, self.max_tokens, self.overlap_tokens, self.overlap_side
        )


def _canonical(values: dict[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"))


def _sides(overlap_side: OverlapSide) -> int:
    return 2 if overlap_side == "both" else 1


def _integer(name: str, value: SupportsIndex) -> int:
    """Any integer, NumPy's too, but no bool, which is one by accident."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    return operator.index(value)


def _check_max_tokens(max_tokens: int) -> int:
    value = _integer("max_tokens", max_tokens)
    if not _MIN_TOKENS <= value <= _MAX_TOKENS:
        raise ValueError(f"max_tokens must be from {_MIN_TOKENS} to {_MAX_TOKENS}, not {value}")
    return value


def _check_overlap(overlap: float, max_tokens: int, side: OverlapSide) -> int:
    tokens = _overlap_tokens(overlap, max_tokens)
    budget = max_tokens - _sides(side) * tokens
    if budget < _MIN_TOKENS:
        reserved = "twice the overlap" if side == "both" else "the overlap"
        raise ValueError(
            f"max_tokens={max_tokens} less {reserved} ({overlap!r}, {tokens} tokens) leaves {budget} for new text, "
            f"but at least {_MIN_TOKENS} are needed"
        )
    return tokens


def _overlap_tokens(overlap: float, max_tokens: int) -> int:
    if isinstance(overlap, float):
        if not 0 <= overlap < 0.5:
            raise ValueError(f"overlap as a share of max_tokens={max_tokens} must be in [0, 0.5), not {overlap!r}")
        # As written: 0.29 of 100 is 29, though the nearest binary fraction lies below.
        return int(Decimal(repr(float(overlap))) * max_tokens)
    try:
        tokens = _integer("overlap", overlap)
    except TypeError:
        raise TypeError(f"overlap must be an int (tokens) or a float (share), not {type(overlap).__name__}") from None
    if tokens < 0:
        raise ValueError(f"overlap must be 0 or more tokens of max_tokens={max_tokens}, not {tokens}")
    return tokens
