"""The local scanner over many small files, and a wide one, against pyarrow just reading them; how some places grow.

Ratios of processor time in one process, taken in turn: the machine's own speed is in both.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyiceberg.io.pyarrow import _pyarrow_to_schema_without_ids
from pyiceberg.schema import assign_fresh_schema_ids

from lab.stack.cache import Cache
from tools.benchmarks.shapes import spent
from tools.benchmarks.timing import median, run
from xtable_audit.claims.layout import overlapping
from xtable_audit.formats.iceberg.columns import leaves
from xtable_audit.formats.iceberg.manifest_fields import by_field
from xtable_audit.model.interpreter import read_by_threads
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFiles, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner
from xtable_audit.values.row_groups import BATCH_ROWS

FILES, ROWS, EACH = 20_000, 1000, 5
"""Files at scale 1, rows of each, and columns of each of four types."""
WIDE = 5000
"""Columns of a wide file."""


def measure(scale: float) -> Iterator[str]:
    read_by_threads()
    yield f"{'':<64}{'CPU':>7}{'clock':>7}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [written(folder / f"{number}.parquet", number) for number in range(int(FILES * scale))]
        read, small = lambda: _read(paths), f"{len(paths)} files of {ROWS} rows and {4 * EACH} columns"
        yield _line(f"{small}: measured / read", _measuring(paths), read)
        yield _line(f"{small}: by DuckDB / read", _duckdb(paths), read)
        wide = [_wide(folder / f"wide{columns}.parquet", columns) for columns in (WIDE // 4, WIDE)]
        one = f"one file of {ROWS} rows and {WIDE} columns"
        yield _line(f"{one}: measured / read", _measuring(wide[1:]), lambda: _read(wide[1:]))
        grown = f"measured: {WIDE} columns / {WIDE // 4}, 4 where it is linear"
        yield _line(grown, _measuring(wide[1:]), _measuring(wide[:1]))
    few, many = (int(1_000_000 * scale * times) for times in (1, 4))
    for words, work in (("layout", _layout), ("40 columns", _metrics)):
        yield _line(f"{words}: {many} files / {few} files, 4 where it is linear", work(many), work(few))


def _line(words: str, one: Callable[[], object], other: Callable[[], object]) -> str:
    """Of the medians of five runs each, in turn, after one of each: processor time of all threads, and the clock."""
    times: dict[Callable[[], object], list[tuple[float, float]]] = {one: [], other: []}
    for _ in range(6):
        for work, seconds in times.items():
            began = time.perf_counter()
            busy = spent(work)
            seconds.append((busy, time.perf_counter() - began))
    first, second = ([statistics.median(kind) for kind in zip(*seconds[1:], strict=True)] for seconds in times.values())
    return f"{words:<64}" + "".join(f"{one / other:7.2f}" for one, other in zip(first, second, strict=True))


def _duckdb(paths: list[Path]) -> Callable[[], object]:
    """Least and greatest value and count of every column in every file."""
    import duckdb

    names = pq.read_schema(paths[0]).names
    ends = ", ".join(f"min({name}), max({name}), count({name})" for name in names)
    listed = ", ".join(f"'{path}'" for path in paths)
    query = f"select filename, count(*), {ends} from read_parquet([{listed}], filename = true) group by filename"
    connection = duckdb.connect()
    return lambda: connection.execute(query).fetchall()


def written(path: Path, seed: int) -> Path:
    draw = np.random.default_rng(seed)
    numbers = [draw.integers(0, 10**9, ROWS) for _ in range(EACH)]
    columns = {f"long{place}": pa.array(each) for place, each in enumerate(numbers)}
    columns |= {f"double{place}": pa.array(each / 7) for place, each in enumerate(numbers)}
    columns |= {f"text{place}": pa.array(each).cast(pa.string()) for place, each in enumerate(numbers)}
    columns |= {f"time{place}": pa.array(each).cast(pa.timestamp("us")) for place, each in enumerate(numbers)}
    pq.write_table(pa.table(columns), path)
    return path


def _wide(path: Path, columns: int) -> Path:
    draw = np.random.default_rng(0)
    pq.write_table(pa.table({f"c{place}": draw.integers(0, 10**9, ROWS) for place in range(columns)}), path)
    return path


def _measuring(paths: list[Path]) -> Callable[[], object]:
    schema = pq.read_schema(paths[0])
    wanted = Wanted(tuple(WantedColumn(place, field.name, field.type) for place, field in enumerate(schema)))
    files, scanner = DataFiles.at(map(str, paths)), LocalScanner(Objects(fs.LocalFileSystem()))
    return lambda: scanner.measure(files, wanted)


def _read(paths: list[Path]) -> None:
    for path in paths:
        for _ in pq.ParquetFile(path).iter_batches():
            pass


def _layout(files: int) -> Callable[[], object]:
    starts = np.random.default_rng(0).integers(0, 10**12, files)
    actual = pa.table({"min": starts, "max": starts + 1000})
    return lambda: overlapping(actual, list(range(files)))


def _metrics(files: int) -> Callable[[], object]:
    pairs = pa.array([[(id, id) for id in range(40)]], pa.map_(pa.int32(), pa.int64()))
    lists = pairs.cast(pa.list_(pa.struct([("key", pa.int32()), ("value", pa.int64())])))
    entry = pa.table({"value_counts": lists.take(pa.array(np.zeros(files, np.int64)))})
    return lambda: by_field(entry, range(40))


DATASET = "good_layout"
"""Five columns of Hudi's own besides the trips', long strings among them."""


def judge(scale: float) -> Iterator[str]:
    """The judge alone: actual values of all columns against pyarrow just reading them, and peak memory of the process.

    The goals, at scale 1: at most 1.5 times the reading, under 1.5 GiB.
    """
    tree = _newest_tree(scale)
    if tree is None:
        run(["-m", "pytest", "-q", "-k", DATASET, "--readers", "none", "--scale", str(scale)])
        tree = _newest_tree(scale)
        assert tree is not None, "the audit left no table of this scale in the cache"

    def seconds_of(what: str) -> float:
        measured: dict[str, float] = json.loads(run(["-m", "tools.benchmarks.scan", what, str(tree)])[1])
        memory[what] = measured["mib"]
        return measured["seconds"]

    memory: dict[str, float] = {}
    reading, actual = median(lambda: seconds_of("read")), median(lambda: seconds_of("actual"))
    yield f"pyarrow reads every column         {reading:7.2f} s   {memory['read']:6.0f} MiB at the peak"
    yield f"the judge measures every column    {actual:7.2f} s   {memory['actual']:6.0f} MiB at the peak"
    yield f"ratio                              {actual / reading:7.2f}"


def _newest_tree(scale: float) -> Path | None:
    """The cached table of that size, as files."""
    root = Cache().root / "dataset"
    found = []
    for path in root.glob("*/facts.json"):
        facts = json.loads(path.read_text())["told"]
        if facts["dataset"] == DATASET and abs(facts["rows"] - 9_384_433 * scale) < 1000:
            found.append(path)
    newest = max(found, key=lambda path: path.stat().st_mtime, default=None)
    return newest.parent / "tree" if newest else None


def _read_alone(files: list[Path]) -> None:
    """Every column of every file, batch by batch, as the judge would have to."""
    for path in files:
        for _ in pq.ParquetFile(path).iter_batches(BATCH_ROWS):
            pass


def _actual(files: list[Path]) -> None:
    schema = assign_fresh_schema_ids(_pyarrow_to_schema_without_ids(pq.read_schema(files[0])))
    wanted = Wanted(tuple(leaf.column for leaf in leaves(schema)))
    LocalScanner(Objects(fs.LocalFileSystem())).measure(DataFiles.at(f"file://{path}" for path in files), wanted)


if __name__ == "__main__":
    files = sorted(Path(sys.argv[2]).rglob("*.parquet"))
    started = time.monotonic()
    {"read": _read_alone, "actual": _actual}[sys.argv[1]](files)
    seconds = time.monotonic() - started
    print(json.dumps({"seconds": seconds, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
