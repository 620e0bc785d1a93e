"""Healthy Delta tables raise no finding: of delta-rs, of Polars, of Spark, and with everything that Delta allows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from tests.of_each import of_each
from tests.xtable_audit.formats.delta.tables import (
    GENERATED,
    OBJECTS,
    Action,
    case_at,
    failing,
    inline_vector,
    judged,
    of_every_type,
    parted,
    rewrite,
    rows_at,
    with_add,
    with_features,
    with_metadata,
    with_schema,
    with_statistics,
    write,
    write_generated,
)
from tools.pages.affected import recorded_sources
from xtable_audit.claims.partition import spec_is_the_configured_one
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.predicate import Compare
from xtable_audit.planning.selection import judge_selections

COMPARED = {
    *("bounds_contain_values", "bounds_are_of_the_columns_type", "bounds_are_tight", "bounds_are_present"),
    *("record_counts_are_exact", "null_counts_are_exact", "no_file_is_listed_twice", "every_file_exists"),
    *("sizes_are_exact", "paths_are_uris", "logged_statistics_can_be_read", "null_counts_are_numbers"),
}
"""Claims that compare something in every table with statistics."""


def plain(root: Path) -> None:
    write(root, of_every_type(), of_every_type(after=7))


def by_polars(root: Path) -> None:
    for after in (0, 7):
        frame = pl.from_arrow(of_every_type(after).drop_columns(["map", "tiny"]))
        assert isinstance(frame, pl.DataFrame)
        frame.write_delta(str(root), mode="append")


def with_a_checkpoint(root: Path) -> None:
    plain(root)
    DeltaTable(str(root)).create_checkpoint()
    write(root, of_every_type(after=9))


def with_early_commits_gone(root: Path) -> None:
    with_a_checkpoint(root)
    for version in (0, 1):
        os.remove(root / LOG / f"{version:020}.json")


def overwritten(root: Path) -> None:
    plain(root)
    write_over = of_every_type(after=30)
    DeltaTable(str(root)).delete("int = 1")
    write(root, write_over)


def in_milliseconds(root: Path) -> None:
    """As Spark writes them: cut down, the greatest too."""
    plain(root)

    def change(statistics: Action) -> None:
        statistics["maxValues"]["at"] = "2024-01-01T12:00:00.123Z"
        statistics["minValues"]["at"] = "1969-12-31T23:59:59.999Z"

    rewrite(root, with_statistics(change))


def in_another_zone(root: Path) -> None:
    plain(root)
    rewrite(root, with_statistics(lambda one: one["maxValues"].update({"at": "2024-01-01T13:00:00.123+01:00"})))


def cut_texts(root: Path) -> None:
    """As Spark cuts them: 32 characters, and one above all others behind the greatest."""
    plain(root)

    def change(statistics: Action) -> None:
        statistics["maxValues"]["text"] = "x" * 32 + "\U0010ffff"

    rewrite(root, with_statistics(change))


def raised_texts(root: Path) -> None:
    """As Parquet's writers cut them: the last character is raised."""
    plain(root)
    rewrite(root, with_statistics(lambda one: one["maxValues"].update({"text": "x" * 31 + "y"})))


def with_few_indexed(root: Path) -> None:
    """Delta keeps statistics of as many columns as a property says."""
    write(root, of_every_type(), configuration={"delta.dataSkippingNumIndexedCols": "2"})


def with_a_named_column(root: Path) -> None:
    write(root, of_every_type(), configuration={"delta.dataSkippingStatsColumns": "long"})


def with_wide_bounds(root: Path) -> None:
    """What a deletion vector leaves of them: wider than the values, and a null count that says nothing."""
    plain(root)

    def change(statistics: Action) -> None:
        statistics["tightBounds"] = False
        statistics["minValues"]["int"] = -1000
        statistics["nullCount"]["int"] = 2

    rewrite(root, with_statistics(change))


