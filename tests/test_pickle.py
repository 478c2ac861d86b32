"""What travels between processes, and what threads and forks do not change."""

from __future__ import annotations

import os
import pickle
import threading
from pathlib import Path

import polars as pl
import pytest
import tiktoken

import tokenchunk as tc
from conftest import Rows, Script


def own_encoding() -> tiktoken.Encoding:
    """An encoding that nobody has built in: bytes, and a few words."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {word: 1000 + 7 * i for i, word in enumerate([b"th", b"the", b" t", b"in", b"er"])}
    return tiktoken.Encoding(
        name="own",
        pat_str=r"\p{L}+|\p{N}{1,2}|\s+|[^\s\p{L}\p{N}]+",
        mergeable_ranks=ranks,
        special_tokens={"<|stop|>": 5000},
    )


def test_a_chunker_pickles_small_and_equal(chunker: tc.Chunker) -> None:
    data = pickle.dumps(chunker)
    assert len(data) < 1000
    copy = pickle.loads(data)  # noqa: S301
    assert copy == chunker
    assert hash(copy) == hash(chunker)
    assert copy.chunk("One. Two.") == chunker.chunk("One. Two.")
    assert repr(copy) == "Chunker(max_tokens=16, overlap=3, overlap_side='both', encoding='cl100k_base')"


def test_a_configuration_and_chunks_pickle(chunker: tc.Chunker) -> None:
    for value in (chunker.config, chunker.chunk("One. Two."), tc.Summary(1, 0, 1, 1, 1, 0.5)):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301


def test_an_own_encoding_counts_as_tiktoken_does() -> None:
    encoding = own_encoding()
    chunker = tc.Chunker(max_tokens=12, overlap=2, encoding=encoding)
    text = "The other thing, then: 123456 things! <|stop|> Ünïcödé 中文. " * 20
    assert chunker.count(text) == len(encoding.encode_ordinary(text))
    chunks = chunker.chunk(text)
    assert chunks
    for chunk in chunks:
        assert chunk.token_count == len(encoding.encode_ordinary(chunk.content)) <= 12


LOAD = """
import pickle, sys
from pathlib import Path
chunker = pickle.loads(Path(sys.argv[1]).read_bytes())
print([tuple(chunk) for chunk in chunker.chunk("The other thing, then.")])
"""


def test_an_own_encoding_travels_whole_with_a_chunker(tmp_path: Path, run_python: Script) -> None:
    chunker = tc.Chunker(max_tokens=12, overlap=2, encoding=own_encoding())
    (tmp_path / "chunker").write_bytes(pickle.dumps(chunker))
    done = run_python(LOAD, tmp_path / "chunker")
    assert done.stderr == ""
    assert done.stdout.strip() == str([tuple(chunk) for chunk in chunker.chunk("The other thing, then.")])


COLLECT = """
import io, sys
import polars as pl
frame = pl.LazyFrame.deserialize(sys.argv[1])
print(frame.collect().write_json())
"""
REGISTER = """
import pickle
from pathlib import Path
import tokenchunk
pickle.loads(Path(sys.argv[2]).read_bytes())
"""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_plan_runs_in_a_fresh_process(tmp_path: Path, run_python: Script) -> None:
    frame = pl.LazyFrame({"source": [1], "text": ["One sentence. Another one."]})
    plan = tc.chunk_documents(frame, max_tokens=4, overlap=0, chunk_id=True)
    plan.serialize(tmp_path / "plan")
    done = run_python(COLLECT, tmp_path / "plan")
    assert done.stdout.strip() == plan.collect().write_json(), done.stderr
    assert pickle.loads(pickle.dumps(plan)).collect().equals(plan.collect())  # noqa: S301


def test_a_plan_with_an_own_encoding_says_how_to_register_it(tmp_path: Path, run_python: Script) -> None:
    encoding = own_encoding()
    config = tc.ChunkConfig(max_tokens=12, overlap=2, encoding=encoding)
    plan = pl.LazyFrame({"text": ["The other thing, then."]}).select(tc.chunk("text", **config.to_dict()))
    data = plan.serialize(tmp_path / "plan")
    assert data is None
    assert (tmp_path / "plan").stat().st_size < 10_000
    (tmp_path / "config").write_bytes(pickle.dumps(config))
    done = run_python(COLLECT, tmp_path / "plan")
    assert done.returncode == 1
    assert tc.register_encoding(encoding) in done.stderr
    assert "tokenchunk.register_encoding" in done.stderr
    done = run_python("import sys" + REGISTER + COLLECT, tmp_path / "plan", tmp_path / "config")
    assert done.stdout.strip() == plan.collect().write_json(), done.stderr


def test_exported_vocabularies_are_what_tiktoken_expects(tmp_path: Path) -> None:
    files = tc.export_vocabularies(tmp_path / "cache")
    assert len(files) == 4
    assert sorted(files) == sorted((tmp_path / "cache").iterdir())
    # conftest.py pointed tiktoken to such a folder; it deletes files whose hash it does not expect.
    for name in ("cl100k_base", "o200k_base", "p50k_base", "r50k_base"):
        assert tiktoken.get_encoding(name).n_vocab > 50_000


# threads and forks

DIGEST = """
import hashlib, sys
import polars as pl
import tokenchunk as tc
frame = pl.read_parquet(sys.argv[1])
out = tc.chunk_documents(frame, max_tokens=16, chunk_id=True)
print(hashlib.sha256(out.write_json().encode()).hexdigest())
"""


def test_threads_do_not_change_rows(documents: Rows, tmp_path: Path, run_python: Script) -> None:
    pl.DataFrame(documents * 40).write_parquet(tmp_path / "docs.parquet")
    digests = {run_python(DIGEST, tmp_path / "docs.parquet", TOKENCHUNK_THREADS=n).stdout for n in ("1", "2", "7")}
    assert len(digests) == 1
    assert len(digests.pop()) == 65


def test_many_callers_share_one_pool(run_python: Script) -> None:
    script = """
