"""Delta on Spark: rows, the files it plans, the files it opens, and what it answers from the log alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lab.engines.order import Order
from lab.engines.readers import open_reader
from lab.engines.registry import open_engine
from lab.engines.spark.home import SparkHome
from lab.stack.cache import Cache
from lab.stack.project import ROOT
from lab.stack.versions import stack
from tests.of_each import of_each
from tests.readers.delta.falsified import falsified
from tests.readers.delta.test_delta_bounds import LOST
from tests.readers.spark_home import no_store
from tests.readers.test_answers import GRID, holds
from tests.readers.test_spark_reader import MARCH, NOBODY, QUESTIONS, opened_what_it_planned
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation
from xtable_audit.readers.refusal import Refusal
from xtable_audit.readers.subprocess_reader import SubprocessReader

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GUEST = "reader-spark-delta"
AS_IT_COMES = """
import sys
from lab.engines.spark.delta_reader import SETTINGS
from lab.engines.spark.session import open_session
from lab.stack.spark import FEWER_OPTIMISATIONS
from lab.store.running import RunningStore
from tests.readers.delta.test_spark_delta import delta_home
store, answered, skipped = sys.argv[1:]
spark = open_session("spark", RunningStore.from_json(store).store, delta_home(), SETTINGS, [FEWER_OPTIMISATIONS])
asked = f"SELECT count(*), min(id), max(id), max(day) FROM delta.`{answered}`"
print(*spark.sql(asked).collect()[0])
print(*spark.sql(f"{asked} WHERE id > -5").collect()[0])
for skipping in ("true", "false"):
    spark.conf.set("spark.databricks.delta.stats.skipping", skipping)
    print(spark.sql(f"SELECT id FROM delta.`{skipped}` WHERE id = 60").collect())
"""


@cache
def delta_home() -> SparkHome:
    """Jars and Java, as the engine hands them over."""
    handle = open_engine("spark_delta", Order("auto", no_store, Path(), Cache(), print)).handle
    assert isinstance(handle, SparkHome)
    return handle


@pytest.fixture(scope="module")
def spark(moto_store: Any) -> Iterator[SubprocessReader]:
    reader = open_reader("spark_delta", moto_store.guest(GUEST).store, delta_home())
    yield reader
    reader.close()


def watch(spark: SubprocessReader, tables: Any, table: Any, predicate: Predicate | None) -> Observation:
    [seen] = observe(spark, tables.store.guest(GUEST).log, table.metadata, [predicate], table.data)
    return seen


@of_each("predicate", GRID, ids=str)
def test_spark_counts_the_rows_that_match(spark: SubprocessReader, tables: Any, predicate: Predicate) -> None:
    actual = sum(holds(predicate, row) is True for row in tables.rows)
    assert spark.query(tables.by_month.metadata, predicate).rows == actual


@pytest.mark.parametrize("table", ["by_month", "partitioned", "scattered"])
@pytest.mark.parametrize("predicate", QUESTIONS, ids=str)
def test_spark_opens_the_very_files_it_plans(
    spark: SubprocessReader, tables: Any, table: str, predicate: Predicate | None
) -> None:
    opened_what_it_planned(tables, watch(spark, tables, getattr(tables, table), predicate))


@pytest.mark.parametrize(
    ("table", "predicate", "files", "scanned"),
    [
        ("by_month", MARCH, 1, 50),
        ("scattered", MARCH, 4, 200),
        ("by_month", NOBODY, 0, 0),
        ("partitioned", None, 4, 200),
    ],
    ids=["by month", "scattered", "nobody", "all"],
)
def test_spark_reports_what_it_lists_plans_and_scans(
    spark: SubprocessReader, tables: Any, table: str, predicate: Predicate | None, files: int, scanned: int
) -> None:
    answer = spark.query(getattr(tables, table).metadata, predicate)
    assert (answer.live, answer.plans, answer.scanned) == (4, files, scanned)


@pytest.mark.parametrize("column", LOST)
def test_a_minimum_above_the_values_loses_the_rows(spark: SubprocessReader, tables: Any, column: str) -> None:
    minimum, predicate = LOST[column]

    def above(add: dict[str, Any]) -> None:
        add["stats"]["minValues"][column] = add["stats"]["maxValues"][column] = minimum

    false = falsified(tables.store.store, tables.by_month, f"spark_above_{column}", add=above)
    assert watch(spark, tables, tables.by_month, predicate).rows
    seen = watch(spark, tables, false, predicate)
    assert (seen.error, seen.rows, seen.read) == (None, 0, frozenset())


def above_the_values(add: dict[str, Any]) -> None:
    add["stats"]["minValues"]["id"] = add["stats"]["maxValues"]["id"] = LOST["id"][0]


def more_than_there_is(add: dict[str, Any]) -> None:
    stats = add["stats"]
    stats["numRecords"] += 1
    stats["minValues"]["id"] -= 1
    stats["maxValues"] |= {"id": stats["maxValues"]["id"] + 1, "day": "2030-01-01"}


@pytest.fixture(scope="module")
def as_it_comes(tables: Any) -> list[str]:
    """What Spark answers without the reader: of counts, minima and maxima; and of a row, with skipping and without."""
    store = tables.store.store
    answered = falsified(store, tables.by_month, "metadata_only", add=more_than_there_is)
    skipped = falsified(store, tables.by_month, "unskipped", add=above_the_values)
    command = [sys.executable, "-c", AS_IT_COMES, tables.store.to_json(), answered.root, skipped.root]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.splitlines()


def test_without_skipping_spark_finds_the_rows(as_it_comes: list[str]) -> None:
    """A remedy of XTF-072."""
    assert as_it_comes[2:] == ["[]", "[Row(id=60)]"]


def test_spark_answers_count_min_and_max_from_the_log(as_it_comes: list[str]) -> None:
    """A false `numRecords` or bound is a false answer of Spark as it comes. The reader hashes values, so it reads."""
    assert as_it_comes[:2] == ["204 -1 200 2030-01-01", "200 0 199 2023-04-28"]


@pytest.mark.parametrize("version", [0, 1, 2, 3])
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
