"""A table written onto this disk under its address is the table that Hudi writes to the store itself, through S3A."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

import pytest
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
from spark_jobs.battery.table import BatteryTable, Service, Write
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.timeline import completed
from tests.kept import kept
from tests.spark_jobs.written import written_battery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLE = BATTERY["history_restore"]
"""Whose timeline names the files that a restore has deleted."""


@pytest.fixture(scope="module")
def mounted() -> Path:
    folder, facts = written_battery([TABLE], root_of(BUCKET))
    assert facts[TABLE.name]["failure"] is None
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
