"""What is legal in Iceberg and rare: NaN tuples, both zeros in a list, columns that come back, version 1."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from math import nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable
from pyiceberg.transforms import IdentityTransform, Transform, YearTransform
from pyiceberg.types import StringType

from tests.tables.draft import read_records, write_records
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.partition import summaries_cover_every_tuple, tuples_equal_every_row
from xtable_audit.formats.iceberg.claims.schema import field_ids_are_stable
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model.objects import Objects
from xtable_audit.model.planner import PYICEBERG
from xtable_audit.model.predicate import Compare, In, IsNull, Predicate
from xtable_audit.planning.planners import judges, trap
from xtable_audit.planning.pruning_trial import whole_grid
from xtable_audit.readers.pyiceberg_reader import plan_table
from xtable_audit.scan import LocalScanner, matching_rows
from xtable_audit.subject.case import Case, Source, read_case
from xtable_audit.values.matching_rows import holds

MOMENT = dt.datetime(1, 1, 1)
DOUBLES = {"d": pa.float64()}


class Rare:
    """A table by PyIceberg, on local disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=folder.as_uri())
        self.catalog.create_namespace("tests")
        self.objects = Objects(fs.LocalFileSystem())

    def create(self, schema: dict[str, pa.DataType], by: Transform[Any, Any] | None = None, version: int = 2) -> None:
        properties = {"format-version": str(version)}
        self.table = self.catalog.create_table("tests.rare", pa.schema(list(schema.items())), properties=properties)
        if by is not None:
            with self.table.update_spec() as spec:
                spec.add_field(next(iter(schema)), by, "part")

    def append(self, **columns: list[Any]) -> None:
        self.table.append(pa.table(columns, schema=self.table.schema().as_arrow()))

    def add(self, **columns: list[Any]) -> None:
        """As a file that was written elsewhere: PyIceberg cannot itself partition by everything."""
        kinds = {field.name: field.type for field in self.table.schema().as_arrow()}
        file = self.folder / f"{len(list(self.folder.iterdir()))}.parquet"
        pq.write_table(pa.table({name: pa.array(column, kinds[name]) for name, column in columns.items()}), file)
        self.table.add_files([file.as_uri()])

    @property
    def case(self) -> Case:
        files = {one.file.file_path: one.file.file_size_in_bytes for one in self.table.scan().plan_files()}
        return read_case(self.objects, "rare", self.table.metadata_location, Source((), (), files))

    def planned(self, predicate: Predicate) -> list[int | None]:
        """Files kept by the judge, and by PyIceberg; None where it cannot express the predicate."""
        location = self.table.metadata_location
        kept = (
            *judges(self.case.stored)(location, [predicate]),
            *plan_table(StaticTable.from_metadata(location), [predicate]),
        )
        return [None if files is None else len(files) for files in kept]

    def put_tuple(self, place: int, value: float | None) -> None:
        """Another tuple for one file, as its manifest says it."""
        manifest = Path(self.case.stored.files["manifest"][place].as_py().removeprefix("file://"))
        (entry,) = read_records(manifest)
        entry["data_file"]["partition"]["part"] = value
        write_records(manifest, [entry])

    def summarise_nan(self, *, contains_nan: bool) -> None:
        """Says of the newest manifest that it holds NaN alone, or nothing at all."""
        snapshot = self.table.current_snapshot()
        assert snapshot is not None
        live = Path(snapshot.manifest_list.removeprefix("file://"))
        manifests = read_records(live)
        summary = {"contains_null": False, "contains_nan": contains_nan, "lower_bound": None, "upper_bound": None}
        manifests[0]["partitions"] = [summary]
        write_records(live, manifests)


@pytest.fixture
def rare(tmp_path: Path) -> Iterator[Rare]:
    made = Rare(tmp_path)
    yield made
    made.catalog.close()


# tuples of NaN


@pytest.fixture
def doubles(rare: Rare) -> Rare:
    """One file of NaN and one of numbers, newest first, by identity."""
    rare.create(DOUBLES, IdentityTransform())
    rare.add(d=[1.5, 1.5])
    rare.add(d=[nan, nan])
    rare.put_tuple(NAN, nan)
    rare.summarise_nan(contains_nan=True)
    return rare


NAN, NUMBERS = 0, 1


def lying(rare: Rare) -> list[Deviation]:
    return tuples_equal_every_row.deviations(rare.case)


def test_a_nan_tuple_means_rows_of_nan(doubles: Rare) -> None:
    assert lying(doubles) == []


@pytest.mark.parametrize("contains_nan", [True, False])
def test_a_manifest_of_nan_tuples_says_so(doubles: Rare, contains_nan: bool) -> None:
    doubles.summarise_nan(contains_nan=contains_nan)
    places = [deviation.places for deviation in summaries_cover_every_tuple.deviations(doubles.case)]
    assert places == ([] if contains_nan else [(NAN,)])


