"""The metadata of tables of up to a million files: read, judged and planned, beside other readers of it.

Each is a process of its own that does the same several times after once on a small table, and the least of its times
counts. What is done with one table is done in turn, so that ratios compare what the machine gave at about one time.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import fs

from lab.stack.project import ROOT
from tools.benchmarks import metadata_readers as others
from tools.benchmarks.synthetic_metadata import COLUMNS, PUBLISHED, listed
from tools.benchmarks.timing import peak, run, used
from xtable_audit.claims import CLAIMS
from xtable_audit.cli.check import POOL
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.objects import Objects
from xtable_audit.planning.grid import grid_of, literals
from xtable_audit.planning.planners import judges
from xtable_audit.subject.case import Case, Source
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import GROUPS, ActualMetrics


def draw(lines: Mapping[str, Mapping[int, float]], title: str, path: Path, ours: Collection[str]) -> None:
    """Writes an SVG. `lines` has, by name, what was measured at each number of files; those of `ours` are thick."""
    import altair as alt  # late: processes whose memory is measured import this module, too

    points = [
        {"of": name, "files": files, title: value, "whose": "ours" if name in ours else "others"}
        for name, of in lines.items()
        for files, value in of.items()
    ]
    chart = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X("files:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", tickCount=4), title="data files"),
        y=alt.Y(f"{title}:Q", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=6, format="~g")),
        color=alt.Color("of:N", sort=list(lines), title=None, scale=alt.Scale(scheme="tableau20")),
    )
    drawn = chart.mark_line(point=True).encode(
        size=alt.Size("whose:N", legend=None, scale=alt.Scale(domain=["ours", "others"], range=[4, 1.5]))
    )
    path.parent.mkdir(exist_ok=True)
    made = drawn.properties(width=560, height=400).configure_legend(labelLimit=240, labelFontSize=12)
    made.configure_axis(gridOpacity=0.4).save(path)


SIZES = (1_000, 10_000, 100_000, PUBLISHED, 1_000_000)
"""Files at scale 1; at a lower scale those up to a million times it, and the first two."""
WARM = SIZES[0]
STREAMED = (20_000, 10)
"""Files at a scale of a tenth and above, and how many a manifest lists."""
PLOT = ROOT / "out" / "metadata.svg"
TIMES, LONGEST = 3, 20.0
"""Runs of which the least counts; after so many seconds none begins."""


@dataclass(frozen=True)
class ReadTook:
    """`wall` and `cpu` in seconds, the latter of all threads; `peak` in MiB, of the whole process."""

    wall: float
    cpu: float
    peak: int


def measure(scale: float) -> Iterator[str]:
    sizes = [size for size in SIZES if size <= max(SIZES[1], SIZES[-1] * scale)]
    with tempfile.TemporaryDirectory() as name:
        tables = {}
        for size in sizes:
            began = time.perf_counter()
            tables[size] = listed(Path(name) / str(size), size)
            yield f"{size:9,} files of {len(COLUMNS)} columns generated in {time.perf_counter() - began:.1f} s"
        yield f"{'files':>9} {'':<25}{'wall s':>8}{'CPU s':>8}{'MiB':>7}{'x wall':>8}{'x CPU':>8}"
        taken: dict[str, dict[int, ReadTook]] = {what: {} for what in WORK}
        for size, location in tables.items():
            for what, work in WORK.items():
                if size > work.most:
                    continue
                taken[what][size] = took = _in_process(what, location, tables[WARM])
                read = taken[READ][size]
                ratios = f"{took.wall / read.wall:8.2f}{took.cpu / read.cpu:8.2f}"
                yield f"{size:9,} {what:<25}{took.wall:8.2f}{took.cpu:8.2f}{took.peak:7,}{ratios}"
        files, each = int(STREAMED[0] * min(scale * 10, 1)), STREAMED[1]
        yield f"{files:,} files, {each} a manifest, as streams leave them"
        location = listed(Path(name) / "streamed", files, each)
        for what in BESIDE_STREAMED:
            took = _in_process(what, location, tables[WARM])
            yield f"{files:9,} {what:<25}{took.wall:8.2f}{took.cpu:8.2f}{took.peak:7,}"
    for what, of_size in taken.items():
        known = {size: took.cpu for size, took in of_size.items() if size > WARM}
        if len(known) > 1:
            slope = np.polyfit(np.log([*known]), np.log([*known.values()]), 1)[0]
            yield f"{what:<25} CPU time ~ files ^ {slope:.2f}, from {sizes[1]:,} files on"
    lines = {what: {size: took.cpu for size, took in of_size.items()} for what, of_size in taken.items()}
    draw(lines, "seconds of processor time", PLOT, ours=OURS)
    yield f"{PLOT.relative_to(ROOT)} shows it"


def _in_process(what: str, location: str, small: str) -> ReadTook:
    pool = dict([POOL]) if what in OURS else {}  # as `check` does
    return ReadTook(**json.loads(run(["-m", "tools.benchmarks.metadata", what, location, small], pool)[1]))


def _stored(location: str) -> StoredMetrics:
    return read_stored_metrics(Objects(fs.LocalFileSystem()), location)


def _case(stored: StoredMetrics) -> Case:
    """The case of files that hold just what is stored of them, written by a source that is known."""
    rows = stored.files.num_rows
    files = stored.files.select(["path", "size", "format", "record_count"])
    files = files.append_column("exists", pa.repeat(pa.scalar(True), rows))
    for name in ("counted", "unordered"):
        files = files.append_column(name, pa.nulls(rows, pa.int64()))
    files = files.append_column("groups", pa.nulls(rows, GROUPS))
    columns = {path: _true(table) for path, table in stored.columns.items()}
    schema = pa.schema([(leaf.path, leaf.arrow) for leaf in stored.leaves])
    held = dict.fromkeys(columns, pa.repeat(pa.scalar(True), rows))
    source = Source(("day",), ("id",), dict.fromkeys(stored.paths, 1), spec="day:VALUE")
    return Case("generated", stored, ActualMetrics(files, columns, held, {}, (schema,) * rows), source)


def _true(stored: pa.Table) -> pa.Table:
    true = stored.rename_columns({"lower": "min", "upper": "max"})
    return true.set_column(true.column_names.index("nan_count"), "nan_count", pc.fill_null(true["nan_count"], 0))


def _read(location: str) -> Callable[[], object]:
    return lambda: _stored(location)


def _claims(location: str) -> Callable[[], object]:
    case = _case(_stored(location))
    about = [one for one in CLAIMS.values() if one.about is Case]
    return lambda: [one.deviations(case) for one in about if one.lacks(case) is None]


def _grid(location: str) -> Callable[[], object]:
    """The predicates of every column, and the files that the judge's planner keeps for each."""
    case = _case(_stored(location))

    def plan() -> object:
        known = {column: literals(case, column) for column in case.stored.columns}
        grids = (grid_of(case, column, own, "id", known["id"]) for column, own in known.items())
        return judges(case.stored)("", [one for each in grids for one in each])

    return plan


