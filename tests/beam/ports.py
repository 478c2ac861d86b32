"""Services that a test starts: their ports, and waiting for them."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(port: int, timeout_seconds: float = 60) -> None:
    """Return when somebody listens."""
    wait_until(lambda: is_open(port), timeout_seconds)


def is_open(port: int) -> bool:
    """Whether somebody listens; an `OSError` if nobody does."""
    with socket.create_connection(("127.0.0.1", port), 1):
        return True


def wait_until(condition: Callable[[], object], timeout_seconds: float = 90) -> None:
    """Return when a condition holds; a service that does not answer yet does not fulfil it."""
    deadline = time.monotonic() + timeout_seconds
    while not _holds(condition):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not so within {timeout_seconds} s")
        time.sleep(0.2)


def _holds(condition: Callable[[], object]) -> bool:
    try:
        return bool(condition())
    except OSError:
        return False
