"""Tables of the battery as Spark wrote them, read by others."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hudi import HudiTableBuilder

from spark_jobs.battery.rows import arrow
from spark_jobs.battery.table import KEY, BatteryTable, Write
from spark_jobs.battery.tables import BATTERY, chosen
from tests.spark_jobs.written import written_battery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

NAMES = ("plain_types", "types_emoji_groups", "history_late_commit")


@pytest.fixture(scope="module")
def battery() -> tuple[Path, dict[str, dict[str, Any]]]:
    return written_battery(chosen(NAMES))


@pytest.fixture(scope="module")
def folder(battery: tuple[Path, dict[str, dict[str, Any]]]) -> Path:
    return battery[0]


@pytest.fixture(scope="module")
def facts_of(battery: tuple[Path, dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    return battery[1]


def given(table: BatteryTable) -> pa.Table:
    """The rows of the table's first write."""
    action = table.steps[0].action
    assert isinstance(action, Write)
    return pa.concat_tables(arrow(one, action.schema) for one in action.files)


def read(stage: Path) -> pa.Table:
    """The rows that hudi-rs shows."""
    return pa.Table.from_batches(HudiTableBuilder.from_base_uri(str(stage)).build().read())


def base_files(stage: Path) -> list[Path]:
    return [path for path in stage.rglob("*.parquet") if ".hoodie" not in path.parts]


def test_every_table_is_written_without_failure(facts_of: dict[str, dict[str, Any]]) -> None:
    assert {name: facts["failure"] for name, facts in facts_of.items()} == dict.fromkeys(NAMES)


def test_another_engine_shows_the_rows_that_were_given(folder: Path, facts_of: dict[str, dict[str, Any]]) -> None:
    expected = given(BATTERY["plain_types"]).sort_by(KEY)
    found = read(folder / "plain_types" / "1").select(expected.schema.names).cast(expected.schema).sort_by(KEY)
    assert found.equals(expected)


def test_hudi_itself_shows_the_rows_that_were_given(folder: Path, facts_of: dict[str, dict[str, Any]]) -> None:
    expected = given(BATTERY["plain_types"]).sort_by(KEY)
    found = pq.read_table(folder / "plain_types" / "1.rows.parquet").select(expected.schema.names)
    assert found.cast(expected.schema).sort_by(KEY).equals(expected)


def test_each_file_given_is_a_file_written(folder: Path, facts_of: dict[str, dict[str, Any]]) -> None:
    assert [pq.read_metadata(path).num_rows for path in base_files(folder / "plain_types" / "1")] == [40] * 4


def test_each_hundred_rows_are_a_row_group(folder: Path, facts_of: dict[str, dict[str, Any]]) -> None:
    (path,) = base_files(folder / "types_emoji_groups" / "1")
    metadata = pq.read_metadata(path)
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [100, 100, 100]


@pytest.mark.parametrize(("stage", "rows"), [(1, 5), (2, 7), (3, 9), (4, 11)])
def test_each_stage_is_a_table_as_it_then_was(
    folder: Path, facts_of: dict[str, dict[str, Any]], stage: int, rows: int
) -> None:
    assert read(folder / "history_late_commit" / str(stage)).num_rows == rows
    assert facts_of["history_late_commit"]["stages"][stage - 1]["rows"] == rows
