"""Delta on Spark: rows, the files it plans, the files it opens, and what it answers from the log alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lab.engines.registry import Order, open_engine
from lab.engines.spark.open import SparkHome
from lab.stack.cache import Cache
from lab.stack.versions import stack
from tests.lab.engines.spark_home import answered, jvm_of, no_store, opened
from tests.lab.engines.test_spark_reader import EITHER, MARCH, NOBODY, QUESTIONS, opened_what_it_planned
from tests.of_each import of_each
from tests.tables.shortcut_tables import HealthyTables
from tests.xtable_audit.readers.delta.conftest import LoggedTable, falsified, tables
from tests.xtable_audit.readers.delta.test_delta_readers import LOST
from tests.xtable_audit.readers.test_answers import SHAPES, holds
from tools.shortcuts.__main__ import of_reader
from tools.shortcuts.answers import PAGE, lines, row_of
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import DELTA
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Refusal
from xtable_audit.readers.subprocess_reader import SubprocessReader

__all__ = ["tables"]

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GUEST = "reader-spark-delta"


@cache
def delta_home() -> SparkHome:
    """Jars and Java, as the engine hands them over."""
    handle = open_engine("spark_delta", Order("auto", no_store, Path(), Cache(), print)).handle
    assert isinstance(handle, SparkHome)
    return handle


@pytest.fixture(scope="module")
def spark(moto_store: Any) -> Iterator[SubprocessReader]:
    reader = opened("spark_delta", moto_store.guest(GUEST).store, delta_home())
    yield reader
    reader.close()


def watch(spark: SubprocessReader, tables: Any, table: Any, predicate: Predicate | None) -> Observation:
    [seen] = observe(spark, tables.store.guest(GUEST).log, table.metadata, [predicate], table.data)
    return seen


Seen = Callable[[str, Predicate | None], Observation]


@pytest.fixture(scope="module")
def seen(spark: SubprocessReader, tables: Any) -> Seen:
    """What Spark answers of a table, and what it opens: asked once for all that is asserted of it."""
    return cache(lambda table, predicate: watch(spark, tables, getattr(tables, table), predicate))


# One table after the other, the one of later tests last: Spark reads a log once for all questions about it.
ASKED = {"scattered": (None, MARCH), "partitioned": (None, MARCH, EITHER), "by_month": QUESTIONS}


def test_the_page_says_where_sparks_answers_come_from(
    spark: SubprocessReader, healthy_tables: HealthyTables, moto_store: Any
) -> None:
    found = of_reader(spark, moto_store.guest(GUEST), healthy_tables.of(DELTA))
    assert [*lines([found])][-1] == row_of(PAGE.read_text(encoding="utf-8"), "spark_delta")


@pytest.mark.parametrize(
    ("table", "predicate"), [(table, predicate) for table, asked in ASKED.items() for predicate in asked], ids=str
)
def test_spark_opens_the_very_files_it_plans(seen: Seen, tables: Any, table: str, predicate: Predicate | None) -> None:
    opened_what_it_planned(tables, seen(table, predicate))


@of_each("predicate", SHAPES, ids=str)
def test_spark_counts_the_rows_that_match(seen: Seen, tables: Any, predicate: Predicate) -> None:
    actual = sum(holds(predicate, row) is True for row in tables.rows)
    assert seen("by_month", predicate).rows == actual


@pytest.mark.parametrize(
    ("table", "predicate", "files", "scanned"),
    [
        ("by_month", MARCH, 1, 50),
        ("by_month", NOBODY, 0, 0),
        ("scattered", MARCH, 4, 200),
        ("partitioned", None, 4, 200),
    ],
    ids=["by month", "nobody", "scattered", "all"],
)
def test_spark_reports_what_it_lists_plans_and_scans(
    seen: Seen, table: str, predicate: Predicate | None, files: int, scanned: int
) -> None:
    answer = seen(table, predicate).answer
    assert answer
    assert (answer.live, answer.plans, answer.scanned) == (4, files, scanned)


@pytest.fixture(scope="module")
def above(tables: Any) -> LoggedTable:
    """A table whose log has minima above the values, of every column of LOST."""

    def raised(add: dict[str, Any]) -> None:
        for column, (minimum, _) in LOST.items():
            add["stats"]["minValues"][column] = add["stats"]["maxValues"][column] = minimum

    return falsified(tables.store.store, tables.by_month, "spark_above", add=raised)


@pytest.fixture(scope="module")
def found(seen: Seen) -> dict[str, int]:
    """Column of LOST -> the rows that Spark finds in the table as it was written."""
    return {column: seen("by_month", predicate).rows or 0 for column, (_, predicate) in LOST.items()}


@pytest.mark.parametrize("column", LOST)
def test_a_minimum_above_the_values_loses_the_rows(
    spark: SubprocessReader, tables: Any, found: dict[str, int], above: LoggedTable, column: str
) -> None:
    assert found[column] == sum(holds(LOST[column][1], row) is True for row in tables.rows) > 0
    seen = watch(spark, tables, above, LOST[column][1])
    assert (seen.error, seen.rows, seen.read) == (None, 0, frozenset())


def test_without_skipping_spark_finds_the_rows(spark: SubprocessReader, above: LoggedTable) -> None:
    """A remedy of XTF-072."""
    asked = f"SELECT id FROM delta.`{above.root}` WHERE id = 60"
    assert answered(spark, asked) == ""
    answered(spark, "SET spark.databricks.delta.stats.skipping = false")
    try:
        assert answered(spark, asked) == "60"
    finally:
        answered(spark, "SET spark.databricks.delta.stats.skipping = true")


def more_than_there_is(add: dict[str, Any]) -> None:
    stats = add["stats"]
    stats["numRecords"] += 1
    stats["minValues"]["id"] -= 1
    stats["maxValues"] |= {"id": stats["maxValues"]["id"] + 1, "day": "2030-01-01"}


def test_spark_answers_count_min_and_max_from_the_log(spark: SubprocessReader, tables: Any) -> None:
    """A false `numRecords` or bound is a false answer of Spark as it comes. The reader hashes values, so it reads."""
    false = falsified(tables.store.store, tables.by_month, "metadata_only", add=more_than_there_is)
    asked = f"SELECT count(*), min(id), max(id), max(day) FROM delta.`{false.root}`"
    assert answered(spark, asked) == "204 -1 200 2030-01-01"
    assert answered(spark, f"{asked} WHERE id > -5") == "200 0 199 2023-04-28"


@pytest.mark.parametrize("version", [0, 2], ids=["the first", "one before the newest"])
def test_spark_opens_the_version_that_is_named(spark: SubprocessReader, tables: Any, version: int) -> None:
    assert spark.query(tables.by_month.at(version), None).rows == 50 * (version + 1)


def test_a_version_that_is_not_there_is_reported_in_one_line(spark: SubprocessReader, tables: Any) -> None:
    with pytest.raises(Refusal, match=r"^[^\n]*Cannot time travel Delta table to version 9[^\n]*$"):
        spark.query(tables.by_month.at(9), None)


def test_a_table_that_is_not_there_is_reported_in_one_line(spark: SubprocessReader, tables: Any) -> None:
    with pytest.raises(Refusal, match=r"^[^\n]*nowhere[^\n]*$"):
        spark.query(tables.by_month.metadata.replace("by_month", "nowhere"), None)


def test_the_version_is_sparks_own(spark: SubprocessReader) -> None:
    assert spark.version == stack().spark


def test_a_jvm_that_dies_is_a_problem_and_no_finding_about_the_table(spark: SubprocessReader, tables: Any) -> None:
    """The last test of this JVM."""
    os.kill(jvm_of(spark), signal.SIGKILL)
    with pytest.raises(Problem, match=r"Spark's JVM ended \(Killed\)"):
        spark.query(tables.by_month.metadata, None)
