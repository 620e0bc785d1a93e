"""Source tables in Paimon's format, which Paimon's library for Python writes in a process of its own.

It cannot compact a table: Paimon's Java library does that in between, when the process asks for it.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from lab.provision.data_files import listed_beside
from lab.provision.sources.source_format import SourceSetup
from lab.stack.cache import Cache
from lab.stack.jars import resolve_jars
from lab.stack.java import find_java
from lab.stack.packages import installed
from lab.stack.project import ROOT
from lab.stack.versions import other_translators, paimon_packages, stack
from spark_jobs.battery import paimon_table
from spark_jobs.battery.paimon_table import FACTS, FILES
from spark_jobs.battery.table import BatteryTable
from xtable.jvm import Jvm
from xtable_audit.model.problem import Problem, last_line

JAVA_LIBRARY = (
    f"org.apache.paimon:paimon-bundle:{other_translators().paimon}",
    f"org.apache.hadoop:hadoop-client:{stack().hadoop}",
)
"""Coordinates of Paimon's Java library, and of what it leaves to its users."""


def write(table: BatteryTable, folder: Path) -> dict[str, Any]:
    """Raises Problem if the library cannot be installed, or cannot write the table."""
    path = os.pathsep.join((str(ROOT), str(installed("pypaimon", paimon_packages(), Cache()))))
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", paimon_table.__name__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": path},
            cwd=ROOT,
        )
        with child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(pickle.dumps(table))
            child.stdin.flush()
            _answer(child.stdin, child.stdout)
        if child.returncode != 0:
            errors.seek(0)
            reason = last_line(errors.read().decode(errors="replace"))
            raise Problem(f"{table.name} cannot be written by pypaimon: {reason}")
    facts: dict[str, Any] = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    return facts


def _answer(answers: IO[bytes], requests: IO[bytes]) -> None:
    """Compacts each table that the process asks for, until it ends, by one JVM if it asks at all."""
    with ExitStack() as started:
        jvm: Jvm | None = None
        for request in requests:
            jvm = jvm or started.enter_context(_java())
            compact(jvm, Path(request.decode().strip()))
            answers.write(b"\n")
            answers.flush()


@contextmanager
def _java() -> Iterator[Jvm]:
    """With Paimon's classes. XTable is not needed to write a table."""
    jars = resolve_jars(JAVA_LIBRARY)
    with (
        tempfile.TemporaryDirectory(prefix="xtable-audit-") as logs,
        Jvm(find_java(17), jars, Path(logs) / "paimon.log") as jvm,
    ):
        yield jvm


def compact(jvm: Jvm, table: Path) -> None:
    """A full compaction of the one bucket of an unpartitioned table."""
    java = jvm.java.org.apache.paimon
    context = java.catalog.CatalogContext.create(java.options.Options())
    path = java.fs.Path(str(table))
    opened = java.table.FileStoreTableFactory.create(java.fs.FileIO.get(path, context), path)
    builder = java.table.sink.BatchWriteBuilderImpl(opened)
    writer = builder.newWrite()
    with tempfile.TemporaryDirectory(prefix="xtable-audit-") as scratch:
        writer.withIOManager(java.disk.IOManager.create(scratch))
        writer.compact(java.data.BinaryRow.EMPTY_ROW, 0, True)
        committer = builder.newCommit()
        committer.commit(writer.prepareCommit())
        writer.close()
        committer.close()


PAIMON = SourceSetup(
    "Paimon",
    partial(listed_beside, name=FILES),
    lambda _: "Paimon",
    write=write,
    libraries=paimon_packages,
    has_own_jars=True,
)
