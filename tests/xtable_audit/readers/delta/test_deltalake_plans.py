"""delta-rs names the files it plans: those it opens, and those that hold a matching row among them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyarrow.fs import LocalFileSystem

from tests.xtable_audit.formats.delta.tables import (
    GENERATED,
    newest,
    of_every_type,
    rewrite,
    with_add,
    with_metadata,
    with_statistics,
    write_generated,
)
from tests.xtable_audit.readers.delta.test_delta_readers import MARCH, watch
from tests.xtable_audit.readers.test_answers import GRID, holds
from xtable_audit.formats.delta.table import NAMED, NUMBER
from xtable_audit.formats.installed import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.model.planner import DELTALAKE, Refused
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.planning.planners import judges, trap
from xtable_audit.readers.deltalake_reader import plan
from xtable_audit.readers.reader import Reader
from xtable_audit.readers.registry import open_reader

PLANNED: dict[Predicate, int] = {
    Compare("id", "=", 60): 1,
    Compare("vendor", ">", 2): 0,
    Compare("rating", "=", 1.5): 4,
    Compare("distance", "<", 28.0): 3,
    Compare("fare", "=", Decimal("8.47")): 1,
    Compare("total", ">=", Decimal("18.75")): 1,
    Compare("tip", "<", Decimal(10**17)): 2,
    Compare("day", "=", dt.date(2023, 3, 10)): 1,
    Compare("picked_up", "<", dt.datetime(2023, 2, 1)): 1,
    Compare("recorded", ">", dt.datetime(2023, 3, 15, tzinfo=dt.UTC)): 2,
    In("id", (1, 199)): 2,
    Or(MARCH, Compare("id", "<", 5)): 2,
    And(MARCH, Compare("distance", "<", 25.0)): 0,
    Compare("place.x", "<", 7.0): 1,
    IsNull("flag"): 0,
}
"""Predicate -> files of `by_month` whose bounds allow a match."""


class _Here:
    """Tables of this disk."""

    def delta(self, root: str) -> tuple[str, dict[str, str]]:
        return root, {}


HERE = _Here()


@pytest.fixture
def deltalake(readers: dict[str, Reader], tables: Any) -> Reader:
    if "deltalake" not in readers:
        readers["deltalake"] = open_reader("deltalake", tables.store.guest("reader-deltalake").store)
    return readers["deltalake"]


@pytest.mark.parametrize(("predicate", "files"), PLANNED.items(), ids=str)
def test_files_whose_bounds_allow_a_match_are_planned_and_opened(
    deltalake: Reader, tables: Any, predicate: Predicate, files: int
) -> None:
    [seen] = watch(deltalake, tables, "by_month", predicate)
    assert seen.answer
    assert seen.answer.planned is not None
    planned = frozenset(tables.store.store.key(uri) for uri in seen.answer.planned)
    assert (len(planned), planned) == (files, seen.read)


def test_no_file_that_holds_a_matching_row_is_left_out(tables: Any) -> None:
    store = tables.store.store
    kept = plan(store, tables.by_month.metadata, GRID)
    for predicate, files in zip(GRID, kept, strict=True):
        months = {row["id"] // 50 for row in tables.rows if holds(predicate, row) is True}
        assert files is None or {tables.by_month.data[month] for month in months} <= {store.key(uri) for uri in files}


@pytest.mark.parametrize(
    "predicate",
    [StartsWith("zone", "zone_"), Compare("fare", "<", Decimal("8.475")), Compare("rating", ">", 0.1)],
    ids=["a prefix", "a decimal of more digits", "a double on a float"],
)
def test_a_predicate_by_which_delta_rs_skips_nothing_is_not_planned(
    deltalake: Reader, tables: Any, predicate: Predicate
) -> None:
    assert plan(tables.store.store, tables.by_month.metadata, [predicate, MARCH])[0] is None
    answer = deltalake.query(tables.by_month.metadata, predicate)
    assert (answer.rows, answer.planned) == (sum(holds(predicate, row) is True for row in tables.rows), None)
    assert answer.unknown_plan


def test_a_field_of_a_struct_in_a_struct_is_not_planned(tmp_path: Path) -> None:
    write_deltalake(tmp_path, pa.table({"id": [1], "st": [{"x": 1, "inner": {"m": 2}}]}))
    deeper, outer = Compare("st.inner.m", "=", 5), Compare("st.x", "=", 5)
    assert plan(HERE, f"{tmp_path}/_delta_log/{0:020}.json", [deeper, outer]) == [None, frozenset()]


@pytest.mark.parametrize(
    ("values", "predicate", "dropped"),
    [
        ([2.0, 2.0], Compare("x", "!=", 2.0), True),
        ([2.0, 2.0], In("x", (2.0,), negated=True), True),
        ([2.0, 3.0], Compare("x", "!=", 2.0), False),
        ([-0.0, 1.0], Compare("x", "<", 0.0), False),
    ],
    ids=["one value, unequal", "one value, not among", "two values", "a negative zero"],
)
def test_where_delta_rs_differs_from_the_judge_it_is_known(
    tmp_path: Path, values: list[float], predicate: Predicate, dropped: bool
) -> None:
    write_deltalake(tmp_path, pa.table({"x": values}))
    location = f"{tmp_path}/_delta_log/{0:020}.json"
    stored = read_stored(Objects(LocalFileSystem()), location)
    [kept], [judged] = plan(HERE, location, [predicate]), judges(stored)(location, [predicate])
    assert (not kept, kept != judged) == (dropped, bool(trap(DELTALAKE, stored, predicate)))


def _kept_and_judged(location: str, predicate: Predicate) -> tuple[int, int, bool]:
    """How many files delta-rs and the judge keep, and whether it is known why they differ."""
    stored = read_stored(Objects(LocalFileSystem()), location)
    [kept], [judged] = plan(HERE, location, [predicate]), judges(stored)(location, [predicate])
    assert kept is not None
    assert judged is not None
    return len(kept), len(judged), bool(trap(DELTALAKE, stored, predicate))


@pytest.fixture
def with_a_count_in_parts(tmp_path: Path) -> Callable[..., str]:
    """A table of these columns, whose null count of the map is no number."""

    def write(*columns: str) -> str:
        write_deltalake(tmp_path, of_every_type().select([*columns, "map"]))
        rewrite(tmp_path, with_statistics(lambda one: one["nullCount"].update({"map": {"_one_field_key": 0}})))
        return newest(tmp_path)

    return write


def test_of_a_null_count_in_parts_delta_rs_reads_none(
    with_a_count_in_parts: Callable[..., str],
) -> None:
    """The judge skips by those of the other columns."""
    assert _kept_and_judged(with_a_count_in_parts("int"), Compare("int", "=", 99)) == (1, 0, True)


def test_beside_a_boolean_column_they_make_delta_rs_refuse(with_a_count_in_parts: Callable[..., str]) -> None:
    with pytest.raises(Refused, match="expected primitive"):
        plan(HERE, with_a_count_in_parts("int", "bool"), [Compare("int", "=", 99)])


@pytest.mark.parametrize("transform", GENERATED)
@pytest.mark.parametrize(("later", "files"), [(0, 1), (1, 0)], ids=["the file's time", "two milliseconds later"])
def test_the_source_of_a_generated_column_is_planned_by_its_own_statistics_too(
    tmp_path: Path, transform: str, later: int, files: int
) -> None:
    """The later time is of the same year, month, day and hour."""
    write_generated(tmp_path, transform)
    at = of_every_type()["at"][0].as_py() + dt.timedelta(milliseconds=2 * later)
    location = f"{tmp_path}/_delta_log/{0:020}.json"
    assert _kept_and_judged(location, Compare("at", "=", at)) == (files, files, False)


@pytest.mark.parametrize("transform", GENERATED)
def test_delta_rs_does_not_skip_by_the_value_of_a_generated_column(tmp_path: Path, transform: str) -> None:
    """By a false one the judge drops the file, as the protocol lets a reader do."""
    write_generated(tmp_path, transform, of_another=True)
    at = of_every_type()["at"][0].as_py()
    assert _kept_and_judged(f"{tmp_path}/_delta_log/{0:020}.json", Compare("at", "=", at)) == (1, 0, True)


@pytest.mark.parametrize(("zero", "skips"), [("0.00", True), ("0E-2", False), ("0E-15", False)])
def test_delta_rs_reads_no_decimal_with_an_exponent(tmp_path: Path, zero: str, skips: bool) -> None:
    """XTable 0.2.0 writes the zero of Hudi's index as 0E-15, by Delta Standalone: a number that JSON allows."""
    write_deltalake(tmp_path, pa.table({"m": pa.array([Decimal("0.00"), Decimal("0.75")], pa.decimal128(10, 2))}))
    rewrite(
        tmp_path,
        with_add(lambda add: add.update(stats=re.sub(r'("minValues":{"m":)[^,}]*', rf"\g<1>{zero}", add["stats"]))),
    )
    assert _kept_and_judged(newest(tmp_path), Compare("m", "<", Decimal("0.00"))) == (int(not skips), 0, not skips)


