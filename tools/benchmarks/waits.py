"""What a user waits for, and what a change of the suite waits for."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from lab.stack.jars import is_resolvable, resolve_spark_jars, resolve_xtable_jars
from lab.stack.project import ROOT
from lab.stack.versions import releases, stack
from tools.benchmarks.synthetic_metadata import COLUMNS as LISTED
from tools.benchmarks.synthetic_metadata import PUBLISHED, listed
from tools.benchmarks.timing import run

QUIET = ("-q", "-p", "no:cacheprovider", "-p", "tools.benchmarks.time_spent")
GOALS = {
    "--collect-only": (2, ("--collect-only",)),
    "-k good_layout, warm": (5, ("-n", "auto", "-k", "good_layout")),
    "make known": (15, ("-n", "auto", "--maxprocesses", "4", "--recorded", "--each-finding-once")),
}
"""Name: seconds on two idle cores, arguments of pytest."""
TIMES = 3


@dataclass(frozen=True)
class Timing:
    """Seconds: by the clock, of processor time in all processes, and by the clock for each part."""

    wall: float
    cpu: float
    parts: dict[str, float]


def goals(scale: float) -> Iterator[str]:
    """What a user waits for, with its parts: collection alone, one dataset, every known finding once.

    A first run of each fills the caches and does not count; of the others the least is reported.
    """
    for name, (goal, arguments) in GOALS.items():
        command = [*arguments, *([] if "--recorded" in arguments else ["--scale", str(scale)])]
        _, *warm = [_once(command) for _ in range(TIMES + 1)]
        least = min(warm, key=lambda timing: timing.wall)
        yield f"{name:<22}{least.wall:6.1f} s of {goal:>3} s   {least.cpu:6.1f} s of processor time"
        for part, seconds in least.parts.items():
            yield f"    until {part:<12}{seconds:6.1f} s"


def _once(arguments: Sequence[str]) -> Timing:
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "parts.json"
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
        wall, _ = run(["-m", "pytest", *QUIET, f"--out={folder}", *arguments], {"AUDIT_PARTS": str(written)})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        moments = {"start": began} | json.loads(written.read_text(encoding="utf-8"))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    parts = {name: at - earlier for (_, earlier), (name, at) in pairwise(moments.items())}
    return Timing(wall, cpu, parts | {"its end": began + wall - moments["ended"]})


COMMANDS = {"make test": (600, ["make", "test", "ARGS=--durations=15"]), ".ci/run": (1200, [".ci/run"])}
"""Name: seconds on two idle cores, command."""
PRINTED = re.compile(r"== .*\(\d\d:\d\d:\d\d\)|[\d.]+s (setup|call|teardown) +\S+")


def development(scale: float) -> Iterator[str]:
    """What a change waits for, with its parts: `make test`, and `.ci/run` with a line for each of its steps.

    Takes half an hour. `scale` plays no part; a command that fails is reported as failed.
    """
    for name, (goal, command) in COMMANDS.items():
        before, began = os.times(), time.monotonic()
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        wall, after = time.monotonic() - began, os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        how = "" if done.returncode == 0 else f"   ended with {done.returncode}"
        yield f"{name:<12}{wall:7.0f} s of {goal:>5} s   {cpu:7.0f} s of processor time{how}"
        yield from (f"    {line}" for line in done.stdout.splitlines() if PRINTED.match(line))


def download(scale: float) -> Iterator[str]:
    """What a first audit downloads beside the Python packages, by part.

    `scale` is ignored.
    """
    del scale
    spark = resolve_spark_jars(stack())
    yield _line("jars for Spark (Hudi, Iceberg, S3A)", spark)
    seen = set(spark)
    for release in releases():
        if is_resolvable(release):
            jars = resolve_xtable_jars(release)
            yield _line(f"jars for XTable {release.version}", jars)
            yield _line("  of which not in a newer one above", [jar for jar in jars if jar not in seen])
            seen.update(jars)


def _line(name: str, jars: tuple[Path, ...] | list[Path]) -> str:
    return f"{name:<44} {len(jars):4} files {sum(jar.stat().st_size for jar in jars) / 1e6:7.1f} MB"


COLUMNS, FILES = 1200, (100_000, PUBLISHED)
ROWS = 20_000
"""Of each of four files of many columns."""
MEASURE = "import sys; from xtable_audit.cli.main import run; sys.exit(run(sys.argv[1:]))"


@dataclass(frozen=True)
class CheckTook:
    seconds: float
    mebibytes: int
    """At the peak."""

    def beside(self, other: CheckTook) -> str:
        return f"{self.seconds:6.1f} s, {self.seconds / other.seconds:5.1f} times   {self.mebibytes:6,} MiB"


def check(scale: float) -> Iterator[str]:
    """`xtable-audit check` of many columns, and of many files: time and memory, with and without values.

    Each check is a process of its own, beside one that checks a table of a column and a file. `scale` is not used: the
    figures are those of one size.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        catalog = SqlCatalog("bench", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
        catalog.create_namespace("bench")
        small = catalog.create_table("bench.small", _rows(1, 10).schema)
        small.append(_rows(1, 10))
        wide = catalog.create_table("bench.wide", _rows(COLUMNS, 1).schema, properties=ALL)
        for seed in range(4):
            wide.append(_rows(COLUMNS, ROWS, seed))
        catalog.close()
        many = {files: listed(folder / str(files), files) for files in FILES}
        base = _check(small.metadata_location, folder)
        yield f"{'one column, one file':<45}{base.beside(base)}"
        for words, table, options in (
            (f"{COLUMNS:,} columns, 4 files, metadata alone", wide.metadata_location, ("--metadata-only",)),
            (f"{COLUMNS:,} columns, 4 files, values", wide.metadata_location, ()),
            *(
                (f"{len(LISTED)} columns, {files:,} files, metadata alone", location, ("--metadata-only",))
                for files, location in many.items()
            ),
        ):
            yield f"{words:<45}{_check(table, folder, *options).beside(base)}"


ALL = {"write.metadata.metrics.max-inferred-column-defaults": str(COLUMNS)}


def _rows(columns: int, rows: int, seed: int = 0) -> pa.Table:
    """Numbers and texts, in turn."""
    draw = np.random.default_rng(seed)
    drawn = (pa.array(draw.integers(0, 10**9, rows)) for _ in range(columns))
    return pa.table({f"c{place}": one if place % 2 else one.cast(pa.string()) for place, one in enumerate(drawn)})


def _check(location: str, folder: Path, *options: str) -> CheckTook:
    out = ["--json", "--no-cache", "--out", str(folder / "out")]
    command = [sys.executable, "-c", PEAK + MEASURE, "check", location, *out, *options]
    began = time.perf_counter()
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if ran.returncode not in (0, 1):
        raise RuntimeError(ran.stderr[-2000:])
    return CheckTook(seconds, int(ran.stderr.split()[-1]))


PEAK = """\
import atexit, sys
from tools.benchmarks.timing import peak
atexit.register(lambda: print(peak(), file=sys.stderr))
"""
