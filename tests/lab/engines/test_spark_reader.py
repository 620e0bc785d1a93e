"""Iceberg on Spark: rows, the files it plans, and the files it opens."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lab.engines.spark.reader import SparkReader
from lab.stack.versions import stack
from lab.store import objects
from tests.lab.engines.spark_home import answered, jvm_of, opened, spark_home
from tests.listening import addresses_of
from tests.of_each import of_each
from tests.tables import healthy
from tests.tables.draft import Draft
from tests.tables.mirror import Mirror
from tests.tables.shortcut_tables import HealthyTables
from tests.wait_until import wait_until
from tests.window import window
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.readers.test_answers import GRID, holds
from tools.shortcuts.__main__ import of_reader
from tools.shortcuts.answers import PAGE, lines, row_of
from xtable_audit.model.predicate import And, Compare, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Refusal
from xtable_audit.readers.subprocess_reader import SubprocessReader

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GUEST = "reader-spark"
PUSHED_DOWN = "spark.sql.iceberg.aggregate-push-down.enabled"
MARCH = Compare("month", "=", "2023-03")
NOBODY = Compare("id", ">", 10_000)
EITHER = Or(MARCH, Compare("id", "<", 5))
QUESTIONS: tuple[Predicate | None, ...] = (
    None,
    MARCH,
    NOBODY,
    Compare("id", "=", 60),
    IsNull("zone"),
    StartsWith("zone_to", "Z6"),
    EITHER,
    And(MARCH, Compare("distance", "<", 28.0)),
)
ASKED = {"native": QUESTIONS, "added": (None, MARCH, EITHER), "scattered": (None, MARCH)}
"""Every kind of predicate of one table, and of each other one what tells it from that."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reader makes the folder of its temporary files."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def spark(tables: Any, scratch: Path) -> Iterator[SubprocessReader]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setattr(tempfile, "tempdir", str(scratch))
        reader = opened("spark", tables.store.guest(GUEST).store, spark_home())
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


Seen = Callable[[str, Predicate | None], Observation]


@pytest.fixture(scope="module")
def seen(spark: SubprocessReader, tables: Any) -> Seen:
    """What Spark answers of a table, and what it opens: asked once for all that is asserted of it."""
    return cache(lambda table, predicate: watch(spark, tables, table, predicate))


@pytest.mark.parametrize(
    ("table", "predicate"), [(table, predicate) for table, asked in ASKED.items() for predicate in asked], ids=str
)
def test_spark_opens_the_very_files_it_plans(seen: Seen, tables: Any, table: str, predicate: Predicate | None) -> None:
    opened_what_it_planned(tables, seen(table, predicate))


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
    seen: Seen, table: str, predicate: Predicate | None, files: int, scanned: int
) -> None:
    answer = seen(table, predicate).answer
    assert answer
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


def test_the_page_says_where_sparks_answers_come_from(
    spark: SubprocessReader, healthy_tables: HealthyTables, tables: Any
) -> None:
    found = of_reader(spark, tables.store.guest(GUEST), healthy_tables.of(ICEBERG))
    assert [*lines([found])][-1] == row_of(PAGE.read_text(encoding="utf-8"), "spark")


def test_the_version_is_sparks_own(spark: SubprocessReader) -> None:
    assert spark.version == stack().spark


def test_the_jvm_listens_on_the_loopback_address_alone_and_shows_no_key(spark: SubprocessReader, tables: Any) -> None:
    jvm = jvm_of(spark)
    assert addresses_of(jvm) == {"127.0.0.1"}
    visible = b"".join(Path(f"/proc/{jvm}/{part}").read_bytes() for part in ("cmdline", "environ"))
    assert tables.store.store.secret_key.encode() not in visible


def test_as_it_comes_spark_counts_the_rows_that_the_metadata_claims(
    spark: SubprocessReader, tables: Any, tmp_path: Path
) -> None:
    """A false `record_count` is a false answer to `count(*)`. The reader switches that off, for it is to read files."""
    draft = Draft.of(healthy.recorded(Mirror(tmp_path / "mirror"), "good_layout", "0.4.0"), tmp_path / "draft")
    mutate.set_field("record_count", lambda rows: rows + 1)(draft, 1)
    store = tables.store.store
    root, named = draft.table.root, draft.table.metadata_location
    objects.upload(store, store.key(root), draft.mirror.file(root))
    counted = "SELECT count(*) FROM t"
    read = int(answered(spark, counted, named))
    answered(spark, f"SET `{PUSHED_DOWN}` = true")
    try:
        assert answered(spark, counted, named) == str(read + 1)
    finally:
        answered(spark, f"SET `{PUSHED_DOWN}` = false")


def test_after_kill_9_of_the_reader_neither_jvm_nor_scratch_is_left(spark: SubprocessReader, scratch: Path) -> None:
    """The last test of this reader."""
    jvm = jvm_of(spark)
    (own,) = scratch.iterdir()
    assert [*own.iterdir()]
    os.kill(spark.pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{jvm}").exists(), "the JVM is gone")
    assert [*own.iterdir()] == []


def test_without_the_engines_handle_spark_says_what_it_needs(tables: Any) -> None:
    with pytest.raises(Problem, match="reader spark needs Spark's jars and Java"):
        SparkReader(tables.store.store)
