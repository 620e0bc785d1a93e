"""A table's columns in its data files: by field id, by the name mapping or by name, promoted, or not there at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyiceberg.types import (
    BinaryType,
    DecimalType,
    DoubleType,
    FixedType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    StringType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

from tests.of_each import of_each
from tests.tables.draft import Draft
from tests.tables.healthy_by_pyiceberg import LATER
from tests.tables.typed import PARTITION, REGIONS, ROWS
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.claims import CLAIMS
from xtable_audit.formats.iceberg.fields import PROPERTY, misread
from xtable_audit.model.finding import Verdict
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare
from xtable_audit.model.scan_input import DataFiles, Mapped, NameMapping, Shape, Wanted, WantedColumn
from xtable_audit.planning.selection import judge_selections
from xtable_audit.scan import LocalScanner
from xtable_audit.subject.table_rows import read_rows
from xtable_audit.values.measured_rows import COLUMN
from xtable_audit.values.parquet import FileSchema, locate_all

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
NESTED = pa.struct([("b", pa.int64()), ("c", pa.struct([("d", pa.int64())]))])
FOUND = {
    "top-level": ("n", [("n", pa.int64())], ("n",)),
    "inside structs": ("a.c.d", [("a", NESTED)], ("a", "c", "d")),
    "a struct itself": ("a.c", [("a", NESTED)], ("a", "c")),
    "absent": ("a.x", [("a", NESTED)], None),
    "inside what is no struct": ("a.b", [("a", pa.int64())], None),
    "a dot in the name of a field": ("a.b", [("a.b", pa.int64())], None),
    "the first of two with one name": ("a.b", [("a", NESTED), ("a", pa.int64())], ("a", "b")),
    "inside the second of two with one name": ("a.b", [("a", pa.int64()), ("a", NESTED)], None),
}
READ = [
    (pa.int8(), IntegerType()),
    (pa.int32(), LongType()),
    (pa.uint16(), IntegerType()),
    (pa.float32(), DoubleType()),
    (pa.decimal128(7, 2), DecimalType(9, 2)),
    (pa.timestamp("ms", "UTC"), TimestamptzType()),
    (pa.timestamp("us"), TimestampType()),
    (pa.dictionary(pa.int32(), pa.string()), StringType()),
    (pa.large_string(), StringType()),
    (pa.string_view(), StringType()),
    (pa.dictionary(pa.int32(), pa.string_view()), StringType()),
    (pa.binary_view(), BinaryType()),
    (pa.binary(), StringType()),
    (pa.binary(16), UUIDType()),
    (pa.uuid(), UUIDType()),
    (pa.binary(4), FixedType(4)),
    (pa.null(), LongType()),
    (pa.large_list(pa.int32()), ListType(1, IntegerType())),
    (pa.map_(pa.string(), pa.int32()), MapType(1, StringType(), 2, IntegerType())),
]
MISREAD = [
    (pa.uint32(), LongType(), Verdict.UNSOUND),
    (pa.uint64(), LongType(), Verdict.UNSOUND),
    (pa.decimal128(9, 3), DecimalType(9, 2), Verdict.UNSOUND),
    (pa.decimal128(9, 2), DecimalType(7, 2), Verdict.UNREADABLE),
    (pa.int64(), IntegerType(), Verdict.UNREADABLE),
    (pa.int64(), DoubleType(), Verdict.UNREADABLE),
    (pa.timestamp("us"), TimestamptzType(), Verdict.UNSOUND),
    (pa.timestamp("us", "UTC"), TimestampType(), Verdict.UNSOUND),
    (pa.timestamp("ns", "UTC"), TimestamptzType(), Verdict.UNREADABLE),
    (pa.binary(4), BinaryType(), Verdict.UNREADABLE),
    (pa.binary(4), FixedType(5), Verdict.UNREADABLE),
    (pa.string(), ListType(1, IntegerType()), Verdict.UNREADABLE),
]


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


def without_its_partition_column(draft: Draft) -> Draft:
    """Every data file without the column, no bound or count of it, and no place in the file that was."""
    for place in range(len(REGIONS)):
        file = draft.mirror.file(draft.path(place))
        pq.write_table(pq.read_table(file).drop_columns([PARTITION]), file)
        for name in ("lower_bounds", "upper_bounds", "value_counts", "null_value_counts"):
            draft.put(place, name, PARTITION, None)
        draft.change_file(place, lambda file: file.update(split_offsets=None))
    draft.values_changed = True
    return draft


@pytest.fixture
def delta_like(draft_of: DraftOf) -> Draft:
    return without_its_partition_column(draft_of("typed"))


# Columns of files without field ids are found by the name mapping, and by their own names only where there is none.


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


# Columns of files without field ids are found by name, all of them in one pass.


@pytest.mark.parametrize(("path", "fields", "place"), FOUND.values(), ids=FOUND)
def test_a_column_is_found_by_the_names_on_its_path(
    path: str, fields: list[tuple[str, pa.DataType]], place: tuple[str, ...] | None
) -> None:
    file = FileSchema(pa.schema(fields), by_id=False)
    assert locate_all(file, [WantedColumn(1, path, pa.int64())]).get(path) == place


# Columns that a data file does not hold: added later, or kept in the partition tuple alone, as Delta does.


def test_partition_column_that_files_lack_is_no_fault(delta_like: Draft) -> None:
    case = delta_like.case()
    assert {id for id, claim in CLAIMS.items() if claim.deviations(case)} == {"sizes_are_exact"}


def test_partition_column_that_files_lack_has_the_tuples_value(delta_like: Draft) -> None:
    case = delta_like.case()
    assert case.actual.columns[PARTITION]["min"].to_pylist() == list(REGIONS)
    assert not any(case.actual.held[PARTITION].to_pylist())
    rows = read_rows(delta_like.mirror.objects, case.stored, case.stored.data_files).values
    assert rows[PARTITION].to_pylist() == [region for region in REGIONS for _ in range(ROWS)]


def test_partition_column_that_files_lack_is_found_by_a_predicate(delta_like: Draft) -> None:
    [found] = judge_selections(delta_like.mirror.objects, delta_like.case(), [Compare(PARTITION, "=", REGIONS[1])])
    assert found.counts == (3, 1, 1)


def test_column_that_was_added_later_is_null_in_older_files(table_of: TableOf) -> None:
    case = table_of("history").case
    assert case.actual.held[LATER].to_pylist() == [True, False, False]
    assert case.actual.columns[LATER]["null_count"].to_pylist() == [0, ROWS, ROWS]


# What is read of which Parquet type, rule by rule.


@of_each(("found", "wanted"), READ, ids=str)
def test_value_is_read_as_it_is(found: pa.DataType, wanted: IcebergType) -> None:
    assert misread(found, wanted) is None


@of_each(("found", "wanted", "verdict"), MISREAD, ids=str)
def test_value_is_misread(found: pa.DataType, wanted: IcebergType, verdict: Verdict) -> None:
    assert misread(found, wanted) is verdict
