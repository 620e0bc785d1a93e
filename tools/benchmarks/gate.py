"""Where the time of a live audit goes, from nothing and again, and that of a gate: by part, with the longest table.

What it prints can be pasted into docs/measured.md. Processor time is that of all processes. Parts run side by side, so
their seconds by the clock, in which they also wait, add up to more than the whole.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from lab.stack.jars import is_resolvable
from lab.stack.versions import Release, releases
from tools.benchmarks.cold import cold_cache
from tools.benchmarks.time_spent import CLAIMS, PLANNERS, READERS, VALUES
from tools.benchmarks.timing import run
from xtable_audit.model.figures import many
from xtable_audit.model.outcome import EXIT_FAILS

SECONDS = 0.5
"""Seconds between two samples; what a process does after its last sample is not counted."""
PARTS = {
    "Spark": ("spark_jobs", "pyspark"),
    "XTable": ("py4j.GatewayServer",),
    "store": ("lab.store.moto_server",),
    "readers": ("xtable_audit.readers.worker",),
}
"""Words of a command line that identify a process; all others are ours."""
OURS = "ours"


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Seconds of processor time by part, of everything that this process starts in the block; complete at its end."""
    spent = dict.fromkeys((*PARTS, OURS), 0.0)
    last: dict[tuple[int, float], tuple[str, float]] = {}
    done = threading.Event()

    def read() -> None:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):  # it has ended: its last sample counts
                times = process.cpu_times()
                last[process.pid, process.create_time()] = _part(process.cmdline()), times.user + times.system

    def keep_reading() -> None:
        while not done.wait(SECONDS):
            read()

    reader = threading.Thread(target=keep_reading)
    reader.start()
    try:
        yield spent
    finally:
        done.set()
        reader.join()
        for part, seconds in last.values():
            spent[part] += seconds


def _part(command: list[str]) -> str:
    words = " ".join(command)
    return next((part for part, marks in PARTS.items() if any(mark in words for mark in marks)), OURS)


STEPS = {"dataset": "Spark", "XTable": "XTable", "judge": VALUES}
"""The part of each step of a run that is about a table."""
ROWS = {
    "Spark": "Spark writes, or a cache or recording restores",
    "XTable": "XTable's JVMs: syncs, and Iceberg's Java planner",
    "store": "the store",
    VALUES: "metadata and values, read",
    PLANNERS: "planners and their predicates",
    CLAIMS: "claims, compared",
    READERS: "readers",
    OURS: "pytest: start-up, collection, the control, the report",
}
PLUGINS = ("-p", "tools.benchmarks.time_spent", "-p", "no:cacheprovider")


@dataclass
class AuditSeconds:
    """Seconds of one audit, or of several together."""

    whole: float
    processor: defaultdict[str, float]
    """By part."""
    clock: defaultdict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    """By part and table."""
    claims: int = 0

    def rows(self) -> Iterator[str]:
        yield "| part | processor time | by the clock | longest table |"
        yield "|---|---|---|---|"
        every = sum(self.processor.values())
        for part, words in ROWS.items():
            tables = {table: seconds for (of, table), seconds in self.clock.items() if of == part}
            longest = max(tables, key=tables.__getitem__, default="")
            named = f"`{longest}`, {tables[longest]:.1f} s" if longest else ""
            share = f"{self.processor[part]:.1f} s, {self.processor[part] / every:.0%}"
            yield f"| {words} | {share} | {f'{sum(tables.values()):.1f} s' if tables else ''} | {named} |"
        yield f"| the whole: {many(self.claims, 'claim')} | {every:.1f} s | {self.whole:.1f} s | |"


def measure(scale: float, tables: str = "", readers: str = "none") -> Iterator[str]:
    """`tables` selects some, as pytest's -k does."""
    resolved = [one for one in releases() if is_resolvable(one)]
    if len(resolved) < 2:
        yield "inconclusive: a gate needs two releases of XTable that resolve here"
        return
    to, before = resolved[:2]
    options = ["-n", "auto", "--maxprocesses=4", f"--readers={readers}", f"--scale={scale}", *PLUGINS]
    options += ["-k", tables] if tables else []
    yield from _head(to, tables, readers)
    with tempfile.TemporaryDirectory() as folder:
        cold = str(cold_cache(Path(folder)))
        for title in ("from nothing", "again, nothing changed"):
            command = ["-m", "pytest", "-q", *options, f"--xtable={to.version}"]
            yield from _table(f"XTable {to.version}, {title}", _measured(command, "--out", cold))
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "tools.gate", before.version, to.version, *options]
        gate = _measured(command, "--gate-out", str(cold_cache(Path(folder))), answers=(0, EXIT_FAILS))
        yield from _table(f"a gate, {before.version} to {to.version}, from nothing", gate)


def _head(release: Release, tables: str, readers: str) -> Iterator[str]:
    of = f"the tables of `-k '{tables}'`" if tables else "the whole battery"
    on = f"on {datetime.now(UTC):%d %B %Y}, {many(os.cpu_count() or 1, 'core')}"
    yield f"`python -m tools benchmarks gate` {on}: {of},"
    yield f"readers: {readers}. Load when it began: {os.getloadavg()[0]:.1f}."


def _table(title: str, measured: AuditSeconds) -> Iterator[str]:
    yield from ("", f"### {title[0].upper()}{title[1:]}", "", *measured.rows())


def _measured(command: Sequence[str], out: str, cache: str, answers: Collection[int] = (0,)) -> AuditSeconds:
    """One audit, or the three of a gate. `out` is the option for its reports, `answers` the exit statuses to expect."""
    with tempfile.TemporaryDirectory() as folder:
        reports, spent = Path(folder) / "out", Path(folder) / "spent"
        spent.mkdir()
        words = [*command[:2], f"{out}={reports}", *command[2:]]
        with watched() as processes:
            whole, _ = run(words, {"XTABLE_AUDIT_CACHE": cache, "AUDIT_SPENT": str(spent)}, answers)
        documents = [json.loads(file.read_text()) for file in reports.rglob("*/audit.json") if _is_whole(file)]
        return put_together(whole, processes, [json.loads(file.read_text()) for file in spent.iterdir()], documents)


def _is_whole(file: Path) -> bool:
    """Whether it is the file itself, and not found by way of `latest`."""
    return not file.parent.is_symlink()


def put_together(
    whole: float,
    processes: Mapping[str, float],
    spent: Sequence[Mapping[str, Any]],
    documents: Sequence[Mapping[str, Any]],
) -> AuditSeconds:
    """`processes` are the seconds of each kind of process, `spent` what tests took in ours, `documents` the runs."""
    measured = AuditSeconds(whole, defaultdict(float, processes))
    for one in spent:
        for part, tables in one["spent"].items():
            for table, (processor, clock) in tables.items():
                measured.processor[part] += processor
                measured.processor[OURS] -= processor
                if part != VALUES:  # a setup waits for its table, too: its step does not
                    measured.clock[part, table] += clock
    for document in documents:
        measured.claims += len(document["claims"])
        begun, ended = (datetime.fromisoformat(document["run"][key]).timestamp() for key in ("started", "finished"))
        of_run = [one for one in spent if begun <= one["began"] <= ended]
        measured.clock[OURS, "before the first test"] += min(one["began"] for one in of_run) - begun
        measured.clock[OURS, "after the last test"] += max(ended - max(one["ended"] for one in of_run), 0)
        for step in document["steps"]:
            if step["name"] in STEPS:
                table = step["detail"].partition(":")[0]
                measured.clock[STEPS[step["name"]], table] += step["seconds"]
    return measured