import os, threading, time, tokenchunk as tc
chunkers = [tc.Chunker(max_tokens=16 + i) for i in range(8)]
texts = ["The pump moved, then stopped. " * 2000] * 20
callers = [threading.Thread(target=chunker.chunk_many, args=[texts]) for chunker in chunkers]
for caller in callers: caller.start()
for caller in callers: caller.join()

def name(task):
    try:
        return open(f"/proc/self/task/{task}/comm").read()
    except OSError:  # it ended since it was listed
        return ""

def pool_threads():
    return sum(name(task).startswith("tokenchunk-") for task in os.listdir("/proc/self/task"))

# Callers that came at the same time may have made a pool each; all but one end at once, but not instantly.
deadline = time.monotonic() + 10
while pool_threads() != 3 and time.monotonic() < deadline:
    time.sleep(0.05)
print(pool_threads())
"""
    if not Path("/proc/self/task").exists():
        pytest.skip("counts threads as Linux lists them")
    assert run_python(script, TOKENCHUNK_THREADS="3").stdout == "3\n"


def test_callers_in_threads_get_the_same_rows(chunker: tc.Chunker, texts: list[str | None]) -> None:
    expected = chunker.chunk_many(texts)
    results: list[list[list[tc.Chunk]]] = []
    threads = [threading.Thread(target=lambda: results.append(chunker.chunk_many(texts))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="has no fork")
def test_a_forked_child_works(run_python: Script) -> None:
    script = """
import os, tokenchunk as tc
chunker = tc.Chunker(max_tokens=16)
texts = ["The pump moved, then stopped. " * 2000] * 20
before = chunker.chunk_many(texts)
child = os.fork()
if child == 0:
    os._exit(0 if chunker.chunk_many(texts) == before else 1)
print(os.waitpid(child, 0)[1], chunker.chunk_many(texts) == before)
"""
    done = run_python(
        script.replace("import os", "import os, warnings\nwarnings.simplefilter('ignore')\nimport os", 1),
        TOKENCHUNK_THREADS="2",
    )
    assert done.stdout == "0 True\n", done.stderr
