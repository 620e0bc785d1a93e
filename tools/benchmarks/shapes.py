"""Shapes that legal writers leave, and hostile ones, beside plain tables of as many entries, rows or bytes.

Ratios of processor time in one process, taken in turn. Nothing is worse than n log n, which
`tests/tools/benchmarks/test_measuring.py` holds.
"""

from __future__ import annotations

import gzip
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from tools.benchmarks.synthetic_metadata import listed
from xtable_audit.formats.iceberg.avro_guards import ungzipped
from xtable_audit.formats.iceberg.columns import leaves
from xtable_audit.formats.iceberg.delete_contents import of_positions
from xtable_audit.formats.iceberg.deletes import OF_POSITIONS, with_deletes
from xtable_audit.formats.iceberg.stored_metrics import read_metadata, read_stored_metrics
from xtable_audit.model.limits import LIMITS
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare
from xtable_audit.model.printable import printable
from xtable_audit.model.scan_input import DataFiles, WantedColumn
from xtable_audit.scan import LocalScanner
from xtable_audit.table.deletions import EQUALITY, POSITION, DeleteFile, Deletions, Tuple, apply

Work = Callable[[], object]
OBJECTS = Objects(fs.LocalFileSystem())
PARTITION: Tuple = (0, ())
IDS = pa.schema([pa.field("id", pa.int64(), metadata={b"PARQUET:field_id": b"1"})])


@dataclass(frozen=True)
class TimedShape:
    """`work` and `plain` prepare, in a new folder, what is timed: a shape of that size, and a plain table like it."""

    what: str
    size: int
    """At scale 1."""
    work: Callable[[Path, int], Work]
    plain: Callable[[Path, int], Work]


def measure(scale: float) -> Iterator[str]:
    yield f"{'':<50}{'CPU s':>8}{'plain':>8}{'ratio':>7}"
    for shape in SHAPES.values():
        size = max(int(shape.size * min(scale * 10, 1)), 1)
        with tempfile.TemporaryDirectory() as name:
            work, plain = shape.work(Path(name) / "shape", size), shape.plain(Path(name) / "plain", size)
            took, beside = least(work, plain)
        yield f"{shape.what.format(f'{size:,}'):<50}{took:8.2f}{beside:8.2f}{took / max(beside, 1e-4):7.1f}"


def least(*works: Work, times: int = 2) -> list[float]:
    """Seconds of processor time of each, of all threads: the least of some runs, in turn."""
    found = [spent(work) for work in works]
    for _ in range(times - 1):
        found = [min(before, spent(work)) for before, work in zip(found, works, strict=True)]
    return found


def spent(work: Work) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _manifests(each: int | None) -> Callable[[Path, int], Work]:
    def prepare(folder: Path, entries: int) -> Work:
        location = listed(folder, entries, each or entries)
        return lambda: read_stored_metrics(OBJECTS, location)

    return prepare


def _positions(one_path: bool) -> Callable[[Path, int], Work]:
    """A position delete file, each row of a data file of its own or all of one."""

    def prepare(_: Path, rows: int) -> Work:
        names = [f"s3://lake/orders/data/{0 if one_path else number:09}.parquet" for number in range(rows)]
        table = pa.table([pa.array(names).dictionary_encode(), np.arange(rows)], OF_POSITIONS)
        file = DeleteFile("deletes", POSITION, "PARQUET", 1, PARTITION)
        return lambda: of_positions(file, 1, table)

    return prepare


def _equality(every: bool) -> Callable[[Path, int], Work]:
    """Equality delete files, one for each commit as a stream leaves them: each applies to all older data files."""

    def prepare(_: Path, files: int) -> Work:
        data = [(f"{number}.parquet", number, PARTITION) for number in range(files)]
        numbers = range(files) if every else [files]
        deletes = [DeleteFile(f"{number}", EQUALITY, "PARQUET", number, PARTITION, (1,)) for number in numbers]

        def work() -> int:
            deletions = apply(deletes, data, frozenset({0}))
            return sum(path in deletions.applied for path, *_ in data)

        return work

    return prepare