def with_a_file_without_rows(root: Path) -> None:
    """As Delta Kernel writes its statistics: of no row there is nothing to count."""
    write(root, of_every_type())
    empty = root / "empty.parquet"
    pq.write_table(of_every_type().slice(0, 0), empty)
    add = {"path": empty.name, "partitionValues": {}, "size": empty.stat().st_size, "stats": '{"numRecords":0}'}
    rewrite(root, lambda commit: [*commit, {"add": add | {"modificationTime": 0, "dataChange": True}}])


def with_a_vector(root: Path) -> None:
    write(root, of_every_type())
    rewrite(root, with_statistics(lambda one: one.update({"tightBounds": False})))
    rewrite(root, with_add(lambda add: add.update({"deletionVector": inline_vector(1)})))
    rewrite(root, lambda commit: with_features(commit, "deletionVectors", "timestampNtz"))


def mapped_by_name(root: Path) -> None:
    """Columns are renamed, and their first names are in files and statistics."""
    write(root, of_every_type())
    _map(root, "name")


def mapped_by_id(root: Path) -> None:
    """Files have ids, and names that are nobody's."""
    write(root, of_every_type())
    _map(root, "id")
    ids = _ids(root)
    for file in root.glob("*.parquet"):
        held = pq.read_table(file)
        numbered = held.cast(pa.schema([_with_id(field, ids, (field.name,)) for field in held.schema]))
        pq.write_table(numbered.rename_columns([f"f_{name}" for name in numbered.column_names]), file)
    sizes = {file.name: file.stat().st_size for file in root.glob("*.parquet")}
    rewrite(root, with_add(lambda add: add.update({"size": sizes[add["path"]]})))


def _map(root: Path, mode: str) -> None:
    numbers: Iterator[int] = iter(range(1, 100))

    def name(field: Action) -> None:
        field["metadata"] = {
            "delta.columnMapping.id": next(numbers),
            "delta.columnMapping.physicalName": field["name"],
        }
        field["name"] = f"now_{field['name']}"

    rewrite(root, with_schema(name))
    rewrite(root, lambda commit: with_features(commit, "columnMapping", "timestampNtz"))
    rewrite(root, lambda commit: [_with_mode(one, mode) for one in commit])


def _with_mode(action: Action, mode: str) -> Action:
    if "metaData" in action:
        action["metaData"]["configuration"] = {"delta.columnMapping.mode": mode}
    return action


def _ids(root: Path) -> dict[tuple[str, ...], int]:
    from xtable_audit.formats.delta.log import read_log
    from xtable_audit.formats.folder import TableFolder

    return {one.stored: one.id or 0 for one in read_log(TableFolder.at(str(root))).metadata.columns}


def _with_id(field: pa.Field, ids: dict[tuple[str, ...], int], path: tuple[str, ...]) -> pa.Field:
    kind = field.type
    if pa.types.is_struct(kind):
        kind = pa.struct([_with_id(one, ids, (*path, one.name)) for one in kind])
    return pa.field(field.name, kind, field.nullable, {"PARQUET:field_id": str(ids[path])})


def with_ids_that_are_not_deltas(root: Path) -> None:
    """Files that an Iceberg table shares: without column mapping, names resolve their columns."""
    write(root, of_every_type())
    for file in root.glob("*.parquet"):
        held = pq.read_table(file)
        fields = [field.with_metadata({"PARQUET:field_id": str(99 - place)}) for place, field in enumerate(held.schema)]
        pq.write_table(held.cast(pa.schema(fields)), file)
    sizes = {file.name: file.stat().st_size for file in root.glob("*.parquet")}
    rewrite(root, with_add(lambda add: add.update({"size": sizes[add["path"]]})))


def with_an_absolute_path(root: Path) -> None:
    plain(root)
    rewrite(root, with_add(lambda add: add.update({"path": f"file://{root}/{add['path']}"})))


