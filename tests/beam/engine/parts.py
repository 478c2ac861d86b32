"""The engine's parts: Flink's jars from PyPI, Beam's job server from Maven; kept outside the repository.

python tests/beam/engine/parts.py     fetches what is not there yet (some 400 MB, once)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FLINK_VERSION = "1.19.3"

# What only Google's cloud needs, and what only a cluster in the same process does: each job uploads all that is left.
_LEFT_OUT = [
    "-DexcludeGroupIds=io.grpc,org.conscrypt,com.google.api.grpc,io.opencensus",
    "-DexcludeArtifactIds=flink-rpc-akka-loader,async-profiler,proto-google-common-protos",
]


class UnavailableError(Exception):
    """A part is not to be had; the message says which and why."""


@dataclass(frozen=True)
class Parts:
    """Where the jars are."""

    flink: Path
    """The jars of a Flink cluster."""
    job_server: Path
    """Those of the job server."""


def fetch() -> Parts:
    """The parts, fetched if they are not in the cache.

    Raises
    ------
    UnavailableError
        If Java is missing, or a registry refuses a part.
    """
    if shutil.which("java") is None:
        raise UnavailableError("java is not installed (Debian: openjdk-17-jre-headless)")
    cache = Path(os.environ.get("TOKENCHUNK_ENGINE_CACHE", Path.home() / ".cache" / "tokenchunk-engine"))
    return Parts(
        _once(cache / f"flink-{FLINK_VERSION}", _fetch_flink), _once(cache / "job-server-2.62.0", _fetch_job_server)
    )


def _once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Fill a folder that does not exist; it appears when it is whole."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            target = Path(temporary) / "jars"
            target.mkdir()
            fill(target)
            target.rename(folder)
    return folder


def _fetch_flink(target: Path) -> None:
    # The jars are in the source distribution of a package that is never installed.
    package = f"apache-flink-libraries=={FLINK_VERSION}"
    _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"--dest={target}", package])
    [archive] = target.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        for member in tar:
            if "/deps/lib/" in member.name and member.name.endswith(".jar"):
                member.name = Path(member.name).name
                tar.extract(member, target, filter="data")
    archive.unlink()


def _fetch_job_server(target: Path) -> None:
    if shutil.which("mvn") is None:
        raise UnavailableError("mvn is not installed (Debian: maven)")
    pom = Path(__file__).with_name("job-server.pom.xml")
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={target}", *_LEFT_OUT]
    _run(["mvn", "-q", "-B", f"--file={pom}", *goal])


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"{command[0]} took longer than {error.timeout} s") from error
    if done.returncode:
        errors = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line.upper()]
        raise UnavailableError(f"{command[0]} refused: {' '.join(errors[:2])}")


if __name__ == "__main__":
    print(fetch())
