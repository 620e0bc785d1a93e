"""Writes tables of the battery one after the other in one session, and keeps each as it is after every step."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from lab.stack.mount import Mount, Place
from spark_jobs.addresses import demand_own_addresses
from spark_jobs.battery import delta_table, hudi, indexed, rows, service, stages, timeline
from spark_jobs.battery.table import BatteryTable, Service, Statement, Step, Write

FACTS = "table.json"


def write_all(
    spark: SparkSession,
    tables: Iterable[BatteryTable],
    folder: Path,
    mount: Mount,
    scratch: Path,
    versions: dict[str, str],
) -> Iterator[dict[str, Any]]:
    """Writes each table at its address; keeps it as `<folder>/<name>/<stage>/`, and its facts in `table.json` beside.

    A table that fails is reported in its own entry, with the first line of its error; the others are written.
    """
    for table in tables:
        began = time.monotonic()
        kept, place = folder / table.name, mount.place(table.name)
        kept.mkdir()
        try:
            stages = write_one(spark, table, place, kept, scratch / table.name)
            facts: dict[str, Any] = {"failure": None, "stages": stages}
        except Exception as error:  # noqa: BLE001 - one table must not cost the others
            facts = {"failure": first_words(error), "stages": []}
        for done_with in (place.folder, scratch / table.name):
            shutil.rmtree(done_with, ignore_errors=True)
        took = round(time.monotonic() - began, 2)
        facts = described(table) | facts | {"address": place.address, "versions": versions, "seconds": took}
        (kept / FACTS).write_text(json.dumps(facts, indent=1, ensure_ascii=False), encoding="utf-8")
        yield facts


def described(table: BatteryTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "description": table.description,
        "format": table.format,
        "partition_by": list(table.partition_by),
        "partition_spec": table.partition_spec,
        "hudi": table.hudi,
        "key": table.key,
    }


def write_one(
    spark: SparkSession, table: BatteryTable, place: Place, kept: Path, scratch: Path
) -> list[dict[str, Any]]:
    """The facts of each stage, in order. Raises Strayed where the table names an address that is not its own."""
    instants: list[str] = []
    words: list[str] = []
    stage_facts: list[dict[str, Any]] = []
    for number, step in enumerate(table.steps, start=1):
        before = commits(table, place.folder)
        act(spark, table, step, instants, place, scratch / f"rows-{number}")
        instants.append(max(commits(table, place.folder) - before, default=""))
        words.append(step.words)
        if step.staged:
            stage = kept / str(len(stage_facts) + 1)
            files = stages.keep(place.folder, stage, {instants[earlier - 1] for earlier in step.in_flight})
            demand_own_addresses(stage, place.address)
            with stages.standing_for(place.folder, stage):
                row_facts = keep_rows(spark, table, place.address, stage, scratch / f"shown-{number}")
                stage_facts.append({"words": "; ".join(words), "files": files} | row_facts)
                if table.hudi:
                    stage_facts[-1]["indexed"] = list(indexed.keep_index(spark, place.address, stage))
            words = []
    return stage_facts


def act(spark: SparkSession, table: BatteryTable, step: Step, instants: list[str], place: Place, scratch: Path) -> None:
    """Does what the step is. `instants` are the times of the steps before it."""
    match step.action:
        case Write() as action if table.format == "HUDI":
            hudi.write(spark, table, action, place, scratch)
        case Write() as action:
            delta_table.write(spark, table, action, place, scratch)
        case Service() as action:
            service.run(spark, table, action, instants[action.of - 1], place)
        case Statement() as action:
            delta_table.execute(spark, action, place)


def commits(table: BatteryTable, folder: Path) -> set[str]:
    return timeline.completed(folder) if table.format == "HUDI" else delta_table.commits(folder)


def keep_rows(spark: SparkSession, table: BatteryTable, address: str, stage: Path, scratch: Path) -> dict[str, Any]:
    """How many rows the source's own engine shows at this stage; they are kept beside it in `<stage>.rows.parquet`."""
    try:
        given = next(step.action.schema for step in table.steps if isinstance(step.action, Write))
        frame = (
            hudi.read_rows(spark, address, given) if table.format == "HUDI" else delta_table.read_rows(spark, address)
        )
        return {"rows": rows.kept(frame, scratch, stage.with_name(f"{stage.name}.rows.parquet"))}
    except Exception as error:  # noqa: BLE001 - Hudi cannot read some tables that it writes, which is no fault of ours
        return {"rows": None, "unreadable": first_words(error)}


def first_words(error: Exception) -> str:
    """The innermost cause of a Java exception, else the exception's own first line."""
    theirs = "java_exception" if isinstance(error, Py4JJavaError) else "_origin"  # the latter where PySpark made it
    thrown = getattr(error, theirs, None)
    if thrown is None:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    while thrown.getCause() is not None:
        thrown = thrown.getCause()
    return str(thrown.toString()).splitlines()[0]