HEALTHY: dict[str, Callable[[Path], None]] = {
    "every type, by delta-rs": plain,
    "every type, by Polars": by_polars,
    "a checkpoint": with_a_checkpoint,
    "a log that begins with a checkpoint": with_early_commits_gone,
    "rows deleted and added": overwritten,
    "timestamps cut down to milliseconds": in_milliseconds,
    "a timestamp of another zone": in_another_zone,
    "texts cut to 32 characters": cut_texts,
    "texts cut and raised": raised_texts,
    "statistics of two columns": with_few_indexed,
    "statistics of a named column": with_a_named_column,
    "wide bounds": with_wide_bounds,
    "a file without rows": with_a_file_without_rows,
    "a deletion vector": with_a_vector,
    "column mapping by name": mapped_by_name,
    "column mapping by id": mapped_by_id,
    "files with field ids of their own": with_ids_that_are_not_deltas,
    "absolute paths": with_an_absolute_path,
}


@pytest.mark.parametrize("make", HEALTHY.values(), ids=HEALTHY)
def test_a_healthy_table_raises_no_finding(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path)
    found = judged(case_at(tmp_path))
    assert found.keys() >= COMPARED
    assert {id: one for id, one in found.items() if one} == {}


@pytest.mark.parametrize("by", ["text", "number", "day", "moment", "money", "bool"])
def test_a_healthy_partitioned_table_raises_no_finding(by: str, tmp_path: Path) -> None:
    write(tmp_path, parted(by), partition_by=["p"])
    found = judged(case_at(tmp_path))
    assert found.keys() >= COMPARED | {"tuples_equal_every_row", "partition_values_are_of_their_type"}
    assert {id: one for id, one in found.items() if one} == {}
    assert sorted(map(str, rows_at(tmp_path).values["p"].to_pylist())) == sorted(map(str, parted(by)["p"].to_pylist()))


@pytest.mark.parametrize("transform", GENERATED)
def test_a_table_partitioned_by_a_generated_column_raises_no_finding(transform: str, tmp_path: Path) -> None:
    write_generated(tmp_path, transform)
    case = case_at(tmp_path)
    assert [(str(one.transform), one.source) for one in case.stored.partitioning.spec] == [(transform, "at")]
    assert {id: one for id, one in judged(case).items() if one} == {}
    assert "by" not in rows_at(tmp_path).values.column_names


def test_the_day_of_a_text_is_no_finding_and_drops_no_file(tmp_path: Path) -> None:
    """Of XTable for a `p:DAY:yyyy-MM-dd` whose column is a string."""
    write_generated(tmp_path, "day")
    schema = "schemaString"
    rewrite(tmp_path, with_metadata(lambda one: one.update({schema: one[schema].replace("(at AS", "(text AS")})))
    rewrite(tmp_path, with_add(lambda add: add["partitionValues"].update(by=None)))
    case = case_at(tmp_path)
    assert [(str(one.transform), one.source) for one in case.stored.partitioning.spec] == [("day", "text")]
    assert {id: one for id, one in judged(case).items() if one} == {}
    asked = Compare("text", ">=", "~")
    assert [one.matching - one.planned for one in judge_selections(OBJECTS, case, [asked])] == [frozenset()]


def test_buckets_by_sparks_hash_are_no_column_of_their_own_and_not_those_of_iceberg(tmp_path: Path) -> None:
    """Of XTable for an Iceberg table that is partitioned by `bucket[4](text)`."""
    write_generated(tmp_path, "day")
    expression = "MOD((HASH(text) & 2147483647), 4)"
    rewrite(
        tmp_path,
        with_metadata(lambda one: one.update(schemaString=one["schemaString"].replace("CAST(at AS DATE)", expression))),
    )
    case = case_at(tmp_path)
    assert [(str(one.transform), one.source) for one in case.stored.partitioning.spec] == [
        ("bucket[4] by Spark's hash", "text")
    ]
    assert {id: one for id, one in judged(case).items() if one} == {}
    assert "by" not in rows_at(tmp_path).values.column_names
    asked = Compare("text", ">=", "~")
    assert [one.matching - one.planned for one in judge_selections(OBJECTS, case, [asked])] == [frozenset()]
    source = replace(case.source, spec="text:bucket[4]", partition_by=("text",))
    [found] = spec_is_the_configured_one.deviations(replace(case, source=source))
    assert (found.saw, found.expected) == ("bucket[4] by Spark's hash(text)", "bucket[4](text)")


