"""What is asked in the JVM of each release: which files Iceberg's Java plans, and what Hudi has of a table's files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import py4j.java_gateway
import py4j.protocol
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from py4j.java_gateway import GatewayClient
from py4j.protocol import MEMORY_COMMAND_NAME, Py4JJavaError

from lab.store import moto, objects
from lab.store.running import RunningStore
from lab.store.tables import InStore
from tests.tables import healthy
from tests.tables.draft import Draft
from tests.tables.mirror import Mirror
from xtable.hudi_stats import read
from xtable.planner import plan
from xtable.sync import Translator
from xtable_audit.access.access import Access
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.planner import JAVA, Refused
from xtable_audit.model.predicate import Compare, In, IsNull, Predicate
from xtable_audit.planning.planners import judges, trap
from xtable_audit.planning.pruning_trial import Question, whole_grid
from xtable_audit.readers.pyiceberg_reader import plan as plan_by_pyiceberg
from xtable_audit.subject.case import Case
from xtable_audit.table.stored_metrics import StoredMetrics

pytestmark = [pytest.mark.jvm, pytest.mark.slow]
COLUMN = "VendorID"


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as started:
        yield started


@pytest.fixture(scope="module", params=["typed", "recorded"])
def table(request: pytest.FixtureRequest, running: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A table with a column of every type, and what XTable once wrote, each in the store."""
    mirror = Mirror(tmp_path_factory.mktemp("mirror"))
    made = healthy.typed(mirror) if request.param == "typed" else healthy.recorded(mirror, "good_layout", "0.4.0")
    objects.upload(running.store, running.store.key(made.root), mirror.file(made.root))
    return made.case


@pytest.fixture(scope="module")
def questions(table: Case, running: RunningStore) -> tuple[Question, ...]:
    return whole_grid(Access(running.store).objects(running.store.uri("")), table)


# Iceberg's Java planner, in the JVM of each release, against PyIceberg's and the judge's over the same metadata.


def test_java_keeps_the_files_that_the_others_keep(
    translator: Translator, running: RunningStore, table: Case, questions: tuple[Question, ...]
) -> None:
    """For every predicate, except the known differences. Neither takes bytes of a length that no value has."""
    predicates = [question.predicate for question in questions]
    location = table.stored.metadata_location
    java = plan(translator.jvm, InStore(running.store), location, predicates)
    pyiceberg = plan_by_pyiceberg(running.store, location, predicates)
    judge = judges(table.stored)(location, predicates)
    different = [
        str(question)
        for question, *kept in zip(questions, java, pyiceberg, judge, strict=True)
        if len(set(kept)) > 1 and kept[0] is not None and not trap(JAVA, table.stored, question.predicate)
    ]
    refused = [[str(p) for p, kept in zip(predicates, of, strict=True) if kept is None] for of in (java, pyiceberg)]
    assert different == []
    assert refused[0] == refused[1] == [one for one in refused[0] if one.startswith("fixed ")]


def test_iceberg_of_each_release_plans_in_the_thread_that_asks(translator: Translator) -> None:
    """Its pool finds the same files, and costs up to 10 ms for each predicate on a table of several manifests."""
    assert translator.jvm.java.org.apache.iceberg.SystemConfigs.SCAN_THREAD_POOL_ENABLED.value() is False