@pytest.mark.parametrize(
    ("place", "value"),
    [(NUMBERS, nan), (NAN, 1.5), (NUMBERS, None)],
    ids=["NaN for numbers", "a number for NaN", "null"],
)
def test_a_tuple_that_is_not_its_rows_is_reported(doubles: Rare, place: int, value: float | None) -> None:
    doubles.put_tuple(place, value)
    assert [deviation.places for deviation in lying(doubles)] == [(place,)]


@pytest.mark.parametrize(
    ("predicate", "kept"),
    [
        (Compare("d", "=", 1.5), 1),
        (Compare("d", "!=", 1.5), 1),
        (Compare("d", ">=", 1.5), 1),
        (IsNull("d", negated=True), 2),
        (IsNull("d"), 0),
    ],
    ids=str,
)
def test_planners_keep_nan_tuples_where_nan_matches(doubles: Rare, predicate: Predicate, kept: int) -> None:
    assert doubles.planned(predicate) == [kept, kept]


# both zeros


@pytest.mark.parametrize("live", [-0.0, 0.0])
@pytest.mark.parametrize("value", [-0.0, 0.0])
@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_both_zeros_are_among_a_list_that_has_either(kind: pa.DataType, value: float, live: float) -> None:
    values = {"d": pa.array([value], kind)}
    lists = In("d", (live, 1.0)), In("d", (live, 1.0), negated=True)
    assert [holds(one, values)[0].as_py() for one in lists] == [True, False]


def test_a_tuple_of_zero_is_skipped_by_a_list_with_the_other_zero(rare: Rare) -> None:
    rare.create(DOUBLES, IdentityTransform())
    rare.append(d=[0.0, 0.0])
    assert rare.planned(In("d", (-0.0, 1.0), negated=True)) == [0, 0]


# columns that come back


@pytest.fixture
def readded(rare: Rare) -> Rare:
    rare.create({"n": pa.int32(), "s": pa.string()})
    rare.append(n=[1], s=["a"])
    with rare.table.update_schema() as schema:
        schema.delete_column("s")
    with rare.table.update_schema() as schema:
        schema.add_column("s", StringType())
    rare.append(n=[2], s=["b"])
    return rare


def test_a_column_that_was_dropped_comes_back_under_a_new_id(readded: Rare) -> None:
    assert field_ids_are_stable.deviations(readded.case) == []


def test_a_column_that_was_never_dropped_keeps_its_id(readded: Rare) -> None:
    case = readded.case
    schemas = [schema for schema in iceberg_of(case.stored).metadata.schemas if len(schema.fields) == 2]
    iceberg_of(case.stored).metadata.schemas[:] = schemas  # as if there had been no time without it
    assert [deviation.column for deviation in field_ids_are_stable.deviations(case)] == ["s"]


# tables without files


def test_no_predicate_is_asked_of_a_table_without_files(rare: Rare) -> None:
    rare.create({"n": pa.int32()})
    rare.append(n=[1])
    rare.table.delete()
    assert whole_grid(rare.objects, rare.case) == ()


def test_a_predicate_has_no_matching_files_in_a_table_without_files(rare: Rare) -> None:
    rare.create({"n": pa.int32()})
    rare.append(n=[1])
    rare.table.delete()
    stored = rare.case.stored
    assert matching_rows(LocalScanner(rare.objects), stored.data_files, stored, [IsNull("n")]) == [{}]


# the ends of what PyIceberg plans


def test_tables_of_format_version_1_are_planned(rare: Rare) -> None:
    rare.create({"n": pa.int32()}, version=1)
    rare.append(n=[1, 2])
    assert rare.planned(Compare("n", "=", 1)) == [1, 1]


def test_a_predicate_beyond_pythons_calendar_is_not_planned_by_pyiceberg(rare: Rare) -> None:
    rare.create({"at": pa.timestamp("us")}, YearTransform())
    rare.add(at=[MOMENT, MOMENT])
    assert rare.planned(Compare("at", "<", MOMENT)) == [0, None]
    assert rare.planned(Compare("at", "=", MOMENT)) == [1, 1]


def test_a_double_tuple_that_pyiceberg_rounds_is_its_own_and_known(rare: Rare) -> None:
    rare.create(DOUBLES, IdentityTransform())
    rare.append(d=[0.1, 0.1])
    predicate = Compare("d", "=", 0.1)
    assert rare.planned(predicate) == [1, 0]
    assert trap(PYICEBERG, rare.case.stored, predicate, losing=True) is not None


def test_a_double_tuple_that_is_a_float_is_no_excuse(rare: Rare) -> None:
    rare.create(DOUBLES, IdentityTransform())
    rare.append(d=[0.5, 0.5])
    assert trap(PYICEBERG, rare.case.stored, Compare("d", "=", 0.5), losing=True) is None
