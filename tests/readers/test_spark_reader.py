"""Iceberg on Spark: rows, the files it plans, and the files it opens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.engines.readers import open_reader
from lab.stack.versions import stack
from tests.listening import addresses_of
from tests.of_each import of_each
from tests.readers.spark_home import jvm_of, spark_home
from tests.readers.test_answers import GRID, holds
from tests.window import window
from xtable_audit.model.predicate import And, Compare, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation
from xtable_audit.readers.refusal import Refusal
from xtable_audit.readers.subprocess_reader import SubprocessReader

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GUEST = "reader-spark"
MARCH = Compare("month", "=", "2023-03")
NOBODY = Compare("id", ">", 10_000)
QUESTIONS: tuple[Predicate | None, ...] = (
    None,
    MARCH,
    NOBODY,
    Compare("id", "=", 60),
    IsNull("zone"),
    StartsWith("zone_to", "Z6"),
    Or(MARCH, Compare("id", "<", 5)),
    And(MARCH, Compare("distance", "<", 28.0)),
)


@pytest.fixture(scope="module")
def spark(tables: Any) -> Iterator[SubprocessReader]:
    reader = open_reader("spark", tables.store.guest(GUEST).store, spark_home())
    yield reader
    reader.close()


def watch(spark: SubprocessReader, tables: Any, table: str, predicate: Predicate | None) -> Observation:
    layout = getattr(tables, table)
    (observation,) = observe(spark, tables.store.guest(GUEST).log, layout.metadata, [predicate], layout.data)
    return observation


@of_each("predicate", GRID, ids=str)
def test_spark_counts_the_rows_that_match(spark: SubprocessReader, tables: Any, predicate: Predicate) -> None:
    actual = sum(holds(predicate, row) is True for row in tables.rows)
    assert spark.query(tables.native.metadata, predicate).rows == actual


@pytest.mark.parametrize("table", ["native", "added", "scattered"])
@pytest.mark.parametrize("predicate", QUESTIONS, ids=str)
def test_spark_opens_the_very_files_it_plans(
    spark: SubprocessReader, tables: Any, table: str, predicate: Predicate | None
) -> None:
    opened_what_it_planned(tables, watch(spark, tables, table, predicate))


def opened_what_it_planned(tables: Any, seen: Observation) -> None:
    assert seen.answer
    assert seen.answer.planned is not None
    assert frozenset(tables.store.store.key(uri) for uri in seen.answer.planned) == seen.read


@pytest.mark.parametrize(
    ("table", "predicate", "files", "scanned"),
    [("native", MARCH, 1, 50), ("scattered", MARCH, 4, 200), ("native", NOBODY, 0, 0), ("added", None, 4, 200)],
    ids=["native month", "scattered month", "nobody", "added all"],
)
def test_spark_reports_what_it_lists_plans_and_scans(
    spark: SubprocessReader, tables: Any, table: str, predicate: Predicate | None, files: int, scanned: int
) -> None:
    answer = spark.query(getattr(tables, table).metadata, predicate)
    assert (answer.live, answer.plans, answer.scanned) == (4, files, scanned)


def test_a_nested_column_is_named_by_its_path(spark: SubprocessReader, tables: Any) -> None:
    assert spark.query(tables.native.metadata, Compare("place.x", "<", 7.0)).rows == 7


def test_a_string_that_looks_like_a_variable_is_a_string(spark: SubprocessReader, tables: Any) -> None:
    assert spark.query(tables.native.metadata, Compare("zone", "=", "${zone}\\'")).rows == 0


def test_metadata_is_read_anew_for_every_question(spark: SubprocessReader, tables: Any) -> None:
    log = tables.store.guest(GUEST).log
    spark.query(tables.native.metadata, MARCH)
    with window(log) as seen:
        spark.query(tables.native.metadata, MARCH)
    fetched = {request.key.rpartition(".")[2] for request in seen if request.method == "GET"}
    assert fetched == {"json", "avro", "parquet"}


def test_a_missing_table_is_reported_in_one_line(spark: SubprocessReader, tables: Any) -> None:
    nowhere = tables.store.store.uri("nowhere/metadata/v1.metadata.json")
    with pytest.raises(Refusal, match=f"NotFoundException: Failed to open input stream for file: {nowhere}"):
        spark.query(nowhere, None)


def test_a_missing_column_is_reported_in_one_line(spark: SubprocessReader, tables: Any) -> None:
    with pytest.raises(Refusal, match=r"UNRESOLVED_COLUMN.*`nope` cannot be resolved"):
        spark.query(tables.native.metadata, Compare("nope", "=", 1))


def test_a_column_is_not_found_in_other_capitals(spark: SubprocessReader, tables: Any) -> None:
    with pytest.raises(Refusal, match="`ID` cannot be resolved"):
        spark.query(tables.native.metadata, Compare("ID", "=", 1))


def test_the_version_is_sparks_own(spark: SubprocessReader) -> None:
    assert spark.version == stack().spark


def test_the_jvm_listens_on_the_loopback_address_alone_and_shows_no_key(spark: SubprocessReader, tables: Any) -> None:
    jvm = jvm_of(spark)
    assert addresses_of(jvm) == {"127.0.0.1"}
    visible = b"".join(Path(f"/proc/{jvm}/{part}").read_bytes() for part in ("cmdline", "environ"))
    assert tables.store.store.secret_key.encode() not in visible
