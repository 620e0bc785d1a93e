"""Columns of files without field ids are found by the name mapping, and by their own names only where there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from tests.audit.conftest import DraftOf
from xtable_audit.formats.iceberg.name_mapping import PROPERTY
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare
from xtable_audit.model.wanted import DataFiles, Mapped, NameMapping, Shape, Wanted, WantedColumn
from xtable_audit.scan.local import LocalScanner
from xtable_audit.values.measured_rows import COLUMN

INSIDE = {"town": Mapped(8), "city": Mapped(8)}
MAPPING: NameMapping = {
    "old": Mapped(1),
    "new": Mapped(1),
    "address": Mapped(7, INSIDE),
    "place": Mapped(7, INSIDE),
    "list": Mapped(9, {"element": Mapped(10, {"was": Mapped(11)})}),
    "nobody's": Mapped(None),
}
COLUMNS = (WantedColumn(1, "new", pa.int64()), WantedColumn(8, "place.city", pa.string()))
REQUIRED = Shape(11, "is", True, "primitive")
DEMANDING = Shape(9, "list", False, "list", (Shape(10, "element", False, "struct", (REQUIRED,)),))
FILE = pa.table(
    {
        "old": [1, 2],
        "address": [{"town": "Bern"}, None],
        "list": pa.array([[{"was": None}, {"was": 3}], None], pa.list_(pa.struct([("was", pa.int32())]))),
    }
)


def scanner(folder: Path, table: pa.Table) -> tuple[LocalScanner, DataFiles]:
    pq.write_table(table, folder / "file.parquet")
    return LocalScanner(Objects(fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()))), DataFiles.at(
        ["s3://file.parquet"]
    )


def least(folder: Path, table: pa.Table, mapping: NameMapping | None) -> list[Any]:
    """The least value of each column, None where the file has it not."""
    local, files = scanner(folder, table)
    found = local.measure(DataFiles(files.table, mapping=mapping), Wanted(COLUMNS))
    return [found[f"{COLUMN}{column.path}"].combine_chunks().field("min")[0].as_py() for column in COLUMNS]


def test_any_name_of_the_mapping_finds_a_column(tmp_path: Path) -> None:
    assert least(tmp_path, FILE, MAPPING) == [1, "Bern"]


def test_without_a_mapping_columns_are_found_by_their_own_names(tmp_path: Path) -> None:
    assert least(tmp_path, pa.table({"new": [1], "place": [{"city": "Bern"}]}), None) == [1, "Bern"]


@pytest.mark.parametrize("mapping", [{}, {"new": Mapped(None)}, {"new": Mapped(99)}], ids=["empty", "no id", "another"])
def test_a_column_that_is_not_mapped_is_not_there(tmp_path: Path, mapping: NameMapping) -> None:
    assert least(tmp_path, pa.table({"new": [1]}), mapping) == [None, None]


def test_ids_of_the_file_count_before_the_mapping(tmp_path: Path) -> None:
    field = pa.field("old", pa.int64(), metadata={"PARQUET:field_id": "99"})
    assert least(tmp_path, pa.table([pa.array([1])], schema=pa.schema([field])), MAPPING) == [None, None]


def test_nulls_inside_a_mapped_list_are_counted(tmp_path: Path) -> None:
    local, files = scanner(tmp_path, FILE)
    found = local.measure(DataFiles(files.table, mapping=MAPPING), Wanted((), demanding=(DEMANDING,)))
    assert found["inside"].to_pylist() == [[{"path": "list.element.is", "value_count": 2, "null_count": 1}]]


def test_matches_are_counted_by_the_mapping(tmp_path: Path) -> None:
    local, files = scanner(tmp_path, FILE)
    found = local.count(DataFiles(files.table, mapping=MAPPING), COLUMNS, [Compare("new", ">", 1)])
    assert found["matches"].to_pylist() == [[1]]


def test_a_mapping_that_is_none_is_malformed(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.change_metadata(lambda metadata: metadata["properties"].update({PROPERTY: json.dumps({"no": "list"})}))
    draft.values_changed = True
    with pytest.raises(Malformed, match=r"has a schema\.name-mapping\.default that is none"):
        draft.case()
