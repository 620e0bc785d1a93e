"""How much of a data file is in memory: a part of a wide one at a time, and nothing once it is read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from lab.stack.project import ROOT
from tests.hostile.test_parquet import footer
from tests.xtable_audit.values.test_pages import LARGE, ROWS, claiming
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, Shape, SortedBy, Wanted, WantedColumn
from xtable_audit.values.measure_file import measure_file
from xtable_audit.values.measured_rows import rows_of
from xtable_audit.values.open_parquet import open_held
from xtable_audit.values.row_groups import Footer, in_parts, in_runs

FEW, MANY = 200, 2000
PART = 4
"""Memory may grow by this part of what all files would take that are kept: allocators give back late."""
MEASURE = """
import re, sys
from pathlib import Path
from pyarrow import fs, int64
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, Wanted, WantedColumn
from xtable_audit.values.measure_file import measure_file

name, wanted = sys.argv[1], Wanted(tuple(WantedColumn(id, f"c{id}", int64()) for id in range(4)))

def memory(times):
    global found
    for _ in range(times):
        found = measure_file(Objects(fs.LocalFileSystem()), DataFile(name), wanted)
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10

few = memory(int(sys.argv[2]))
print(found.record_count, found.malformed)
print(memory(int(sys.argv[3])) - few)
"""
PAGE: dict[str, Any] = {"data_page_size": LARGE, "max_rows_per_page": ROWS}
EACH = 8000
"""Bytes of a column's values in the larger row group."""
COLUMNS = ["a", "b", "c", "d"]
PARTS: list[tuple[int, Collection[str], Sequence[int], list[list[str]]]] = [
    (1, (), (0, 1), [["a"], ["b"], ["c"], ["d"]]),
    (2 * EACH + 999, (), (0, 1), [["a", "b"], ["c", "d"]]),
    (9 * EACH, (), (0, 1), [["a", "b", "c", "d"]]),
    (1, ("b", "d"), (0, 1), [["b", "d"], ["a"], ["c"]]),
    (1, COLUMNS, (0, 1), [["a", "b", "c", "d"]]),
    (2 * EACH + 999, (), [1], [["a", "b", "c", "d"]]),
]


def written(file: Path) -> Path:
    pq.write_table(pa.table({f"c{id}": range(10) for id in range(4)}), file)
    return file


def refused(file: Path) -> Path:
    """Of eight mebibytes, in a page that claims two gibibytes."""
    pq.write_table(pa.table({"c0": np.arange(ROWS)}), file, use_dictionary=False, **PAGE)
    claiming(file, "c0", (1 << 31) - 1)
    return file


KINDS: dict[str, tuple[Callable[[Path], Path], int, int, int, str]] = {
    "sound": (written, FEW, MANY, 62, "10 None"),
    "refused": (refused, 10, 40, 240, "None is not the Parquet file the metadata describes: a page of c0"),
}
"""With the MiB that all files but the few would take: 35 KiB each, and 8 MiB each."""


@pytest.fixture
def footer_of(tmp_path: Path) -> Footer:
    """Four columns in two row groups."""
    table = pa.table({name: np.arange(1500, dtype=np.int64) for name in COLUMNS})
    pq.write_table(table, tmp_path / "f", row_group_size=1000, use_dictionary=False, compression="none")
    return Footer.of(pq.read_metadata(tmp_path / "f"))


