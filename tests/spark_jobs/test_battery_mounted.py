"""A table written onto this disk under its address is the table that Hudi writes to the store itself, through S3A."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs.addresses import addresses_in, demand_own_addresses, metadata_files
from spark_jobs.battery import hudi, service, session
from spark_jobs.battery.launch import run_battery
from spark_jobs.battery.table import Service, Write
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.timeline import completed
from stack import spark as stack_spark
from stack.mount import Place
from store import moto, objects
from store.address import TABLES, prefix_of
from store.workspace import Workspace

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TABLE = BATTERY["history_restore"]
"""Whose timeline names the files that a restore has deleted."""


@pytest.fixture(scope="module")
def store() -> Iterator[Workspace]:
    with moto.start() as running:
        yield running.store


@pytest.fixture(scope="module")
def mounted(
    tmp_path_factory: pytest.TempPathFactory, jars: tuple[Path, ...], java_home: Path, store: Workspace
) -> Path:
    folder = tmp_path_factory.mktemp("mounted")
    log, root = folder.with_suffix(".log"), store.uri(TABLES)
    told = run_battery([TABLE], folder, root=root, jars=jars, java_home=java_home, log=log, timeout=300)
    assert told[TABLE.name]["failure"] is None
    return folder / TABLE.name / str(len(TABLE.stages))


@pytest.fixture(scope="module")
def through_s3a(
    tmp_path_factory: pytest.TempPathFactory, jars: tuple[Path, ...], java_home: Path, store: Workspace
) -> Path:
    scratch = tmp_path_factory.mktemp("s3a")
    settings = stack_spark.settings("1g", str(scratch), [stack_spark.FEWER_OPTIMISATIONS]) | session.SETTINGS
    spark = stack_spark.start("tests", jars, java_home, 2, settings)
    try:
        stack_spark.reach(spark, store.hadoop())
        return written(spark, store, scratch)
    finally:
        stack_spark.stop(spark)


def written(spark: SparkSession, store: Workspace, scratch: Path) -> Path:
    """The table's steps, in the store itself; what it holds after each is downloaded, to learn the instants."""
    place = Place(store.uri(prefix_of(TABLE.name)), scratch / "table")
    instants: list[str] = []
    for number, step in enumerate(TABLE.steps):
        before = completed(place.folder)
        match step.action:
            case Write() as action:
                hudi.write(spark, TABLE, action, place, scratch / f"rows-{number}")
            case Service() as action:
                service.run(spark, TABLE, action, instants[action.of - 1], place)
        shutil.rmtree(place.folder, ignore_errors=True)
        objects.download(store, prefix_of(TABLE.name), place.folder)
        instants.append(max(completed(place.folder) - before, default=""))
    return place.folder


def names(tree: Path) -> list[str]:
    """What its timeline names, but for ids and instants, which are each writer's own."""
    found = [name for path in metadata_files(tree) for name in addresses_in(path)]
    return sorted(re.sub(r"[0-9a-f-]{36}-\d+_[\d-]+_\d{17}", "<file>", name) for name in found)


def test_both_name_the_same(mounted: Path, through_s3a: Path) -> None:
    assert names(mounted) == names(through_s3a) != []


def test_neither_names_another_place(mounted: Path, through_s3a: Path, store: Workspace) -> None:
    for tree in (mounted, through_s3a):
        assert demand_own_addresses(tree, store.uri(prefix_of(TABLE.name)))
