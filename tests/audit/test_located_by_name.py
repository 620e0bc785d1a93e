"""Columns of files without field ids are found by name, all of them in one pass."""

from __future__ import annotations

import pyarrow as pa
import pytest

from xtable_audit.model.wanted import WantedColumn
from xtable_audit.values.parquet import FileSchema, locate_all

INSIDE = pa.struct([("b", pa.int64()), ("c", pa.struct([("d", pa.int64())]))])
FOUND = {
    "top-level": ("n", [("n", pa.int64())], ("n",)),
    "inside structs": ("a.c.d", [("a", INSIDE)], ("a", "c", "d")),
    "a struct itself": ("a.c", [("a", INSIDE)], ("a", "c")),
    "absent": ("a.x", [("a", INSIDE)], None),
    "inside what is no struct": ("a.b", [("a", pa.int64())], None),
    "a dot in the name of a field": ("a.b", [("a.b", pa.int64())], None),
    "the first of two with one name": ("a.b", [("a", INSIDE), ("a", pa.int64())], ("a", "b")),
    "inside the second of two with one name": ("a.b", [("a", pa.int64()), ("a", INSIDE)], None),
}


@pytest.mark.parametrize(("path", "fields", "place"), FOUND.values(), ids=FOUND)
def test_a_column_is_found_by_the_names_on_its_path(
    path: str, fields: list[tuple[str, pa.DataType]], place: tuple[str, ...] | None
) -> None:
    file = FileSchema(pa.schema(fields), by_id=False)
    assert locate_all(file, [WantedColumn(1, path, pa.int64())]).get(path) == place