# What is read of a data file is given back: a table of a hundred thousand small files takes the memory of one.


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the memory of a process in /proc")
@pytest.mark.parametrize(("write", "few", "many", "kept", "told"), KINDS.values(), ids=KINDS)
def test_memory_does_not_grow_with_the_number_of_files(
    write: Callable[[Path], Path], few: int, many: int, kept: int, told: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", MEASURE, str(write(tmp_path / "one.parquet")), str(few), str(many)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=True)
    outcome, growth = ran.stdout.splitlines()
    assert outcome.startswith(told)
    assert int(growth) <= kept / PART


def test_a_footer_that_describes_a_column_wrongly_is_refused_before_a_page_is_read(tmp_path: Path) -> None:
    """The column is optional by the levels that its chunk counts, and required by the schema."""
    file = written(tmp_path / "misdescribed.parquet")
    footer(file, lambda content: content.replace(b"%\x02\x18\x02c3", b"%\x00\x18\x02c3"))
    with pa.OSFile(str(file)) as source, pytest.raises(OSError, match="histogram size mismatch"):
        open_held(source)


# A file of many columns is read in parts: the same is measured, in as much memory as a part takes.


@pytest.mark.parametrize(("most", "together", "groups", "parts"), PARTS)
def test_columns_are_read_together_up_to_a_size(
    most: int,
    together: Collection[str],
    groups: Sequence[int],
    parts: list[list[str]],
    footer_of: Footer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("xtable_audit.values.row_groups.TOGETHER", most)
    assert list(in_parts(footer_of, COLUMNS, together, groups)) == parts


@pytest.mark.parametrize(("most", "runs"), [(1, [[0], [1]]), (2 * EACH, [[0], [1]]), (4 * EACH, [[0, 1]])])
def test_small_row_groups_are_read_together(
    most: int, runs: list[list[int]], footer_of: Footer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xtable_audit.values.row_groups.TOGETHER", most)
    assert list(in_runs(footer_of, ["a", "b"], [0, 1])) == runs


def test_of_no_column_the_rows_are_read(footer_of: Footer) -> None:
    assert list(in_parts(footer_of, [], (), [0, 1])) == [[]]


WANTED = Wanted(
    (
        WantedColumn(1, "id", pa.int64()),
        WantedColumn(2, "x", pa.float64()),
        WantedColumn(3, "s", pa.string()),
        WantedColumn(5, "place.zip", pa.int32()),
        WantedColumn(6, "added", pa.int64(), pa.scalar(7, pa.int64())),
        WantedColumn(7, "constant", pa.string()),
        WantedColumn(8, "place.added", pa.int32(), pa.scalar(1, pa.int32()), 4),
    ),
    demanding=(Shape(4, "place", False, "struct", (Shape(5, "zip", True, "primitive"),)),),
    orders=((1, (SortedBy("x", False, True), SortedBy("id", False, True), SortedBy("constant", False, True))),),
)


@pytest.mark.parametrize("groups", [None, (1,)])
def test_in_parts_the_same_is_measured(
    groups: tuple[int, ...] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = pa.array([{"zip": n} if n % 3 else None for n in range(100)], pa.struct([("zip", pa.int32())]))
    table = pa.table(
        {"id": range(100), "x": [n % 7 / 2 for n in range(100)], "s": [f"s{n}" for n in range(100)], "place": place}
    )
    pq.write_table(table, tmp_path / "f", row_group_size=30)
    objects = Objects(fs.LocalFileSystem())
    file = DataFile(str(tmp_path / "f"), {"constant": pa.scalar("c")}, order=1)
    whole = measure_file(objects, file, WANTED, groups)
    monkeypatch.setattr("xtable_audit.values.row_groups.TOGETHER", 1)
    assert rows_of([measure_file(objects, file, WANTED, groups)], WANTED) == rows_of([whole], WANTED)
    assert (whole.unread, whole.malformed, whole.unordered is None) == (None, None, False)


PEAK = """
import sys, pyarrow as pa
from pyarrow import fs
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, Wanted, WantedColumn
from xtable_audit.values import measure_file, row_groups
row_groups.TOGETHER = int(sys.argv[2]) << 20
wanted = Wanted(tuple(WantedColumn(n, f"c{n}", pa.float64()) for n in range(64)))
found = measure_file.measure_file(Objects(fs.LocalFileSystem()), DataFile(sys.argv[1]), wanted)
print(found.record_count, pa.default_memory_pool().max_memory() >> 20)
"""


@pytest.mark.parametrize(("together", "least", "most"), [(4, 4, 24), (1024, 64, 256)], ids=["in parts", "at once"])
def test_memory_is_that_of_a_part(together: int, least: int, most: int, tmp_path: Path) -> None:
    values = np.random.default_rng(0).random(1 << 17)
    pq.write_table(pa.table({f"c{n}": values for n in range(64)}), tmp_path / "f", use_dictionary=False)
    command = [sys.executable, "-c", PEAK, str(tmp_path / "f"), str(together)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    rows, peak = map(int, ran.stdout.split())
    assert (rows, least <= peak < most) == (1 << 17, True), peak