INDEXED: dict[str, tuple[dict[str, str], str, bool]] = {
    "by default, the 32nd": ({}, "c31", True),
    "by default, the 33rd": ({}, "c32", False),
    "of forty, the 40th": ({NUMBER: "40"}, "c39", True),
    "of two, the second": ({NUMBER: "2"}, "c1", True),
    "of two, the third": ({NUMBER: "2"}, "c2", False),
    "of all, the last": ({NUMBER: "-1"}, "c39", True),
    "of none, the first": ({NUMBER: "0"}, "c0", False),
    "of one by its name, that one": ({NAMED: "`c35`", NUMBER: "2"}, "c35", True),
    "of one by its name, the first": ({NAMED: "c35", NUMBER: "2"}, "c0", False),
    "behind the number, a partition column": ({NUMBER: "0"}, "p", True),
}
"""Properties, a column, and whether delta-rs skips files by it."""


@pytest.mark.parametrize(("properties", "column", "skips"), INDEXED.values(), ids=INDEXED)
def test_delta_rs_skips_by_the_columns_of_the_table_s_properties_alone(
    tmp_path: Path, properties: dict[str, str], column: str, skips: bool
) -> None:
    """The file has statistics of all columns, by which the judge skips."""
    rows = pa.table({f"c{n}": [n] for n in range(40)} | {"p": [7]})
    write_deltalake(tmp_path, rows, configuration={NUMBER: "-1"}, partition_by=["p"])
    rewrite(tmp_path, with_metadata(lambda one: one.update({"configuration": properties})))
    assert _kept_and_judged(newest(tmp_path), Compare(column, "=", 99)) == (int(not skips), 0, not skips)


