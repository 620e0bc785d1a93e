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

from spark_jobs.battery import delta_table, hudi, indexed, rows, service, stages, timeline
from spark_jobs.battery.table import BatteryTable, Service, Statement, Step, Write

FACTS = "table.json"


def write_all(
    spark: SparkSession, tables: Iterable[BatteryTable], folder: Path, scratch: Path, versions: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Writes each table to `<folder>/<name>/<stage>/` and what is known of it to `<folder>/<name>/table.json`.

    A table that fails is told in its own entry, in its writer's first words; the others are written all the same.
    """
    for table in tables:
        began = time.monotonic()
        place = folder / table.name
        place.mkdir()
        try:
            facts: dict[str, Any] = {"failure": None, "stages": write_one(spark, table, place, scratch / table.name)}
        except Exception as error:  # noqa: BLE001 - one table must not cost the others
            facts = {"failure": first_words(error), "stages": []}
        shutil.rmtree(scratch / table.name, ignore_errors=True)
        facts = described(table) | facts | {"versions": versions, "seconds": round(time.monotonic() - began, 2)}
        (place / FACTS).write_text(json.dumps(facts, indent=1, ensure_ascii=False), encoding="utf-8")
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


def write_one(spark: SparkSession, table: BatteryTable, place: Path, scratch: Path) -> list[dict[str, Any]]:
    """The facts of each stage, in order."""
    target = scratch / "table"
    instants: list[str] = []
    words: list[str] = []
    kept: list[dict[str, Any]] = []
    for number, step in enumerate(table.steps, start=1):
        before = commits(table, target)
        act(spark, table, step, instants, target, scratch / f"rows-{number}")
        instants.append(max(commits(table, target) - before, default=""))
        words.append(step.words)
        if step.staged:
            stage = place / str(len(kept) + 1)
            files = stages.keep(target, stage, {instants[earlier - 1] for earlier in step.in_flight})
            told = keep_rows(spark, table, stage, scratch / f"shown-{number}")
            kept.append({"words": "; ".join(words), "files": files} | told)
            if table.hudi:
                kept[-1]["indexed"] = list(indexed.keep_index(spark, stage))
            words = []
    return kept


def act(spark: SparkSession, table: BatteryTable, step: Step, instants: list[str], target: Path, scratch: Path) -> None:
    """Does what the step is. `instants` are the times of the steps before it."""
    match step.action:
        case Write() as action if table.format == "HUDI":
            hudi.write(spark, table, action, target, scratch)
        case Write() as action:
            delta_table.write(spark, table, action, target, scratch)
        case Service() as action:
            service.run(spark, table, action, instants[action.of - 1], target)
        case Statement() as action:
            delta_table.execute(spark, action, target)


def commits(table: BatteryTable, target: Path) -> set[str]:
    return timeline.completed(target) if table.format == "HUDI" else delta_table.commits(target)


def keep_rows(spark: SparkSession, table: BatteryTable, stage: Path, scratch: Path) -> dict[str, Any]:
    """How many rows the source's own engine shows at this stage; they are kept beside it in `<stage>.rows.parquet`."""
    try:
        given = next(step.action.schema for step in table.steps if isinstance(step.action, Write))
        shown = hudi.shown(spark, stage, given) if table.format == "HUDI" else delta_table.shown(spark, stage)
        return {"rows": rows.kept(shown, scratch, stage.with_name(f"{stage.name}.rows.parquet"))}
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
