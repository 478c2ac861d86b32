"""Which encoding is meant: a built-in name, a model's name, or the user's own `tiktoken.Encoding`."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from tokenchunk import _native
from tokenchunk._files import PathLike, whole_file

# Where tiktoken would download each vocabulary from; the name of its cached copy is the hash of this address.
_TIKTOKEN_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
_VOCABULARIES = ("cl100k_base", "o200k_base", "p50k_base", "r50k_base")


@runtime_checkable
class TiktokenEncoding(Protocol):
    """What is needed of a `tiktoken.Encoding`: its name, its pattern and its ranks."""

    name: str
    _pat_str: str
    _mergeable_ranks: dict[bytes, int]


@dataclass(frozen=True)
class CustomEncoding:
    """An encoding that is not built in, as plain data; making one makes it known in this process.

    It pickles whole, so that a process that receives it knows it too.

    Parameters
    ----------
    name : str
        The encoding's name, for messages.
    pattern : str
        The regular expression that cuts text into pieces, as tiktoken has it.
    vocabulary : bytes
        The tokens and their ranks in the form of a ``.tiktoken`` file.

    Attributes
    ----------
    sha256 : str
        The hash over pattern and vocabulary by which the encoding is known.

    Raises
    ------
    ValueError
        If the vocabulary or the pattern cannot be used.
    """

    name: str
    pattern: str = field(repr=False)
    vocabulary: bytes = field(repr=False, compare=False)
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        ranks = _parse_vocabulary(self.name, self.vocabulary)
        object.__setattr__(self, "sha256", _native.register_encoding(self.name, self.pattern, ranks))

    def __reduce__(self) -> tuple[type[CustomEncoding], tuple[str, str, bytes]]:
        return CustomEncoding, (self.name, self.pattern, self.vocabulary)


EncodingLike = str | TiktokenEncoding | CustomEncoding


def register_encoding(encoding: TiktokenEncoding) -> str:
    """Make a `tiktoken.Encoding` known in this process, for Polars plans made in another one.

    A plan carries only the hash of an encoding that is not built in. Chunkers and expressions made in this process need
    no call: they register what they are given.

    Parameters
    ----------
    encoding : tiktoken.Encoding
        The encoding.

    Returns
    -------
    str
        The hash that names it; for an encoding that is built in, its name.

    Raises
    ------
    TypeError
        If it is not a `tiktoken.Encoding`.
    ValueError
        If its vocabulary or pattern cannot be used.
    """
    resolved = resolve_encoding(encoding, None)
    return resolved if isinstance(resolved, str) else resolved.sha256


def resolve_encoding(encoding: EncodingLike | None, model: str | None) -> str | CustomEncoding:
    """The built-in name or the custom encoding that the two parameters mean together."""
    if model is not None:
        if encoding is not None:
            raise ValueError(f"give encoding or model, not both: encoding={_shown(encoding)}, model={model!r}")
        return _check_name(_encoding_of_model(model), f"model {model!r} uses encoding")
    if encoding is None:
        return "cl100k_base"
    if isinstance(encoding, str):
        return _check_name(encoding, "unknown encoding")
    if isinstance(encoding, CustomEncoding):
        return encoding
    if isinstance(encoding, TiktokenEncoding):
        return _from_tiktoken(encoding)
    kind = type(encoding).__name__
    raise TypeError(f"encoding must be a name or a tiktoken.Encoding, not {kind}")


def _shown(encoding: EncodingLike) -> str:
    return repr(encoding if isinstance(encoding, str) else encoding.name)


def _check_name(name: str, before: str) -> str:
    if name not in _native.BUILTIN_ENCODINGS:
        known = ", ".join(_native.BUILTIN_ENCODINGS)
        raise ValueError(f"{before} {name!r}; built in are {known}; give any other as a tiktoken.Encoding object")
    return name


def _encoding_of_model(model: str) -> str:
    if not isinstance(model, str):
        raise TypeError(f"model must be str, not {type(model).__name__}")
    try:
        from tiktoken.model import encoding_name_for_model
    except ImportError as error:
        raise ImportError("model= is resolved by tiktoken's table: pip install tokenchunk[tiktoken]") from error
    try:
        return encoding_name_for_model(model)
    except KeyError:
        raise ValueError(f"unknown model {model!r}: tiktoken's table does not have it; give encoding instead") from None


def _from_tiktoken(encoding: TiktokenEncoding) -> str | CustomEncoding:
    """The built-in encoding with the same pattern and vocabulary, which is quicker, or else a custom one."""
    vocabulary = _format_vocabulary(encoding._mergeable_ranks)
    sha256 = hashlib.sha256(vocabulary).hexdigest()
    for name in sorted(_native.BUILTIN_ENCODINGS, key=lambda name: name != encoding.name):
        if _native.encoding_pattern(name) == encoding._pat_str and _native.vocabulary_sha256(name) == sha256:
            return name
    return CustomEncoding(encoding.name, encoding._pat_str, vocabulary)


def _format_vocabulary(ranks: Mapping[bytes, int]) -> bytes:
    by_rank = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in by_rank)


def _parse_vocabulary(name: str, vocabulary: bytes) -> list[tuple[bytes, int]]:
    try:
        pairs = (line.split() for line in vocabulary.splitlines() if line)
        return [(base64.b64decode(token, validate=True), int(rank)) for token, rank in pairs]
    except ValueError:
        raise ValueError(f"the vocabulary of encoding {name!r} is not in the form of a .tiktoken file") from None


def export_vocabularies(folder: PathLike) -> list[Path]:
    """Write the built-in vocabularies under the names that tiktoken's cache uses.

    With ``TIKTOKEN_CACHE_DIR`` set to the folder, tiktoken works without a network for every built-in encoding but
    ``gpt2``, which it reads from files of another form (its counts are those of ``r50k_base``).

    Parameters
    ----------
    folder : str or os.PathLike
        Where to write; made if it does not exist. Files that exist are replaced.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(len(export_vocabularies(folder)))
    4
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return [_export_vocabulary(folder, name) for name in _VOCABULARIES]


def _export_vocabulary(folder: Path, name: str) -> Path:
    target = folder / hashlib.sha1(_TIKTOKEN_ADDRESS.format(name=name).encode()).hexdigest()
    # Whole or not at all: tiktoken deletes what it finds damaged.
    with whole_file(target) as temporary:
        temporary.write_bytes(_native.vocabulary_file(name))
    return target