def test_where_one_side_of_an_or_is_a_partition_value_the_judge_drops_as_much_as_delta_rs(tmp_path: Path) -> None:
    write_deltalake(tmp_path, pa.table({"p": ["a", "b"], "i": [1, 2]}), partition_by=["p"])
    neither = Or(Compare("p", "=", "b"), Compare("i", "=", 9))
    kept, judged, _ = _kept_and_judged(f"{tmp_path}/_delta_log/{0:020}.json", neither)
    assert (kept, judged) == (1, 1)


def test_the_version_that_is_named_is_planned(tables: Any) -> None:
    [kept] = plan(tables.store.store, tables.by_month.at(1), [Compare("id", ">=", 0)])
    assert {tables.store.store.key(uri) for uri in kept or ()} == {*tables.by_month.data[:2]}


def test_a_table_that_delta_rs_cannot_read_is_refused(tables: Any) -> None:
    with pytest.raises(Refused, match="No files in log segment"):
        plan(tables.store.store, tables.by_month.metadata.replace("by_month", "nowhere"), [MARCH])


class _Nowhere:
    def delta(self, root: str) -> tuple[str, dict[str, str]]:
        raise ValueError(f"{root} has no place here")


def test_an_error_of_ours_is_not_taken_for_a_table_that_delta_rs_refuses() -> None:
    with pytest.raises(ValueError, match=r"^s3://b/t has no place here$"):
        plan(_Nowhere(), "s3://b/t/_delta_log/00000000000000000000.json", [])