def _streamed(read: Callable[[DataFiles, Deletions], object]) -> Callable[[Path, int], Work]:
    """So many commits of a stream: each adds a data file of ten rows, and deletes a row of the one before by its id."""

    def prepare(folder: Path, commits: int) -> Work:
        folder.mkdir()
        data, deletes = [], []
        for number in range(commits):
            file, delete = (str(folder / f"{number}{name}.parquet") for name in ("", "-deletes"))
            pq.write_table(pa.table([np.arange(number * 10, number * 10 + 10)], IDS), file)
            pq.write_table(pa.table([np.array([max(number - 1, 0) * 10])], IDS), delete)
            data.append((file, number, PARTITION))
            deletes.append(DeleteFile(delete, EQUALITY, "PARQUET", number, PARTITION, (1,)))
        files = DataFiles.at(path for path, *_ in data)
        return lambda: read(files, apply(deletes, data, frozenset()))

    return prepare


def _live(files: DataFiles, deletions: Deletions) -> object:
    """The rows that no delete removes, counted."""
    live = with_deletes(OBJECTS, files, deletions, [Schema(NestedField(1, "id", LongType(), required=False))])
    return LocalScanner(OBJECTS).count(live, [WantedColumn(1, "id", pa.int64())], [Compare("id", ">=", 0)])


def _just_read(files: DataFiles, deletions: Deletions) -> object:
    """The same files, by pyarrow."""
    paths = (*files.paths, *(one.path for one in deletions.files))
    return sum(batch.num_rows for path in paths for batch in pq.ParquetFile(path).iter_batches())


def _columns(schemas: int) -> Callable[[Path, int], Work]:
    """So many columns in one schema, or spread over several."""

    def prepare(folder: Path, columns: int) -> Work:
        location = listed(folder, 1)
        file = Path(location.removeprefix("file://"))
        content = json.loads(file.read_text(encoding="utf-8"))
        [schema] = content["schemas"]
        more = [
            {"id": 1000 + id, "name": f"c{id}", "required": False, "type": "string"} for id in range(columns // schemas)
        ]
        content["schemas"] = [
            schema | {"schema-id": number, "fields": schema["fields"] + more} for number in range(schemas)
        ]
        content["last-column-id"] = 1000 + columns
        file.write_text(json.dumps(content), encoding="utf-8")
        return lambda: [leaves(one) for one in read_metadata(OBJECTS, location).schemas]

    return prepare


def _members(empty: bool) -> Callable[[Path, int], Work]:
    """A gzip file of empty members, or of one member that takes as many bytes."""

    def prepare(_: Path, members: int) -> Work:
        none = gzip.compress(b"")
        noise = np.random.default_rng(0).bytes(len(none) * members)
        content = none * members if empty else gzip.compress(noise)
        return lambda: ungzipped(content, LIMITS.metadata)

    return prepare


def _words(word: str) -> Callable[[Path, int], Work]:
    return lambda _, times: lambda: printable(word * times)


SHAPES = {
    "manifests": TimedShape("{} manifests of one entry / one", 20_000, _manifests(1), _manifests(None)),
    "tens": TimedShape("{} entries, ten a manifest / one manifest", 20_000, _manifests(10), _manifests(None)),
    "positions": TimedShape("deletes of {} paths / of one", 200_000, _positions(False), _positions(True)),
    "equality": TimedShape("{} files and equality deletes / one delete", 5_000, _equality(True), _equality(False)),
    "rows": TimedShape("live rows of {} files, as many deletes / read", 2_500, _streamed(_live), _streamed(_just_read)),
    "columns": TimedShape("{} columns in a schema / in a hundred", 200_000, _columns(1), _columns(100)),
    "members": TimedShape("{} empty gzip members / one as long", 16_000, _members(True), _members(False)),
    "words": TimedShape(
        "{} names of secrets, one word / plain words", 30_000, _words("access-key-id"), _words("order data-e ")
    ),
}
"""Those that took time by the square of their size, or a fixed time for each part, before they were looked at."""
