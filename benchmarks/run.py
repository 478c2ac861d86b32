"""Our speed beside the peers', on one thread, in one process and one run.

    make bench                                                   # what every machine has
    python benchmarks/run.py --corpus docs.parquet --language zh # a corpus of one's own

All contenders take turns, round after round, so that a machine that slows down slows all of them; a contender's ratio
to ours is the median over the rounds. The chunkers are slow: they get a part of the corpus. Prints a table in Markdown
and, with --record, keeps it under results/ with date, machine and versions.
"""

from __future__ import annotations

import os

# One thread for everybody, before anything starts a pool.
os.environ |= {"TOKENCHUNK_THREADS": "1", "POLARS_MAX_THREADS": "1", "RAYON_NUM_THREADS": "1"}

import datetime
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from contenders import CHUNKERS, OURS, TOKENISERS, Contender, Texts, Work
from corpora import BUILT_IN, from_parquet

import tokenchunk as tc

RESULTS = Path(__file__).parent / "results"
PEERS = [
    "tiktoken",
    "toktok-rs",
    "gigatoken",
    "langchain-text-splitters",
    "semchunk",
    "semantic-text-splitter",
    "chonkie",
]
CHUNKERS_BYTES = 300_000


def main(
    corpus: Annotated[list[Path] | None, typer.Option(help="A Parquet file with columns text and lang.")] = None,
    language: Annotated[list[str] | None, typer.Option(help="Only these of its languages; each is a row.")] = None,
    encoding: str = "cl100k_base",
    max_tokens: int = 512,
    rounds: int = 7,
    chunkers: Annotated[bool, typer.Option(help="Time the peers that chunk, too.")] = False,
    record: Annotated[bool, typer.Option(help="Keep the table under results/.")] = False,
) -> None:
    """Time everybody and print MB/s of UTF-8, and the ratio of our chunking to each."""
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(tc.export_vocabularies(Path(tempfile.mkdtemp()))[0].parent))
    contenders = [*OURS, *TOKENISERS, *(CHUNKERS if chunkers else [])]
    lines = [_heading(contenders)]
    for name, texts in _texts(corpus or [], language or []):
        lines.append(_row(name, texts, contenders, encoding, max_tokens, rounds))
        print(lines[-1], flush=True)
    report = "\n".join([_setting(encoding, max_tokens, rounds), "", *lines, ""])
    print(report)
    if record:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{datetime.date.today()}-{encoding}-{max_tokens}.md").write_text(report)


def _texts(corpora: Sequence[Path], languages: Sequence[str]) -> list[tuple[str, Texts]]:
    if not corpora:
        return [(name, make()) for name, make in BUILT_IN.items()]
    named = [(f"{path.stem} {language}", from_parquet(path, language)) for path in corpora for language in languages]
    return [(name, texts) for name, texts in named if texts] or [(path.stem, from_parquet(path)) for path in corpora]


def _row(name: str, texts: Texts, contenders: Sequence[Contender], encoding: str, max_tokens: int, rounds: int) -> str:
    samples = [_sample(texts) if contender in CHUNKERS else texts for contender in contenders]
    works = [contender(sample, encoding, max_tokens) for contender, sample in zip(contenders, samples, strict=True)]
    sizes = [sum(len(text.encode()) for text in sample) for sample in samples]
    for work in works:
        work()  # Vocabularies are loaded and caches filled; nobody is timed cold here.
    speeds = [_speeds(works, sizes) for _ in range(rounds)]
    cells = []
    for number in range(len(contenders)):
        best = max(speed[number] for speed in speeds)
        ratio = statistics.median(speed[0] / speed[number] for speed in speeds)
        cells.append(f"{best:.1f}" if number < len(OURS) else f"{best:.1f} ({ratio:.1f} ×)")
    return f"| {name} ({sizes[0] / 1e6:.1f} MB) | {' | '.join(cells)} |"


def _speeds(works: Sequence[Work], sizes: Sequence[int]) -> list[float]:
    """MB/s of each, one after the other."""
    speeds = []
    for work, size in zip(works, sizes, strict=True):
        start = time.perf_counter()
        work()
        speeds.append(size / (time.perf_counter() - start) / 1e6)
    return speeds


def _sample(texts: Texts) -> Texts:
    sample, size = [], 0
    for text in texts:
        if size > CHUNKERS_BYTES:
            break
        sample.append(text)
        size += len(text.encode())
    return sample


def _heading(contenders: Sequence[Contender]) -> str:
    names = [contender.__name__.replace("_", " ") for contender in contenders]
    return f"| corpus | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}"


def _setting(encoding: str, max_tokens: int, rounds: int) -> str:
    peers = ", ".join(f"{peer} {version(peer)}" for peer in PEERS)
    return (
        f"MB/s of UTF-8, best of {rounds}; in brackets our chunking over the peer, median. "
        f"{encoding}, {max_tokens} tokens, one thread, warm. "
        f"{datetime.date.today()}, {_processor()}, Python {platform.python_version()}, "
        f"tokenchunk {tc.__version__}, {peers}."
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


if __name__ == "__main__":
    typer.run(main)
