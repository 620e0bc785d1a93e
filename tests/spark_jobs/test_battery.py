"""The battery without Spark: names, entries, values."""

import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

import pyarrow as pa
import pytest

from lab.stack.project import ROOT
from spark_jobs.battery import index, plain
from spark_jobs.battery.rows import arrow
from spark_jobs.battery.table import (
    FRAMEWORK,
    HERE,
    KEY,
    OF_LATE_INSTANTS,
    OF_ONE_SECOND,
    OF_RELEASES,
    OF_TWO_VIEWS,
    BatteryTable,
    File,
    Service,
    Statement,
    Step,
    Write,
    file,
    write,
)
from spark_jobs.battery.tables import BATTERY, FAMILIES, chosen
from spark_jobs.recipes import RECIPES
from xtable_audit.model.problem import Problem


def writes(table: BatteryTable) -> list[Write]:
    return [step.action for step in table.steps if isinstance(step.action, Write)]


def every_write() -> Iterator[tuple[str, Write]]:
    return ((name, action) for name, table in BATTERY.items() for action in writes(table))


def without(holds: Callable[[BatteryTable], bool]) -> list[str]:
    """The tables on which it does not hold."""
    return [name for name, table in BATTERY.items() if not holds(table)]


def test_no_name_is_part_of_another() -> None:
    assert not [pair for pair in permutations([*BATTERY, *RECIPES], 2) if pair[0] in pair[1]]


def test_no_table_is_lost_by_a_name_used_twice() -> None:
    assert len(BATTERY) == sum(len(family.TABLES) for family in FAMILIES)


def test_names_are_lower_snake() -> None:
    assert not [name for name in BATTERY if not (name.isascii() and name.islower() and name.isidentifier())]


def test_a_description_is_a_sentence() -> None:
    assert not without(lambda table: table.description.endswith("."))


def test_the_last_step_is_kept_as_a_stage() -> None:
    assert not without(lambda table: table.steps[-1].staged)


def test_the_first_step_creates_the_table() -> None:
    def creates(first: object) -> bool:
        return isinstance(first, Write) or (isinstance(first, Statement) and first.sql.startswith("CREATE TABLE"))

    assert not without(lambda table: creates(table.steps[0].action))


def test_every_row_fits_the_types_of_its_write() -> None:
    assert not without(
        lambda table: all(
            arrow(one, action.schema).num_rows == one.rows for action in writes(table) for one in action.files
        )
    )


def test_no_key_comes_twice_in_a_write() -> None:
    keys = [(name, [key for one in action.files for key in one.columns[KEY]]) for name, action in every_write()]
    assert not [name for name, these in keys if len(these) > len(set(these))]


def test_the_partition_columns_are_written() -> None:
    assert not [
        (name, column)
        for name, action in every_write()
        for column in BATTERY[name].partition_by
        if column.split(".")[0] not in action.schema.names
    ]


def test_steps_refer_to_steps_before_them() -> None:
    def refers(step: Step) -> tuple[int, ...]:
        return (*step.in_flight, *([step.action.of] if isinstance(step.action, Service) else []))

    assert not without(
        lambda table: all(one < number for number, step in enumerate(table.steps, start=1) for one in refers(step))
    )


LARGE = {"edge_delta_many_files": 1002}
"""The rows of tables that are about many."""


def test_a_table_is_as_small_as_shows_its_fault() -> None:
    assert not without(
        lambda table: sum(one.rows for action in writes(table) for one in action.files) <= LARGE.get(table.name, 600)
    )


def test_knowing_the_battery_imports_no_spark() -> None:
    code = (
        "import sys, spark_jobs.battery.tables, spark_jobs.battery.launch, spark_jobs.battery.jars; "
        "sys.exit('pyspark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_without_names_all_tables_are_chosen() -> None:
    assert chosen() == tuple(BATTERY.values())


def test_an_unknown_table_is_reported_by_name() -> None:
    with pytest.raises(Problem, match="no table types_nothing"):
        chosen(["plain_types", "types_nothing"])


@pytest.mark.parametrize("part", FRAMEWORK + OF_RELEASES + OF_LATE_INSTANTS + OF_TWO_VIEWS + OF_ONE_SECOND)
def test_what_decides_the_key_exists(part: str) -> None:
    assert (HERE / part).is_file()


def test_the_key_of_a_table_changes_with_its_rows() -> None:
    one, other = (
        BatteryTable("t", "d", (write("bulk_insert", {"i": pa.int32()}, file(i=[value])),)) for value in (1, 2)
    )
    assert one.key != other.key


def test_the_key_of_a_table_changes_where_its_commits_share_a_second() -> None:
    shared = BATTERY["edge_one_second"]
    assert shared.in_one_second
    assert shared.key != replace(shared, in_one_second=False).key


def test_a_twin_is_none_of_what_is_written() -> None:
    """So that naming one leaves the recordings as they are."""
    table = BATTERY["delta_ntz"]
    assert table.key == replace(table, twin="").key


def test_the_key_of_a_table_is_the_same_in_another_process() -> None:
    code = "from spark_jobs.battery.tables import BATTERY; print(BATTERY['types_nan_plain'].key)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == BATTERY["types_nan_plain"].key


def test_stages_describe_what_happened_since_the_one_before() -> None:
    steps = tuple(
        Step(words, BATTERY["plain_types"].steps[0].action, staged) for words, staged in (("a", False), ("b", True))
    )
    assert BatteryTable("t", "d", steps).stages == ("a; b",)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="all lists must be equally long"):
        file(a=[1, 2], b=[1])


