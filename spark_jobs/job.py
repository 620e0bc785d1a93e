"""The frame of a dataset script: command line in, table written, one line of JSON out."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import IO, NoReturn

from pyspark.sql import SparkSession

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack
from spark_jobs import arguments, child, session, tlc
from spark_jobs.place import demand_empty_folder, demand_empty_prefix
from spark_jobs.recipes import Recipe
from spark_jobs.trips import Trips, generate
from spark_jobs.volume import total_rows
from xtable_audit.model.problem import Problem


@dataclass(frozen=True)
class CommitFacts:
    """What a write's own commit says of it."""

    rows: int
    files: int


Write = Callable[[Trips, str], CommitFacts]


def main(recipe: Recipe, write: Write) -> NoReturn:
    """Runs the script and ends the process: 0, or 2 with one sentence for whatever the user can put right."""
    child.die_with_parent()
    wanted = arguments.parse(recipe)
    stdout = only_ours()
    try:
        result = run(recipe, write, wanted)
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    stdout.write(json.dumps(result) + "\n")
    stdout.flush()
    sys.exit(0)


def only_ours() -> IO[str]:
    """The real stdout, kept for the result. Whoever else prints, Java included, prints to stderr from here on."""
    kept = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return kept


def run(recipe: Recipe, write: Write, wanted: arguments.Arguments) -> dict[str, object]:
    """Writes the table. The result is what the JSON line says."""
    began = time.monotonic()
    trips = source(wanted)  # before Spark: a wrong argument, file or folder is reported at once
    demand_empty_folder(wanted.target)
    with open_session(recipe, wanted, trips.rows) as spark:
        started = time.monotonic()
        demand_empty_prefix(spark, wanted.target)
        with tlc.as_problems():
            written = write(trips.read(spark), wanted.target)
        finished = time.monotonic()
        versions = versions_of(spark, recipe.format)
    seconds = {"start": started - began, "write": finished - started, "total": time.monotonic() - began}
    return {
        "dataset": recipe.name,
        "target": wanted.target,
        **asdict(written),
        "seconds": {step: round(value, 2) for step, value in seconds.items()},
        "versions": versions,
    }


@dataclass(frozen=True)
class RowSource:
    """Where the rows come from: about how many they are, and how to get them once there is a session."""

    rows: int
    read: Callable[[SparkSession], Trips]


def source(wanted: arguments.Arguments) -> RowSource:
    """The requested rows. Raises Problem for whatever is wrong and can be checked without a session."""
    if wanted.tlc is None:
        return RowSource(total_rows(wanted.scale), lambda spark: generate(spark, wanted.scale, wanted.seed))
    months = tlc.find(wanted.tlc)
    return RowSource(sum(month.rows for month in months), lambda spark: tlc.read(spark, months, wanted.year))


def open_session(recipe: Recipe, wanted: arguments.Arguments, rows: int) -> AbstractContextManager[SparkSession]:
    """The session, on the jars and the Java named, else on the stack's own."""
    return session.opened(
        recipe.name,
        wanted.jars or resolve_spark_jars(stack()),
        wanted.java_home or find_java(stack().java),
        wanted.store,
        wanted.cores,
        wanted.memory,
        rows,
    )


def versions_of(spark: SparkSession, table_format: str) -> dict[str, str]:
    """What really wrote the table, as the libraries say themselves."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    versions = {
        "spark": spark.version,
        "java": jvm.System.getProperty("java.version"),
        "hadoop": jvm.org.apache.hadoop.util.VersionInfo.getVersion(),
    }
    if table_format == "HUDI":
        return versions | {
            "hudi": jvm.Class.forName("org.apache.hudi.DefaultSource").getPackage().getImplementationVersion()
        }
    return versions | {"iceberg": jvm.org.apache.iceberg.IcebergBuild.version()}
