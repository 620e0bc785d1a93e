"""Which tables try which edges, by their definitions: each edge is tried, or says why not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.types as is_
import pytest

from spark_jobs.battery import tried
from spark_jobs.battery.edges_tried import EDGES, FORMATS, Edge, Format, cell
from spark_jobs.battery.table import BatteryTable, Step, file, sql, write
from spark_jobs.battery.tables import BATTERY
from tests.of_each import of_each

INT = {"i": pa.int32()}


@pytest.mark.parametrize("format_", FORMATS)
@of_each("edge", EDGES, ids=lambda edge: edge.words)
def test_an_edge_is_tried_or_says_why_not(edge: Edge, format_: Format) -> None:
    assert bool(edge.by(format_)) is (format_ not in edge.not_tried)


@of_each("edge", [edge for edge in EDGES if not edge.not_tried], ids=lambda edge: edge.words)
def test_without_its_tables_an_edge_is_not_tried(edge: Edge) -> None:
    names = edge.by("HUDI")
    others = [table for table in BATTERY.values() if table.name not in names]
    assert edge.by("HUDI", others) == []


def test_a_cell_names_three_tables_and_counts_the_rest() -> None:
    every = Edge("every table", lambda table: table.name.startswith("types_nan"))
    assert cell(every, "HUDI") == "`types_nan_plain`, `types_nan_groups`, `types_nan_index`"
    most = Edge("most", lambda table: table.name.startswith(("types_nan", "drawn_1")))
    assert cell(most, "HUDI").endswith(" and 1 more")


# --- what a table tries


def table(*steps: Step, partition_by: tuple[str, ...] = (), **more: Any) -> BatteryTable:
    return BatteryTable("t", "T.", steps, partition_by=partition_by, **more)


def ints(*values: int | None, staged: bool = True) -> Step:
    return write("bulk_insert", INT, file(i=values), staged=staged)


def parts(*values: str) -> BatteryTable:
    return table(write("bulk_insert", {"p": pa.string()}, file(p=values)), partition_by=("p",))


ROWS = [(ints(1, 2), True), (ints(1), False), (write("upsert", INT, file(i=[1, 2])), False)]


@pytest.mark.parametrize(("step", "has"), ROWS, ids=["two", "one", "an upsert"])
def test_rows_of_a_file(step: Step, has: bool) -> None:
    assert tried.has_rows(2)(table(step)) is has


def test_a_file_for_each_record() -> None:
    one_by_one = table(write("append", INT, file(i=[1, 2]), options={"maxRecordsPerFile": "1"}))
    assert (tried.has_rows(1)(one_by_one), tried.has_rows(2)(one_by_one)) == (True, False)
    assert tried.has_files(1)(one_by_one)


def test_rows_of_two_partitions_are_two_files() -> None:
    assert tried.has_rows(1)(parts("a", "b"))
    assert not tried.has_rows(2)(parts("a", "b"))


def test_partitions() -> None:
    assert tried.has_partitions(1)(parts("a", "b"))
    assert not tried.has_partitions(1)(parts("a", "a"))


def test_commits_between_two_syncs() -> None:
    assert tried.has_commits(1)(table(ints(1, staged=False), ints(2)))
    assert not tried.has_commits(1)(table(ints(1), ints(2)))


def test_a_sync_between_commits_of_a_second() -> None:
    assert tried.is_synced_within_a_second(table(ints(1), ints(2), in_one_second=True))
    assert not tried.is_synced_within_a_second(table(ints(1, staged=False), ints(2), in_one_second=True))
    assert not tried.is_synced_within_a_second(table(ints(1), ints(2), in_one_second=True, format="DELTA"))
    assert tried.is_synced_within_a_second(table(ints(1), ints(2), in_synced_second=2, format="DELTA"))
    assert not tried.is_synced_within_a_second(table(ints(1), ints(2)))


NOTHING = ints()
BETWEEN = [
    ((ints(1), NOTHING, ints(2)), True),
    ((ints(1), sql("ALTER TABLE {table} SET TBLPROPERTIES ('a' = 'b')", "a property"), ints(2)), True),
    ((NOTHING, ints(1), ints(2)), False),
    ((ints(1), NOTHING), False),
    ((ints(1), ints(staged=False), ints(2)), False),
    ((ints(1), write("delete_partition", INT, file(i=[])), ints(2)), False),
]


@pytest.mark.parametrize(
    ("steps", "has"), BETWEEN, ids=["no row", "a property", "first", "last", "seen with the next", "drops files"]
)
def test_a_commit_without_a_file_between_others_that_a_sync_sees_alone(steps: tuple[Step, ...], has: bool) -> None:
    assert tried.has_nothing_between(seen_alone=True)(table(*steps)) is has


def test_a_commit_without_a_file_between_others_that_a_sync_sees_with_the_next() -> None:
    assert tried.has_nothing_between(seen_alone=False)(table(ints(1), ints(staged=False), ints(2)))


def test_base_and_log_in_the_first_sync() -> None:
    assert tried.begins_with_base_and_log(BATTERY["mor_base_and_log"])
    for without in ("mor_updated", "mor_base_only", "mor_only_logs", "history_upsert"):
        assert not tried.begins_with_base_and_log(BATTERY[without])


SIGNS = [
    (pa.int32(), is_.is_int32, [-1, 1], True),
    (pa.int32(), is_.is_int32, [-1, 0], False),
    (pa.int32(), is_.is_int32, [-1, None], False),
    (pa.int32(), is_.is_int64, [-1, 1], False),
    (pa.float64(), is_.is_float64, [-1.5, float("nan")], False),
    (pa.date32(), is_.is_date32, [date(1969, 1, 1), date(1971, 1, 1)], True),
    (
        pa.timestamp("us", tz="UTC"),
        is_.is_timestamp,
        [datetime(1969, 1, 1, tzinfo=UTC), datetime(1971, 1, 1, tzinfo=UTC)],
        True,
    ),
    (pa.timestamp("us"), is_.is_timestamp, [datetime(1969, 1, 1), datetime(1968, 1, 1)], False),
]


@pytest.mark.parametrize(("type_", "of_type", "values", "has"), SIGNS)
def test_both_signs_in_a_file(
    type_: pa.DataType, of_type: Callable[[pa.DataType], bool], values: list[object], has: bool
) -> None:
    assert tried.has_both_signs(of_type)(table(write("bulk_insert", {"x": type_}, file(x=values)))) is has


def test_signs_in_two_files_are_not_in_one() -> None:
    assert not tried.has_both_signs(is_.is_int32)(table(write("bulk_insert", INT, file(i=[-1]), file(i=[1]))))


@pytest.mark.parametrize(
    ("values", "has"),
    [
        ([b"a" * 16 + b"1", b"a" * 16 + b"2"], True),
        ([b"a" * 16, b"a" * 16 + b"2"], False),
        ([b"a" * 15 + b"12", b"a" * 15 + b"21"], False),
    ],
    ids=["after", "one is cut", "before"],
)
def test_equal_beginnings(values: list[bytes], has: bool) -> None:
    given = table(write("bulk_insert", {"b": pa.binary()}, file(b=values)))
    assert tried.has_equal_beginnings(is_.is_binary)(given) is has
    assert tried.has_length(is_.is_binary, 17)(given)


FIRST_NULLS = [
    ((ints(1), ints(2, None)), True),
    ((ints(1, staged=False), ints(2, None)), False),
    ((ints(1, None), ints(2, None)), False),
    ((ints(1), ints(None)), False),
]


@pytest.mark.parametrize(("steps", "has"), FIRST_NULLS, ids=["later", "in one sync", "from the first", "all null"])
def test_a_first_null_in_a_later_file(steps: tuple[Step, ...], has: bool) -> None:
    assert tried.has_first_null(is_.is_int32)(table(*steps)) is has


def columns(**types: pa.DataType) -> Step:
    return write("bulk_insert", types, file(**{name: [None] for name in types}))


INTS, TEXTS = pa.int32(), pa.string()
CHANGES = [
    ((columns(x=INTS, y=TEXTS), columns(y=TEXTS, z=INTS)), True),
    ((columns(x=INTS, y=TEXTS), columns(y=TEXTS), columns(y=TEXTS, z=INTS)), True),
    ((columns(x=INTS, y=TEXTS), columns(y=TEXTS), columns(x=INTS, y=TEXTS)), False),
    ((columns(x=INTS, y=TEXTS), columns(y=INTS, z=INTS)), False),
    ((columns(x=INTS), columns(x=INTS, y=INTS)), False),
]


@pytest.mark.parametrize(("steps", "has"), CHANGES, ids=["at once", "one by one", "comes back", "type", "added alone"])
def test_a_column_dropped_and_another_one_added(steps: tuple[Step, ...], has: bool) -> None:
    assert tried.drops_and_adds(table(*steps)) is has
