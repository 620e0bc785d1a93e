"""Row-level deletes that Iceberg's own writers left: live rows are those that Spark shows, counts are of files.

That no claim breaks over these tables is held with all others, in `test_spark`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pytest

from tests.other_writers.deletes import DEFAULTS, DELETED, FORMATS, VERSION_3
from tests.other_writers.every_claim import Held, HeldOf
from tests.other_writers.histories import SPEC
from xtable_audit.claims import counts, partition
from xtable_audit.claims.translation import rows
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model.predicate import Compare, In, IsNull
from xtable_audit.planning.selection import judge_selections
from xtable_audit.scan import live_files
from xtable_audit.subject.table_rows import read_rows
from xtable_audit.table.deletions import NO_DELETIONS

pytestmark = [pytest.mark.spark, pytest.mark.slow]

KINDS: Mapping[str, set[tuple[int, str, int]]] = {
    "deletes_by_position": {(2, "PARQUET", 1)},
    "deletes_by_position_of_file": {(2, "PARQUET", 1)},
    "deletes_by_vector": {(3, "PUFFIN", 1)},
    "deletes_of_both_versions": {(3, "PUFFIN", 1), (3, "PARQUET", 1)},
    "deletes_in_avro": {(2, "AVRO", 1)},
    "deletes_in_orc": {(2, "ORC", 1)},
    "deletes_by_value": {(2, "PARQUET", 1), (2, "PARQUET", 2)},
    "deletes_by_value_of_all_partitions": {(2, "PARQUET", 2)},
}
"""Format version of the table; format and content of its delete files."""


@pytest.fixture(params=[entry.name for entry in DELETED])
def table(request: pytest.FixtureRequest, of_spark: HeldOf) -> Held:
    return of_spark(request.param)


def test_the_table_has_deletes_of_its_kind(table: Held) -> None:
    stored = table.case.stored
    found = {(iceberg_of(stored).metadata.format_version, one.format, one.content) for one in stored.deletions.files}
    assert found == KINDS[table.case.id]


def test_live_rows_are_those_that_spark_shows(table: Held) -> None:
    assert table.case.rows is not None
    ours, theirs = (sorted(one["id"].to_pylist()) for one in (table.case.rows.values, table.written.shown))
    assert ours == theirs


def test_matching_rows_are_those_that_spark_shows(table: Held) -> None:
    deleted = In("id", (3, 4, 5, 7, 12, 14, 25, 57, 101, 105, 106, 113, 114))
    predicates = [deleted, Compare("x", ">", 10.0), IsNull("p")]
    shown = table.written.shown.to_pylist()
    expected = [
        sum(row["id"] in deleted.values for row in shown),
        sum(row["x"] is not None and row["x"] > 10 for row in shown),
        sum(row["p"] is None for row in shown),
    ]
    found = judge_selections(table.objects, table.case, predicates)
    assert [one.rows_returned for one in found] == expected


def test_deletes_that_are_not_applied_are_found(table: Held) -> None:
    """The same table, by a judge that ignores deletes: it shows deleted rows."""
    stored = replace(table.case.stored, deletions=NO_DELETIONS)
    shown = read_rows(table.objects, stored, live_files(table.objects, stored))
    found = list(rows.no_row_is_stale.check(replace(table.case, stored=stored, rows=shown)))
    twice = list(rows.no_row_is_shown_twice.check(replace(table.case, stored=stored, rows=shown)))
    assert found or twice


def test_counts_are_those_of_the_file_whatever_is_deleted(table: Held) -> None:
    stored, actual = (one.files["record_count"] for one in (table.case.stored, table.case.actual))
    assert stored.to_pylist() == actual.to_pylist()


def test_files_of_other_formats_are_set_aside_with_a_reason(of_spark: HeldOf) -> None:
    case = of_spark(FORMATS.name).case
    assert {one.reason for one in case.stored.set_aside} == {
        "files of format ORC are not read",
        "files of format AVRO are not read",
    }
    assert case.stored.files_set_aside == {path for path in case.stored.paths if not path.endswith(".parquet")}


def test_files_beside_those_of_other_formats_are_judged(of_spark: HeldOf) -> None:
    case = of_spark(FORMATS.name).case
    read = case.actual.files["record_count"].is_valid().to_pylist()
    assert read == [path.endswith(".parquet") for path in case.stored.paths]
    assert sum(read) == 3


def test_rows_of_files_of_other_formats_are_counted(of_spark: HeldOf) -> None:
    case = of_spark(FORMATS.name).case
    counted = case.actual.files["counted"].to_pylist()
    assert counted == [None if path.endswith(".parquet") else 10 for path in case.stored.paths]


@pytest.mark.parametrize("ending", [".orc", ".avro"])
def test_a_false_record_count_of_another_format_is_found(of_spark: HeldOf, ending: str) -> None:
    case = of_spark(FORMATS.name).case
    false = [11 if path.endswith(ending) else 10 for path in case.stored.paths]
    files = case.stored.files
    spoilt = files.set_column(files.column_names.index("record_count"), "record_count", pa.array(false, pa.int64()))
    [found] = counts.record_counts_are_exact.check(replace(case, stored=replace(case.stored, files=spoilt)))
    assert set(found.places) == {place for place, path in enumerate(case.stored.paths) if path.endswith(ending)}


def test_a_table_of_version_3_is_judged(of_spark: HeldOf) -> None:
    case = of_spark(VERSION_3.name).case
    assert (iceberg_of(case.stored).metadata.format_version, case.stored.set_aside, len(case.stored.paths)) == (
        3,
        (),
        6,
    )


def test_rows_of_a_column_with_a_default_are_those_that_spark_shows(of_spark: HeldOf) -> None:
    table = of_spark(DEFAULTS.name)
    assert table.case.rows is not None
    ours, theirs = (
        sorted(one.to_pylist(), key=itemgetter("id")) for one in (table.case.rows.values, table.written.shown)
    )
    assert ours == theirs
    assert [row["number"] for row in theirs] == [5, 5, 5, 6]


def test_actual_values_of_an_older_file_are_the_defaults(of_spark: HeldOf) -> None:
    case = of_spark(DEFAULTS.name).case
    older = case.actual.held["number"].to_pylist().index(False)
    told = {path: table.slice(older, 1).to_pylist()[0] for path, table in case.actual.columns.items()}
    found = {path: (told[path]["min"], told[path]["null_count"]) for path in ("number", "word", "day", "place.zip")}
    assert found == {"number": (5, 0), "word": ("five", 0), "day": (dt.date(2024, 2, 29), 0), "place.zip": (55, 1)}


@pytest.mark.parametrize("number", range(3))
def test_a_false_tuple_of_any_spec_is_found(of_spark: HeldOf, number: int) -> None:
    """Of each spec that has fields, one tuple at a time."""
    case = of_spark(SPEC.name).case
    specs = [one for one in case.stored.partitionings if one.spec]
    one = specs[number]
    place = int(np.flatnonzero(case.stored.under(one))[0])
    name = one.spec[-1].name
    values = one.tuples[name].to_pylist()
    values[place] = "no such" if isinstance(values[place], str) or values[place] is None else values[place] + 1
    kind = one.tuples[name].type
    spoilt = one.tuples.set_column(one.tuples.column_names.index(name), name, pa.array(values, kind))
    each = tuple(replace(one, tuples=spoilt) if other is one else other for other in specs)
    stored = replace(case.stored, partitionings=each)
    assert [d.places for d in partition.tuples_equal_every_row.check(replace(case, stored=stored))] == [(place,)]
