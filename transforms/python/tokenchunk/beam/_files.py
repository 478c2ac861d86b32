"""Output files on any of Beam's file systems: whole or not there, and saying what they are."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import BinaryIO

from apache_beam.io.filesystem import BeamIOError, CompressionTypes
from apache_beam.io.filesystems import FileSystems

from tokenchunk import ChunkConfig, __version__
from tokenchunk.beam._batches import Columns
from tokenchunk.beam._units import Unit, UnitResult, opened_parquet

MANIFEST_NAME = "_manifest.json"

_JOB = "tokenchunk.job"
_UNIT = "tokenchunk.unit"
_RESULT = "tokenchunk.result"


@contextmanager
def whole_file(target: str) -> Iterator[BinaryIO]:
    """A file to write to that becomes `target` when the block ends well.

    Until then it has a hidden name without the target's suffix, so that after a kill nothing looks like output.
    """
    folder, name = FileSystems.split(target)
    temporary = FileSystems.join(folder, f".{name}.{uuid.uuid4().hex}.tmp")
    try:
        with FileSystems.create(temporary, compression_type=CompressionTypes.UNCOMPRESSED) as file:
            yield file
        _rename(temporary, target)
    except BaseException:
        _delete(temporary)
        raise


def _rename(temporary: str, target: str) -> None:
    try:
        FileSystems.rename([temporary], [target])
    except BeamIOError:
        # Some file systems do not rename onto a file, which another attempt may have left.
        _delete(target)
        FileSystems.rename([temporary], [target])


def _delete(path: str) -> None:
    if FileSystems.exists(path):
        FileSystems.delete([path])


class JobIdentity:
    """What must be equal for two runs to write into one folder.

    Parameters
    ----------
    config : ChunkConfig
        How to chunk.
    columns : Columns
        What of the input goes where.
    """

    def __init__(self, config: ChunkConfig, columns: Columns) -> None:
        self._config = config
        self._job = json.dumps(asdict(columns) | {"fingerprint": config.fingerprint}, sort_keys=True)

    def metadata(self, unit: Unit) -> dict[str, str]:
        """Key-value metadata of the unit's output file."""
        return {
            "tokenchunk.version": __version__,
            "tokenchunk.config": self._config.to_json(),
            "tokenchunk.fingerprint": self._config.fingerprint,
            _JOB: self._job,
            _UNIT: json.dumps(unit),
        }

    def check(self, path: str) -> dict[bytes, bytes]:
        """The metadata of an output file that is there already.

        Raises
        ------
        ValueError
            If it was written with another configuration.
        """
        with opened_parquet(path) as parquet:
            found: dict[bytes, bytes] = parquet.metadata.metadata or {}
        job = found.get(_JOB.encode(), b"nothing that this job knows").decode()
        if job != self._job:
            raise ValueError(
                f"{path} was written with {job}, this job has {self._job}: "
                "resume with the same parameters, or choose another output"
            )
        return found

    def finished(self, target: str, unit: Unit) -> UnitResult | None:
        """What an earlier run made of the unit; None if it did not finish it, or the input has changed since."""
        if not FileSystems.exists(target):
            return None
        found = self.check(target)
        if json.loads(found[_UNIT.encode()]) != list(unit):
            return None
        return UnitResult(**json.loads(found[_RESULT.encode()]) | {"output": target, "finished_before": True})


def result_metadata(result: UnitResult) -> dict[str, str]:
    """Key-value metadata that let a later run report the unit without doing it again."""
    # Without the path, which would make the same rows another file in another folder.
    return {_RESULT: json.dumps(result._replace(output="")._asdict())}


def write_manifest(folder: str, config: ChunkConfig, results: list[UnitResult]) -> None:
    """Write what the whole job did; that the file is there says that the job is done."""
    units = sorted((result._asdict() for result in results), key=lambda unit: unit["output"])
    manifest = {
        "version": __version__,
        "config": config.to_dict(),
        "fingerprint": config.fingerprint,
        "units": units,
    }
    with whole_file(FileSystems.join(folder, MANIFEST_NAME)) as file:
        file.write(json.dumps(manifest, indent=1).encode())