# --- what the values of single tables are there for


def column(table: str, name: str) -> list[tuple[Any, ...]]:
    """The column's values, file by file."""
    (action,) = writes(BATTERY[table])
    return [one.columns[name] for one in action.files]


@pytest.mark.parametrize("name", ["s", "i", "d", "m", "day"])
def test_plain_columns_whose_files_share_no_value(name: str) -> None:
    files = [set(values) for values in column("plain_types", name)]
    assert len(files) == 4
    assert not [pair for pair in permutations(files, 2) if pair[0] & pair[1]]


@pytest.mark.parametrize("name", ["l", "f", "m38", "at"])
def test_plain_columns_whose_neighbouring_files_overlap(name: str) -> None:
    files = column("plain_types", name)
    assert all(max(left) >= min(right) for left, right in pairwise(files))


@pytest.mark.parametrize("name", plain.NULLABLE)
def test_nullable_plain_columns_have_no_some_and_only_nulls(name: str) -> None:
    nulls = [values.count(None) for values in column("plain_types", name)]
    assert nulls == [0, 14, 20, 40]


def test_every_kind_of_nan_file_is_there() -> None:
    kinds = {frozenset(kind(value) for value in values) for values in column("types_nan_plain", "d")}
    assert kinds == {
        frozenset({"nan", "number"}),
        frozenset({"nan", "number", "null"}),
        frozenset({"nan"}),
        frozenset({"number"}),
    }


def kind(value: object) -> str:
    if value is None:
        return "null"
    return "nan" if isinstance(value, float) and math.isnan(value) else "number"


def test_signed_zeros_keep_their_sign_on_the_way() -> None:
    zeros = [value for values in column("types_float_edges_plain", "zero") for value in values if value == 0]
    assert {math.copysign(1, value) for value in zeros} == {1, -1}


def test_long_strings_stand_on_both_sides_of_what_parquet_keeps() -> None:
    sums = [len(min(real)) + len(max(real)) for real in map(present, column("types_long_strings_plain", "s"))]
    assert min(sums) < 4096 <= sorted(sums)[1]


def present(values: tuple[object, ...]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def test_emoji_and_the_last_of_the_plane_are_ordered_otherwise_by_java() -> None:
    plane, emoji = (str(values[0]) for values in column("types_emoji_index", "s")[:2])
    assert plane.encode() < emoji.encode()
    assert plane.encode("utf-16-be") > emoji.encode("utf-16-be")


def test_row_groups_hold_a_hundred_rows_of_each_file() -> None:
    (values,) = column("types_binary_groups", "b")
    apart = column("types_binary_plain", "b")
    assert [set(values[start : start + 100]) for start in (0, 100, 200)] == [set(one) for one in apart]


def test_indexed_variants_have_a_partition_for_each_file() -> None:
    parts = column("types_nan_index", "part")
    assert [len(set(part)) for part in parts] == [1] * len(parts)
    assert len({part[0] for part in parts}) == len(parts)


def unpartitioned(table: BatteryTable) -> list[tuple[Any, ...]]:
    """Its steps without the column `part`: operation, options on top of the table's, rows, whether a stage follows."""
    return [
        (
            step.action.operation,
            {**table.options, **step.action.options},
            [{name: values for name, values in one.columns.items() if name != "part"} for one in step.action.files],
            step.staged,
        )
        for step in table.steps
        if isinstance(step.action, Write)
    ]


@pytest.mark.parametrize(
    ("parted", "flat"), [*zip(index.PARTITIONED, index.FLAT, strict=True)], ids=lambda table: table.name
)
def test_an_indexed_table_has_an_unpartitioned_twin(parted: BatteryTable, flat: BatteryTable) -> None:
    assert (parted.partition_by, flat.partition_by) == (("part",), ())
    assert unpartitioned(flat) == unpartitioned(parted)


def test_late_commits_are_hidden_at_one_stage_alone() -> None:
    assert [step.in_flight for step in BATTERY["history_late_commit"].steps if step.in_flight] == [(2,)]


def test_a_file_keeps_single_values_for_every_row() -> None:
    assert file(part="a", i=[1, 2]) == File({"part": ("a", "a"), "i": (1, 2)})
