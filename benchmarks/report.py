"""What a run found, as a table, as JSON and as a chart."""

from __future__ import annotations

import dataclasses
import datetime
import json
import platform
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from timing import Row, Speed

import tokenchunk as tc

RESULTS = Path(__file__).parent / "results"
PACKAGES = [
    "polars",
    "tiktoken",
    "bpe-openai",
    "toktok-rs",
    "gigatoken",
    "langchain-text-splitters",
    "llama-index-core",
    "semchunk",
    "semantic-text-splitter",
    "chonkie",
]


def setting(encoding: str, max_tokens: int, rounds: int) -> dict[str, str | int]:
    """Everything but the corpora that the figures depend on."""
    return {
        "date": str(datetime.date.today()),
        "machine": _processor(),
        "python": platform.python_version(),
        "encoding": encoding,
        "max_tokens": max_tokens,
        "rounds": rounds,
        "tokenchunk": tc.__version__,
        **_versions(),
    }


def _versions() -> dict[str, str]:
    """Of the packages that are here: our own figures need no peers."""
    versions = dict[str, str]()
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def table(rows: Sequence[Row], about: dict[str, str | int]) -> str:
    """Markdown: the median of each with half its spread, and in brackets the median of our chunking over it."""
    names = list(rows[0].speeds)
    lines = [
        "MB/s of UTF-8 on one thread, warm: the median of the rounds, and half of what lies between the best and the "
        "worst; in brackets how many times as fast our chunking is, the median of the rounds.",
        ", ".join(f"{name} {value}" for name, value in about.items()),
        "",
        f"| corpus | {' | '.join(name.replace('_', ' ') for name in names)} |",
        f"|---|{'---:|' * len(names)}",
    ]
    for row in rows:
        cells = [_cell(name, speed) for name, speed in row.speeds.items()]
        lines.append(f"| {row.corpus}, {row.size_bytes / 1e6:.1f} MB | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _cell(name: str, speed: Speed) -> str:
    figure = f"{speed.median:.1f} ± {(speed.best - speed.worst) / 2:.1f}"
    return figure if name.startswith("ours") else f"{figure} ({speed.ours_over_this:.1f} ×)"


def record(rows: Sequence[Row], about: dict[str, str | int]) -> None:
    """Keep a run under results/: the table, all figures, and the chart."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{about['date']}-{about['encoding']}-{about['max_tokens']}.md"
    path.write_text(table(rows, about))
    figures = {"about": about, "rows": [dataclasses.asdict(row) for row in rows]}
    path.with_suffix(".json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    _chart(rows, path.with_suffix(".svg"))


def _chart(rows: Sequence[Row], path: Path) -> None:
    """Bars by corpus, the median of the rounds, on a logarithmic scale: some peers are a hundred times as slow."""
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.hashsalt": "tokenchunk", "font.size": 9}
    names = list(rows[0].speeds)
    figure, axes = plt.subplots(figsize=(9, 0.15 * len(names) * len(rows)))
    height = 0.8 / len(names)
    for number, name in enumerate(names):
        places = [index + number * height for index in range(len(rows))]
        speeds = [row.speeds[name].median for row in rows]
        bars = axes.barh(places, speeds, height, color=_color(number, name), label=name.replace("_", " "))
        axes.bar_label(bars, fmt="{:.3g}", padding=2, fontsize=6)
    axes.set_yticks([index + 0.4 for index in range(len(rows))], [row.corpus for row in rows])
    axes.set(xscale="log", xlabel="MB/s of UTF-8, one thread, warm")
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.legend(fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})


def _color(number: int, name: str) -> str:
    """Ours in red, tokenisers in blue, what chunks in grey."""
    if name.startswith("ours"):
        return ["#b91c1c", "#ef4444", "#fca5a5"][number % 3]
    if name.endswith(("encode", "count")):
        return ["#1e3a8a", "#3b82f6", "#93c5fd"][number % 3]
    return ["#374151", "#6b7280", "#9ca3af", "#d1d5db", "#111827", "#4b5563"][number % 6]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