@dataclass(frozen=True)
class Work:
    """`prepare` takes the address of a table and returns what is timed; `most` is the largest table it is tried on."""

    prepare: Callable[[str], Callable[[], object]]
    most: int = SIZES[-1]


READ = "stored metrics, read"
OURS = {READ: Work(_read), "all claims but the grid": Work(_claims), "the grid, planned": Work(_grid)}
WORK = OURS | {
    "DataFusion: manifests": Work(others.datafusion),
    "Iceberg Java: plan": Work(others.iceberg_java_plan),
    "Spark: .files": Work(others.spark_files, PUBLISHED),
    "DuckDB: scan of no file": Work(others.duckdb_scan, PUBLISHED),
    "DuckDB: column stats": Work(others.duckdb_statistics, SIZES[2]),
    "Trino: $files": Work(others.trino_files, SIZES[2]),
    "ClickHouse: scan of no file": Work(others.clickhouse_scan, SIZES[2]),
    "PyIceberg: plan_files": Work(others.pyiceberg_plan, PUBLISHED),
    "PyIceberg: inspect.files": Work(others.pyiceberg_files, SIZES[2]),
}

BESIDE_STREAMED = (
    *OURS,
    *("DataFusion: manifests", "Iceberg Java: plan", "DuckDB: scan of no file", "PyIceberg: plan_files"),
)


def _least(work: Work, location: str, small: str) -> ReadTook:
    """The peak is that of the first run: memory that an allocator keeps for a second one is not the work's."""
    work.prepare(small)()
    read, wall, cpu, memory = work.prepare(location), list[float](), list[float](), 0
    while len(wall) < TIMES and sum(wall) < LONGEST:
        began, before = time.perf_counter(), used()
        read()
        wall.append(time.perf_counter() - began)
        cpu.append(used() - before)
        memory = memory or peak()
    return ReadTook(min(wall), min(cpu), memory)


if __name__ == "__main__":
    print(json.dumps(asdict(_least(WORK[sys.argv[1]], *sys.argv[2:]))))
