"""What is made of each data file, and what once for all: nothing that many small files, or columns, pay one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, Wanted, WantedColumn
from xtable_audit.scan import LocalScanner
from xtable_audit.values import measured_rows, open_parquet, row_groups
from xtable_audit.values.measure_file import measure_file
from xtable_audit.values.measured_rows import rows_of

OBJECTS = Objects(fs.LocalFileSystem())
COLUMNS, ROWS = 6, 40_000
TABLE = pa.table(
    {f"c{place}": np.arange(ROWS) + place for place in range(COLUMNS - 1)}
    | {"word": pa.array(["a", "b"] * (ROWS // 2))}
)
WANTED = Wanted(tuple(WantedColumn(place, one.name, one.type) for place, one in enumerate(TABLE.schema)))
FILES = 5


class Counted:
    """A call that is counted, and done."""

    def __init__(self, patch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        self.calls = 0
        done = getattr(owner, name)

        def counting(*given: Any, **named: Any) -> Any:
            self.calls += 1
            return done(*given, **named)

        patch.setattr(owner, name, counting)


def written(folder: Path, rows: int) -> DataFile:
    file = folder / f"{rows}.parquet"
    pq.write_table(TABLE.slice(0, rows), file, row_group_size=rows // 2)
    return DataFile(str(file))


@pytest.mark.parametrize(
    ("rows", "whole", "times"), [(1000, 1 << 30, 2), (1000, 0, 2), (ROWS, 1 << 30, 3), (ROWS, 0, 3)]
)
def test_a_file_is_opened_as_often_as_it_needs(
    rows: int, whole: int, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For its footer; without a byte of its pages; and for dictionaries, if there are many values."""
    file = written(tmp_path, rows)
    monkeypatch.setattr(open_parquet, "WHOLE", whole)
    made, looked = Counted(monkeypatch, pq.ParquetFile, "__init__"), Counted(monkeypatch, row_groups, "_chunk")
    found = measure_file(OBJECTS, file, WANTED)
    assert (found.record_count, found.columns["word"].extreme("max").as_py()) == (rows, "b")
    assert (made.calls, looked.calls) == (times, 2 * COLUMNS)


@pytest.mark.parametrize("rows", [1000, ROWS])
def test_the_same_is_measured_of_a_file_that_is_held_whole(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, found = written(tmp_path, rows), []
    for whole in (0, 1 << 30):
        monkeypatch.setattr(open_parquet, "WHOLE", whole)
        found.append(rows_of([measure_file(OBJECTS, file, WANTED)], WANTED))
    assert found[0].equals(found[1])


def test_columns_of_one_type_become_arrow_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [measure_file(OBJECTS, written(tmp_path, rows), WANTED) for rows in range(1000, 1000 + FILES)]
    made = Counted(monkeypatch, measured_rows, "structs")
    found = rows_of(files, WANTED)
    assert made.calls == len({one.arrow for one in WANTED.columns}) == 2
    assert found["column.c3"].combine_chunks().field("max").to_pylist() == [
        rows + 2 for rows in range(1000, 1000 + FILES)
    ]
    assert found.column_names[-COLUMNS:] == [f"column.{one.path}" for one in WANTED.columns]


def test_parts_are_found_by_the_footer_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xtable_audit.scan.BIG", 1)
    monkeypatch.setattr("xtable_audit.scan.PART_ROWS", 1)
    file = written(tmp_path, 1000)
    assert LocalScanner(OBJECTS)._parts((file, None)) == [(file, (0,)), (file, (1,))]
