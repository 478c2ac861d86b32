"""A worker starts quickly, without a network; a machine without Beam is told what to do."""

from __future__ import annotations

import subprocess
import sys


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)


def test_a_fresh_worker_opens_no_socket_and_is_ready_soon() -> None:
    script = """
import pickle, socket, sys, time
from tokenchunk.beam import ChunkDoFn
fn = pickle.loads(pickle.dumps(ChunkDoFn(max_tokens=64)))
def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
started = time.perf_counter()
fn.setup()
rows = list(fn.process({"source": "a", "text": "The first document of a fresh worker."}))
print(len(rows), time.perf_counter() - started)
"""
    done = run(script)
    assert done.returncode == 0, done.stderr
    rows, seconds = done.stdout.split()
    assert rows == "1"
    # Some 20 ms; the bound is wide for a busy machine.
    assert float(seconds) < 1.0


def test_threads_of_a_process_share_one_chunker() -> None:
    from tokenchunk import ChunkConfig
    from tokenchunk.beam._shared import shared_chunker

    assert shared_chunker(ChunkConfig(max_tokens=99)) is shared_chunker(ChunkConfig(max_tokens=99))


def test_importing_the_package_does_not_import_beam() -> None:
    done = run("import sys, tokenchunk; sys.exit('apache_beam' in sys.modules)")
    assert done.returncode == 0, done.stderr


def test_without_beam_the_message_says_what_to_install() -> None:
    done = run("import sys; sys.modules['apache_beam'] = None; import tokenchunk.beam")
    assert "ImportError: tokenchunk.beam needs Apache Beam: pip install 'tokenchunk[beam]'" in done.stderr
