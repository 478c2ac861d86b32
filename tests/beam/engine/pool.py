"""Beam's pool of Python workers, for several TaskManagers on one machine.

python -m beam.engine.pool PORT
"""

from __future__ import annotations

import sys
from typing import Any

from apache_beam.portability.api import beam_fn_api_pb2
from apache_beam.runners.worker.worker_pool_main import BeamFnExternalWorkerPoolServicer


class SharedPool(BeamFnExternalWorkerPoolServicer):
    """Stops no worker: each TaskManager numbers its workers from 1, and Beam's pool would stop another one's.

    A worker ends when its TaskManager closes the connection.
    """

    def StopWorker(self, request: Any, context: Any) -> Any:  # noqa: ARG002, N802
        """Agree, and do nothing."""
        return beam_fn_api_pb2.StopWorkerResponse()


if __name__ == "__main__":
    _, server = SharedPool.start(use_process=True, port=int(sys.argv[1]))
    server.wait_for_termination()
