"""Our speed beside the peers', on one thread, in one process and one run.

make bench                                                # all of it on what every machine has; kept under results/
python benchmarks/run.py peers --corpus docs.parquet      # a corpus of one's own, a row for each of its languages
python benchmarks/run.py worst                            # texts that make tokenisers slow
python benchmarks/run.py cold                             # what a fresh process waits for
python benchmarks/run.py fronts --corpus docs.parquet     # Polars and Parquet to Parquet beside the core
"""

from __future__ import annotations

import os

# One thread for everybody, before anything starts a pool.
os.environ |= {"TOKENCHUNK_THREADS": "1", "POLARS_MAX_THREADS": "1", "RAYON_NUM_THREADS": "1"}

import tempfile
from pathlib import Path
from statistics import median
from typing import Annotated

import cold as cold_start
import fronts as all_fronts
import polars as pl
import report
import typer
import worst as worst_cases
from contenders import CHUNKERS, OURS, TOKENISERS
from corpora import BUILT_IN, documentation, from_parquet
from timing import Row, race

import tokenchunk as tc

app = typer.Typer(add_completion=False, help=__doc__)
ENCODINGS = ["cl100k_base", "o200k_base"]
Encoding = Annotated[str, typer.Option(help="The name of an encoding.")]


@app.command()
def peers(
    corpus: Annotated[list[Path] | None, typer.Option(help="Parquet with columns text and, maybe, lang.")] = None,
    encoding: Annotated[list[str] | None, typer.Option(help="May be repeated; all that all contenders know.")] = None,
    max_tokens: int = 512,
    rounds: int = 7,
    chunkers: Annotated[bool, typer.Option(help="Time the peers that chunk, too: they are slow.")] = True,
    record: Annotated[bool, typer.Option(help="Keep table, figures and chart under results/.")] = False,
) -> None:
    """Time everybody and print MB/s of UTF-8, and the ratio of our chunking to each."""
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(tc.export_vocabularies(Path(tempfile.mkdtemp()))[0].parent))
    contenders = [*OURS, *TOKENISERS, *(CHUNKERS if chunkers else [])]
    corpora = {name: make() for name, make in BUILT_IN.items()} if not corpus else {}
    for path in corpus or []:
        corpora |= from_parquet(path)
    for name in encoding or ENCODINGS:
        about, rows = report.setting(name, max_tokens, rounds), list[Row]()
        for title, texts in corpora.items():
            rows.append(race(title, texts, contenders, CHUNKERS, name, max_tokens, rounds))
            typer.echo(f"{name}, {title}: {rows[-1].speeds['ours_chunk'].median:.1f} MB/s", err=True)
        typer.echo(report.table(rows, about))
        if record:
            report.record(rows, about)


@app.command()
def worst(encoding: Encoding = "cl100k_base", max_tokens: int = 512, rounds: int = 3, megabytes: int = 10) -> None:
    """Time our own chunking of texts that are hard on tokenisers, one document each, beside prose."""
    corpora = worst_cases.texts(megabytes)
    rows = [race(name, texts, OURS, [], encoding, max_tokens, rounds) for name, texts in corpora.items()]
    typer.echo(report.table(rows, report.setting(encoding, max_tokens, rounds)))
    prose, *hard = (row.speeds["ours_chunk"].median for row in rows)
    typer.echo(f"The slowest goes at {min(hard) / prose:.2f} of the rate of prose.")


@app.command()
def cold(encoding: Encoding = "cl100k_base", processes: int = 9) -> None:
    """Time import and first call in fresh processes, and a call on 100 short rows."""
    imported, first, later = cold_start.milliseconds(encoding, processes)
    typer.echo(f"import {imported:.0f} ms, first call {first:.0f} ms, 100 short rows {later:.2f} ms ({encoding})")


@app.command()
def fronts(corpus: Path | None = None, copies: int = 4, threads: int = 2, rounds: int = 5) -> None:
    """Time the core, Polars' streaming engine and Parquet to Parquet, on one thread and on several."""
    texts = pl.read_parquet(corpus)["text"].to_list() if corpus else documentation()
    runs = [(front, count) for count in (1, threads) for front in all_fronts.FRONTS]
    with tempfile.TemporaryDirectory() as folder:
        source, longer = Path(folder) / "source.parquet", Path(folder) / "longer.parquet"
        all_fronts.write(texts, copies, source)
        all_fronts.write(texts, copies * 10, longer)
        taken = [{run: all_fronts.fresh(run[0], source, run[1])[0] for run in runs} for _ in range(rounds)]
        peaks_mib = [all_fronts.fresh("parquet", path, threads)[1] for path in (source, longer)]
    for front, count in runs:
        speed = median(one[front, count] for one in taken)
        share = median(one[front, count] / one["core", count] for one in taken)
        typer.echo(f"{front}, {count} threads: {speed:.1f} MB/s, {share:.2f} of the core")
    typer.echo(
        f"peak memory of Parquet to Parquet: {peaks_mib[0]:.0f} MiB, with ten times the input {peaks_mib[1]:.0f}"
    )


if __name__ == "__main__":
    app()
