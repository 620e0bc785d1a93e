"""Files of other writers: those with views are read as any other, those that do not fit the table say which column."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.malformed import ColumnMisfit, Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.scalars import without_views
from xtable_audit.model.scan_input import DataFile, Wanted, WantedColumn
from xtable_audit.values.measure_file import measure_file
from xtable_audit.values.measured_rows import ActualMetrics, rows_of

NAME = "file.parquet"
WANTED = Wanted((WantedColumn(0, "n", pa.int32()), WantedColumn(1, "st.x", pa.float64())))
FITTING = pa.table({"n": [1], "st": pa.array([{"x": 1.0}])})
OF_TYPE, BEYOND = DeviationKind.ANOTHER_TYPE, DeviationKind.BEYOND_TYPE
INSIDE = pa.struct([("zip", pa.string_view())])
TABLE = pa.table(
    {
        "text": pa.array([f"text {n}" for n in range(10)], pa.string_view()),
        "repeated": pa.array(["a", None] * 5, pa.string_view()),
        "raw": pa.array([bytes([n]) for n in range(10)], pa.binary_view()),
        "place": pa.array([{"zip": str(n)} for n in range(10)], INSIDE),
        "words": pa.array([["a", "b"]] * 10, pa.list_(pa.string_view())),
    }
)
EXTREMES = {
    "text": (pa.string(), "text 0", "text 9"),
    "repeated": (pa.string(), "a", "a"),
    "raw": (pa.binary(), bytes([0]), bytes([9])),
    "place.zip": (pa.string(), "0", "9"),
}


def measured(folder: Path, content: pa.Table | bytes) -> pa.Table:
    if isinstance(content, bytes):
        (folder / NAME).write_bytes(content)
    else:
        pq.write_table(content, folder / NAME)
    here = Objects(fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()))
    return rows_of([measure_file(here, DataFile(NAME), WANTED)], WANTED)


# A file that cannot be read because of one of its columns says which, and how it does not fit the table's.


@pytest.mark.parametrize(
    ("content", "misfit"),
    [
        (FITTING.set_column(0, "n", [["one"]]), ColumnMisfit(OF_TYPE, "n")),
        (FITTING.set_column(0, "n", [[1 << 40]]), ColumnMisfit(BEYOND, "n")),
        (FITTING.set_column(1, "st", [[{"x": "one"}]]), ColumnMisfit(OF_TYPE, "st.x")),
        (b"no Parquet", None),
    ],
    ids=["of another type", "beyond the type", "inside a struct", "no column's"],
)
def test_what_does_not_fit_is_named_across_processes(
    tmp_path: Path, content: pa.Table | bytes, misfit: ColumnMisfit | None
) -> None:
    with pytest.raises(Malformed) as raised:
        ActualMetrics.of(measured(tmp_path, content), [NAME])
    assert raised.value.misfit == misfit


def test_a_file_that_fits_is_measured(tmp_path: Path) -> None:
    actual = ActualMetrics.of(measured(tmp_path, FITTING), [NAME])
    assert actual.columns["n"]["max"].to_pylist() == [1]


# Files whose writer kept texts and bytes as views, as delta-rs does, are read as any other.


@pytest.mark.parametrize("column", EXTREMES)
def test_a_column_of_views_is_measured(column: str, tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "f")
    kind, least, greatest = EXTREMES[column]
    wanted = Wanted((WantedColumn(1, column, kind),))
    found = measure_file(Objects(fs.LocalFileSystem()), DataFile(str(tmp_path / "f")), wanted)
    assert found.malformed is None
    measured = found.columns[column]
    assert [measured.extreme(side).as_py() for side in ("min", "max")] == [least, greatest]


def test_a_table_without_views_has_the_same_values() -> None:
    plain = without_views(TABLE)
    assert plain.to_pylist() == TABLE.to_pylist()
    assert not [kind for kind in map(str, plain.schema.types) if "view" in kind]
