"""Files whose writer kept texts and bytes as views, as delta-rs does, are read as any other."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.model.objects import Objects
from xtable_audit.model.views import without_views
from xtable_audit.model.wanted import DataFile, Wanted, WantedColumn
from xtable_audit.values.measure_file import measure_file

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
