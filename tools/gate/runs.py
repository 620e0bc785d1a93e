"""Runs one audit of a gate in a child process, with its output in a log, and reads its audit.json back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.engines.readers import ADAPTERS, embedded, readers_of
from lab.engines.spark.open import find_spark
from lab.stack.cache import Cache
from lab.stack.project import ROOT
from xtable_audit.formats.registered import DEFAULT
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.gate import GateRun

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
OPTION = "--readers"
SPARK = "pyspark"
"""The distribution of the readers that run in Spark."""


@dataclass(frozen=True)
class Readers:
    arguments: tuple[str, ...]
    """Pytest's option; empty if the user gave one."""
    not_asked: tuple[str, ...] = ()
    """Why one that a gate asks by itself cannot start, a sentence each."""


def choose_readers(arguments: Sequence[str], target: str = DEFAULT) -> Readers:
    """Those of a gate that names none: what comes by pip, and Spark where it can start. May download Spark's jars.

    Some faults show on the JVM alone: with wrong split offsets Spark returns no row where all others return every one.
    Spark is asked on the tables that have it as a reader, 120 claims in two minutes a run.
    """
    if any(argument.partition("=")[0] == OPTION for argument in arguments):
        return Readers(())
    try:
        find_spark(Cache())
    except Problem as problem:
        return Readers(_option(embedded(target)), (f"Spark is not asked: {str(problem).rstrip('.')}.",))
    return Readers(_option((*embedded(target), *_in_spark(target))))


def _in_spark(target: str) -> list[str]:
    return [name for name in readers_of(target) if ADAPTERS[name].distribution == SPARK]


def _option(names: Sequence[str]) -> tuple[str, ...]:
    return (f"{OPTION}={','.join(names)}",)


def run_audit(
    name: str, release: str, options: Sequence[str], folder: Path, *, upgrade_from: str | None, command: Sequence[str]
) -> GateRun:
    """Runs the audit into `folder`/`name` (an absolute folder) and returns its outcome; it never raises for that.

    The audit ends with this process, even after `kill -9`.
    """
    out = folder_of(name, folder)
    out.mkdir(parents=True)
    log = out / "run.log"
    with log.open("w") as output:
        leash = subprocess.Popen(
            [sys.executable, "-m", "lab.stack.leash", "--", *command, f"--out={out}", *options],
            cwd=ROOT,
            stdin=subprocess.PIPE,  # held open as long as the audit may run
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            status = leash.wait()
        finally:
            leash.communicate()
    report = out / "latest" / "audit.json"
    if not report.is_file():
        return GateRun(name, release, None, _last_words(log, status), upgrade_from=upgrade_from)
    try:
        document = Document.load(report)
    except UnreadableDocument as error:
        return GateRun(name, release, None, str(error).rstrip("."), upgrade_from=upgrade_from)
    return GateRun(name, release, document, "", report.relative_to(folder).as_posix(), upgrade_from)


def folder_of(name: str, folder: Path) -> Path:
    """Where the run of that name has its reports."""
    return folder / name.replace(" ", "-")


def _last_words(log: Path, status: int) -> str:
    """pytest's last ERROR line, else the last line of its output."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    last = (errors or lines or ["it printed nothing"])[-1]
    return f"{last.rstrip('.')} (exit {status}, {log.parent.name}/{log.name})"