def test_a_comparison_costs_one_call_to_java(
    translator: Translator, running: RunningStore, zero: StoredMetrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first, for which it is composed. When Py4J drops what Java lent to Python is its own affair."""
    calls: list[str] = []
    send = GatewayClient.send_command

    def count(client: GatewayClient, command: str, *more: Any) -> Any:
        calls.append(command)
        return send(client, command, *more)

    def calls_for(predicates: int) -> int:
        calls.clear()
        many: list[Predicate] = [Compare("n", "=", number) for number in range(predicates)]
        plan(translator.jvm, InStore(running.store), zero.metadata_location, many)
        return len([call for call in calls if not call.startswith(MEMORY_COMMAND_NAME)])

    monkeypatch.setattr(GatewayClient, "send_command", count)
    calls_for(1)
    assert calls_for(21) == calls_for(1) + 20


def test_a_signed_zero_is_what_java_is_known_for(
    translator: Translator, running: RunningStore, zero: StoredMetrics
) -> None:
    """A file of 0.0 alone: SQL finds its row by `= -0.0`, Java drops the file."""
    predicate = Compare("x", "=", -0.0)
    [kept] = plan(translator.jvm, InStore(running.store), zero.metadata_location, [predicate])
    assert kept == frozenset()
    assert judges(zero)(zero.metadata_location, [predicate]) == [frozenset(zero.paths)]
    assert trap(JAVA, zero, predicate) is not None


OF_NULLS = [(IsNull("x"), 0), (IsNull("x", negated=True), 1), (Compare("n", "!=", 7), 0), (In("n", (7,), True), 0)]


@pytest.mark.parametrize(("predicate", "files"), OF_NULLS, ids=str)
def test_java_plans_nulls_as_sql_does(
    translator: Translator, running: RunningStore, zero: StoredMetrics, predicate: Predicate, files: int
) -> None:
    """Of a file of nothing but nulls no row is unequal to anything."""
    [kept] = plan(translator.jvm, InStore(running.store), zero.metadata_location, [predicate])
    assert kept is not None
    assert len(kept) == files


def test_a_table_that_is_not_there_is_refused_in_icebergs_words(translator: Translator, running: RunningStore) -> None:
    with pytest.raises(Refused, match="NotFoundException"):
        plan(translator.jvm, InStore(running.store), running.store.uri("nowhere/v1.metadata.json"), [IsNull("x")])


@pytest.fixture(scope="module")
def zero(running: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> StoredMetrics:
    """A table of one row: x is 0.0, n is null; the bounds of x are its value (writers make -0.0 of a lower 0.0)."""
    mirror = Mirror(tmp_path_factory.mktemp("zero"))
    uri = mirror.uri("zero/data/a.parquet")
    mirror.file(uri).parent.mkdir(parents=True)
    pq.write_table(pa.table({"x": [0.0], "n": pa.array([None], pa.int64())}), mirror.file(uri))
    made = healthy.control(mirror, "zero", [uri], (), ())
    Draft(made, mirror).put(0, "lower_bounds", "x", 0.0)
    objects.upload(running.store, "zero", mirror.file(made.root))
    return read_stored_metrics(mirror.objects, made.metadata_location)


# What Hudi answers of a table's files, in the JVM of each release.


def test_hudi_answers_of_each_file_what_its_footer_holds(translator: Translator, hudi_table: Path) -> None:
    """And of one that is not there, what it throws."""
    files = [path.relative_to(hudi_table).as_posix() for path in hudi_table.glob("*/*.parquet")]
    answers = read(translator.jvm, None, str(hudi_table), {name: [COLUMN] for name in [*files, "gone.parquet"]})
    assert set(answers["files"]) == set(files)
    assert set(answers["failures"]) == {"gone.parquet"}
    for name in files:
        values = pq.read_table(hudi_table / name)[COLUMN]
        low, high = (str(pc.min_max(values)[side]) for side in ("min", "max"))
        one = {"min": low, "max": high, "nulls": values.null_count, "values": len(values)}
        assert answers["files"][name] == {"rows": len(values), "columns": {COLUMN: one}}


def test_a_folder_that_is_no_hudi_table_is_refused(
    translator: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where a test before this one ran Spark, PySpark reads the errors of every JVM its own way.
    monkeypatch.setattr(py4j.java_gateway, "get_return_value", py4j.protocol.get_return_value)
    with pytest.raises(Py4JJavaError):
        read(translator.jvm, None, str(tmp_path), {})
