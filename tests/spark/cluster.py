"""A Spark cluster of one machine: a master and workers of pip's PySpark, on 127.0.0.1."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pyspark

from lab.stack.child import free_port
from lab.stack.project import ROOT
from lab.stack.spark import FEWER_OPTIMISATIONS
from tests.waiting import wait_until

EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Its URL. Each worker has one core."""
    master = f"spark://127.0.0.1:{free_port()}"
    with ExitStack() as stop:

        def start(name: str, *words: str) -> Path:
            log = folder / f"{name}.log"
            command = [
                str(Path(pyspark.__file__).parent / "bin" / "spark-class"),
                f"org.apache.spark.deploy.{words[0]}",
            ]
            with log.open("w") as file:
                child = subprocess.Popen([*command, *words[1:]], env=environment(), stdout=file, stderr=file)
            stop.callback(child.wait)
            stop.callback(child.kill)
            return log

        at = ["--host", "127.0.0.1", "--webui-port", str(free_port())]
        log = start("master", "master.Master", "--port", master.rpartition(":")[2], *at)
        wait_until(lambda: "Starting Spark master" in log.read_text(), "a master runs", 60)
        for number in range(workers):
            of_worker = ["--host", "127.0.0.1", "--webui-port", str(free_port()), "--cores", "1", "--memory", "1g"]
            log = start(f"worker{number}", "worker.Worker", *of_worker, "--work-dir", str(folder / "work"), master)
        wait_until(lambda: "Successfully registered" in log.read_text(), "workers are registered", 60)
        yield master


def environment() -> dict[str, str]:
    """That of the cluster and of its driver: executors import the suite's tests too."""
    given = {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable}
    given["JDK_JAVA_OPTIONS"] = f"{FEWER_OPTIMISATIONS} -XX:+UseSerialGC"  # five JVMs of little work
    return dict(os.environ) | given


def executors(master: str) -> list[psutil.Process]:
    """The executors of this cluster's jobs."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if EXECUTOR in words and any(master.rpartition(":")[2] in word for word in _of_parents(process)):
            found.append(process)
    return found


def _of_parents(process: psutil.Process) -> list[str]:
    return [word for parent in process.parents() for word in parent.cmdline()]
