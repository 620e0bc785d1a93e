"""Tables of the battery as Spark wrote them, read by others, and written onto this disk under their addresses."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hudi import HudiTableBuilder
from pyspark.sql import SparkSession

from lab.stack import spark as stack_spark
from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.mount import Place
from lab.stack.versions import stack
from lab.store import moto, objects
from lab.store.address import BUCKET, Workspace, prefix_of, root_of
from spark_jobs.addresses import addresses_in, demand_own_addresses, metadata_files
from spark_jobs.battery import hudi, service, session
from spark_jobs.battery.rows import arrow
from spark_jobs.battery.table import KEY, BatteryTable, Service, Write
from spark_jobs.battery.tables import BATTERY, chosen
from spark_jobs.battery.timeline import completed
from tests.kept import kept
from tests.spark_jobs.written import written_battery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLE = BATTERY["history_restore"]
"""Whose timeline names the files that a restore has deleted."""
NAMES = ("plain_types", "types_emoji_groups", "history_late_commit", TABLE.name)


@pytest.fixture(scope="module")
def battery() -> tuple[Path, dict[str, dict[str, Any]]]:
    """By one session, each under its address in the store."""
    return written_battery(chosen(NAMES), root_of(BUCKET))


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


# A table written onto this disk under its address is the table that Hudi writes to the store itself, through S3A.


@pytest.fixture(scope="module")
def mounted(folder: Path) -> Path:
    return folder / TABLE.name / str(len(TABLE.stages))


@pytest.fixture(scope="module")
def through_s3a() -> Path:
    return kept(write_through_s3a, table=TABLE)[0]


def write_through_s3a(folder: Path, table: BatteryTable) -> None:
    with moto.start() as running, tempfile.TemporaryDirectory() as scratch:
        settings = stack_spark.settings("1g", scratch, [stack_spark.FEWER_OPTIMISATIONS]) | session.SETTINGS
        spark = stack_spark.start("tests", resolve_spark_jars(stack()), find_java(stack().java), 2, settings)
        try:
            stack_spark.reach(spark, running.store.hadoop())
            write_steps(spark, running.store, table, folder, Path(scratch))
        finally:
            stack_spark.stop(spark)


def write_steps(spark: SparkSession, store: Workspace, table: BatteryTable, folder: Path, scratch: Path) -> None:
    """The table's steps, in the store itself; what it holds after each is downloaded, to learn the instants."""
    place = Place(store.uri(prefix_of(table.name)), folder)
    instants: list[str] = []
    for number, step in enumerate(table.steps):
        before = completed(place.folder)
        match step.action:
            case Write() as action:
                hudi.write(spark, table, action, place, scratch / f"rows-{number}")
            case Service() as action:
                service.run(spark, table, action, instants[action.of - 1], place)
        shutil.rmtree(place.folder, ignore_errors=True)
        objects.download(store, prefix_of(table.name), place.folder)
        instants.append(max(completed(place.folder) - before, default=""))


def names(tree: Path) -> list[str]:
    """What its timeline names, but for ids and instants, which are each writer's own."""
    found = [name for path in metadata_files(tree) for name in addresses_in(path)]
    return sorted(re.sub(r"[0-9a-f-]{36}-\d+_[\d-]+_\d{17}", "<file>", name) for name in found)


def test_both_name_the_same(mounted: Path, through_s3a: Path) -> None:
    assert names(mounted) == names(through_s3a) != []


def test_neither_names_another_place(mounted: Path, through_s3a: Path) -> None:
    for tree in (mounted, through_s3a):
        assert demand_own_addresses(tree, f"{root_of(BUCKET)}/{TABLE.name}")