@pytest.mark.parametrize("transform", GENERATED)
def test_a_value_of_another_time_is_found(transform: str, tmp_path: Path) -> None:
    write_generated(tmp_path, transform)
    wrong = GENERATED[transform][-1]
    rewrite(tmp_path, with_add(lambda add: add["partitionValues"].update({"by": wrong})))
    [found] = failing(case_at(tmp_path))["tuples_equal_every_row"]
    assert (found.column, found.saw.split(" for ")[0].replace("'", "")) == ("at", f"partition value {wrong}")


def test_a_file_without_statistics_is_read_for_every_predicate(tmp_path: Path) -> None:
    """Which is legal, and slow."""
    write(tmp_path, of_every_type())
    rewrite(tmp_path, with_add(lambda add: add.pop("stats")))
    found = failing(case_at(tmp_path))
    assert "bounds_are_present" in found
    assert found.keys() <= {"bounds_are_present", "null_counts_are_exact", "points_skip_what_exact_bounds_would"}


SPARKS = sorted(path.parent.name for path in recorded_sources().glob("*/_delta_log"))
ELSEWHERE = {"delta_shallow_clone", "delta_parquet_clone"}
"""Tables whose log names files at an address that a recording has not."""
CUT = "delta_long_texts"
"""Delta cuts the greatest text in the middle of a character, and stores less than the value (Delta 3, seen)."""


@of_each("name", sorted({*SPARKS} - ELSEWHERE - {CUT}))
def test_a_table_of_sparks_raises_no_finding(name: str) -> None:
    assert failing(case_at(recorded_sources() / name)) == {}


def test_a_text_that_spark_cuts_inside_a_character_is_found() -> None:
    [found] = failing(case_at(recorded_sources() / CUT))["bounds_contain_values"]
    assert (found.column, found.saw[-60:].endswith(".parquet")) == ("s", True)


ROWS: dict[str, tuple[Callable[[Path], None], str, list[Any]]] = {
    "with a deletion vector": (with_a_vector, "int", [1, None]),
    "by physical names": (mapped_by_name, "now_int", [1, 2, None]),
    "by field ids": (mapped_by_id, "now_int", [1, 2, None]),
    "in structs by physical names": (
        mapped_by_name,
        "now_place",
        [{"now_zip": 1, "now_of": {"now_city": "ü"}}, None, {"now_zip": None, "now_of": None}],
    ),
    "by names, not by ids of somebody else": (with_ids_that_are_not_deltas, "int", [1, 2, None]),
}


@pytest.mark.parametrize(("make", "column", "values"), ROWS.values(), ids=ROWS)
def test_rows_are_those_of_the_table(
    make: Callable[[Path], None], column: str, values: list[Any], tmp_path: Path
) -> None:
    make(tmp_path)
    assert rows_at(tmp_path).values[column].to_pylist() == values


def test_an_earlier_version_is_read(tmp_path: Path) -> None:
    plain(tmp_path)
    versions = [case_at(tmp_path, str(path)) for path in sorted((tmp_path / LOG).glob("*.json"))]
    assert [len(case.stored.paths) for case in versions] == [1, 2]


def test_a_version_whose_commit_is_gone_is_read_from_its_checkpoint(tmp_path: Path) -> None:
    with_early_commits_gone(tmp_path)
    assert len(case_at(tmp_path, f"{tmp_path}/{LOG}/{1:020}.json").stored.paths) == 2


def test_statistics_of_a_checkpoint_alone_are_those_of_its_commits(tmp_path: Path) -> None:
    plain(tmp_path)
    before = case_at(tmp_path).stored
    DeltaTable(str(tmp_path)).create_checkpoint()
    os.remove(tmp_path / LOG / f"{0:020}.json")
    after = case_at(tmp_path).stored
    order = [after.paths.index(path) for path in before.paths]
    for column, table in before.columns.items():
        assert json.dumps(table.to_pylist(), default=str) == json.dumps(
            after.columns[column].take(order).to_pylist(), default=str
        )
