"""A Flink cluster on this machine, each part a process: JobManager, TaskManagers, job server, worker pool."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self

from beam.engine.parts import Parts
from beam.ports import free_port, is_open, wait_until

_OPEN_PACKAGES = ["lang", "util", "net", "io", "nio", "text", "time", "util.concurrent", "util.concurrent.locks"]
_JAVA = [
    "java",
    "-Xmx512m",
    # For a JVM that lives for a minute: start quickly, and use little of the machine that all of them share.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPEN_PACKAGES),
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
]

_CONFIG = """
jobmanager: {{rpc: {{address: 127.0.0.1, port: {rpc}}}, bind-host: 127.0.0.1, memory: {{process: {{size: 700m}}}}}}
rest: {{address: 127.0.0.1, bind-address: 127.0.0.1, port: {rest}}}
taskmanager: {{host: 127.0.0.1, bind-host: 127.0.0.1, numberOfTaskSlots: 1}}
restart-strategy: {{type: fixed-delay, fixed-delay: {{attempts: 5, delay: 1 s}}}}
heartbeat: {{interval: 1000, timeout: 8000}}
"""

_LOG4J = """
rootLogger.level=INFO
rootLogger.appenderRef.c.ref=c
appender.c.name=c
appender.c.type=CONSOLE
appender.c.layout.type=PatternLayout
appender.c.layout.pattern=%d %-5p %c{1} %m%n
"""

# What the tests start does not outlive them, even if they are killed; where there is no setpriv it may.
DIES_WITH_US = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []

# Without Flink's own shell scripts every share of memory must be named.
_MEMORY = {
    "task.heap.size": "256m",
    "task.off-heap.size": "0b",
    "framework.heap.size": "128m",
    "framework.off-heap.size": "128m",
    "managed.size": "64m",
    "network.min": "64m",
    "network.max": "64m",
    "jvm-metaspace.size": "256m",
    "jvm-overhead.min": "192m",
    "jvm-overhead.max": "192m",
}


class FlinkCluster:
    """Starts with `with`, and is gone after it.

    Parameters
    ----------
    parts : Parts
        Where the jars are.
    folder : Path
        For configuration and logs.
    task_managers : int
        How many, of one slot each.
    """

    def __init__(self, parts: Parts, folder: Path, *, task_managers: int) -> None:
        self._parts = parts
        self._folder = folder
        self._temporary = folder / "tmp"
        self._task_managers = task_managers
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        try:
            self._start()
        except (RuntimeError, TimeoutError):
            # A port that is free when it is chosen may be taken when it is used.
            self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.kill()
        shutil.rmtree(self._temporary)

    @property
    def options(self) -> list[str]:
        """Beam's options for a job on this cluster."""
        return [
            "--runner=PortableRunner",
            f"--job_endpoint=127.0.0.1:{self._jobs}",
            "--environment_type=EXTERNAL",
            f"--environment_config=127.0.0.1:{self._pool}",
            "--parallelism=2",
        ]

    def _start(self) -> None:
        """Start every process, and wait until they are at work together."""
        self._rest, self._rpc, self._jobs, self._artifacts, self._pool = (free_port() for _ in range(5))
        (self._folder / "conf").mkdir(parents=True, exist_ok=True)
        self._temporary.mkdir(exist_ok=True)
        (self._folder / "conf" / "config.yaml").write_text(_CONFIG.format(rest=self._rest, rpc=self._rpc))
        (self._folder / "conf" / "log4j.properties").write_text(_LOG4J)
        try:
            self._java("jm", "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", *self._conf())
            self._start_workers()
            self._start_job_server()
            self.start_task_managers(*(f"tm-{number}" for number in range(1, self._task_managers + 1)))
            wait_until(lambda: self._all_alive() and is_open(self._jobs) and is_open(self._pool))
        except BaseException:
            self.kill()
            raise

    def start_task_managers(self, *names: str) -> None:
        """Start TaskManagers, and wait until the cluster has them."""
        for name in names:
            self._start_task_manager(name)
        wait_until(lambda: self._all_alive() and set(names) <= self.task_managers())

    def _all_alive(self) -> bool:
        for name, process in self._processes.items():
            if process.poll() is not None:
                log = (self._folder / f"{name}.log").read_text(errors="replace")
                raise RuntimeError(f"{name} ended with {process.returncode}: {log[-2000:]}")
        return True

    def kill(self, *names: str) -> None:
        """SIGKILL some processes, or all."""
        for name in names or tuple(self._processes):
            process = self._processes.pop(name)
            process.kill()
            process.wait()

    def kill_task_managers(self) -> None:
        """SIGKILL those that are left."""
        for name in [name for name in self._processes if name.startswith("tm-")]:
            self.kill(name)

    def rest(self, path: str) -> Any:
        """What Flink's REST interface says."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._rest}{path}", timeout=10) as answer:
            return json.load(answer)

    def cancel(self, job: str) -> None:
        """Have Flink give up a job, and wait until it has."""
        request = urllib.request.Request(f"http://127.0.0.1:{self._rest}/jobs/{job}", method="PATCH")
        urllib.request.urlopen(request, timeout=10).close()  # noqa: S310 - our own cluster
        wait_until(lambda: self.rest(f"/jobs/{job}")["state"] == "CANCELED")

    def task_managers(self) -> set[str]:
        """Those that Flink knows."""
        return {worker["id"] for worker in self.rest("/taskmanagers")["taskmanagers"]}

    def running_job(self) -> str | None:
        """The job that is running."""
        running = [job["id"] for job in self.rest("/jobs")["jobs"] if job["status"] == "RUNNING"]
        return running[0] if running else None

    def busy_task_managers(self, job: str) -> set[str]:
        """The TaskManagers that run a task of a job now."""
        return {
            task["taskmanager-id"]
            for vertex in self.rest(f"/jobs/{job}")["vertices"]
            for task in self.rest(f"/jobs/{job}/vertices/{vertex['id']}/taskmanagers")["taskmanagers"]
            if task["status"] == "RUNNING"
        }

    def tasks(self, job: str, step: str) -> dict[str, int]:
        """The records that each TaskManager read in the vertex with a step of the pipeline."""
        [vertex] = [vertex for vertex in self.rest(f"/jobs/{job}")["vertices"] if step in vertex["name"]]
        workers = self.rest(f"/jobs/{job}/vertices/{vertex['id']}/taskmanagers")["taskmanagers"]
        return {worker["taskmanager-id"]: worker["metrics"]["read-records"] for worker in workers}

    def _conf(self) -> list[str]:
        return ["--configDir", str(self._folder / "conf")]

    def _start_task_manager(self, name: str) -> None:
        settings = {f"taskmanager.memory.{key}": value for key, value in _MEMORY.items()}
        settings |= {"taskmanager.cpu.cores": "1.0", "taskmanager.resource-id": name}
        options = [part for key, value in settings.items() for part in ("-D", f"{key}={value}")]
        self._java(name, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", *self._conf(), *options)

    def _start_job_server(self) -> None:
        # Its own jars and Flink's logging only: it sends all that it finds there to the cluster with each job.
        logging = [str(jar) for jar in self._parts.flink.glob("log4j-*.jar") if "1.2-api" not in jar.name]
        self._java(
            "job-server",
            "org.apache.beam.runners.flink.FlinkJobServerDriver",
            f"--flink-master=127.0.0.1:{self._rest}",
            "--job-host=127.0.0.1",
            f"--job-port={self._jobs}",
            f"--artifact-port={self._artifacts}",
            "--expansion-port=-1",
            f"--artifacts-dir={self._folder / 'artifacts'}",
            classpath=[f"{self._parts.job_server}/*", *logging],
        )

    def _start_workers(self) -> None:
        """A pool that starts a worker for each TaskManager that asks, by the name `python`."""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._run("pool", [sys.executable, "-m", "beam.engine.pool", str(self._pool)], os.environ | {"PATH": path})

    def _java(self, name: str, main: str, *arguments: str, classpath: list[str] | None = None) -> None:
        log4j = f"-Dlog4j.configurationFile={self._folder / 'conf' / 'log4j.properties'}"
        # TaskManagers keep the jars of jobs in a folder of their name, and those of killed ones stay: in a folder that
        # clusters share, each start would check the jars of all that were ever killed.
        temporary = f"-Djava.io.tmpdir={self._temporary}"
        jars = ":".join(classpath or [f"{self._parts.flink}/*"])
        self._run(name, [*_JAVA, log4j, temporary, "-cp", jars, main, *arguments], os.environ)

    def _run(self, name: str, command: list[str], environment: Mapping[str, str]) -> None:
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [*DIES_WITH_US, *command], stdout=log, stderr=subprocess.STDOUT, env=environment
            )
