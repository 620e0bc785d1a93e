"""A file that cannot be read because of one of its columns says which, and how it does not fit the table's."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.malformed import ColumnMisfit, Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.wanted import DataFile, Wanted, WantedColumn
from xtable_audit.values.actual_metrics import ActualMetrics
from xtable_audit.values.measure_file import measure_file
from xtable_audit.values.measured_rows import rows_of

NAME = "file.parquet"
WANTED = Wanted((WantedColumn(0, "n", pa.int32()), WantedColumn(1, "st.x", pa.float64())))
FITTING = pa.table({"n": [1], "st": pa.array([{"x": 1.0}])})
OF_TYPE, BEYOND = DeviationKind.ANOTHER_TYPE, DeviationKind.BEYOND_TYPE


def measured(folder: Path, content: pa.Table | bytes) -> pa.Table:
    if isinstance(content, bytes):
        (folder / NAME).write_bytes(content)
    else:
        pq.write_table(content, folder / NAME)
    here = Objects(fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()))
    return rows_of([measure_file(here, DataFile(NAME), WANTED)], WANTED)


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
