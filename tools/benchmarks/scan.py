"""The local scanner over many small files, and a wide one, against pyarrow just reading them; how some places grow.

Ratios of times in one process, taken in turn: the machine's own speed is in both.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from xtable_audit.claims.layout import overlapping
from xtable_audit.formats.iceberg.manifest_fields import by_field
from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFiles, Wanted, WantedColumn
from xtable_audit.scan.scanner import LocalScanner

FILES, ROWS, EACH = 20_000, 1000, 5
"""Files at scale 1, rows of each, and columns of each of four types."""
WIDE = 5000
"""Columns of a wide file."""


def measure(scale: float) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [written(folder / f"{number}.parquet", number) for number in range(int(FILES * scale))]
        ratio = _ratio(_measuring(paths), lambda: _read(paths))
        yield f"{len(paths)} files of {ROWS} rows and {4 * EACH} columns: measured / read       {ratio:6.2f}"
        wide = [_wide(folder / f"wide{columns}.parquet", columns) for columns in (WIDE // 4, WIDE)]
        ratio = _ratio(_measuring(wide[1:]), lambda: _read(wide[1:]))
        yield f"one file of {ROWS} rows and {WIDE} columns: measured / read     {ratio:6.2f}"
        ratio = _ratio(_measuring(wide[1:]), _measuring(wide[:1]))
        yield f"measured: {WIDE} columns / {WIDE // 4} columns, 4 where it is linear     {ratio:6.2f}"
    few, many = (int(1_000_000 * scale * times) for times in (1, 4))
    for words, work in (("layout", _layout), ("40 columns", _metrics)):
        ratio = _ratio(work(many), work(few))
        yield f"{words}: {many} files / {few} files, 4 where it is linear       {ratio:6.2f}"


def _ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """Of the medians of five runs each, in turn, after one of each."""
    times: dict[Callable[[], object], list[float]] = {one: [], other: []}
    for _ in range(6):
        for work, seconds in times.items():
            started = time.perf_counter()
            work()
            seconds.append(time.perf_counter() - started)
    first, second = (statistics.median(seconds[1:]) for seconds in times.values())
    return first / second


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
