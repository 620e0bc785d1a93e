"""`xtable-audit check` of many columns, and of many files: time and memory, with and without values.

Each check is a process of its own, beside one that checks a table of a column and a file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from lab.stack.project import ROOT
from tools.benchmarks.listed import COLUMNS as LISTED
from tools.benchmarks.listed import PUBLISHED, listed

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


def measure(scale: float) -> Iterator[str]:
    """`scale` is not used: the figures are those of one size."""
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
