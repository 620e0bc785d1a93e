"""The battery is written while others go on: in whose order, and what becomes of failures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lab.provision import battery_sources
from lab.provision.battery_sources import Battery
from lab.provision.progress import Progress
from lab.stack.cache import Cache
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from tests.kept import empty_cache
from tests.wait_until import wait_until
from xtable.replay import BATTERY_RECORDINGS
from xtable_audit.model.problem import Problem

FIRST, SECOND, THIRD = (table for table in [*BATTERY.values()][:3])
SECONDS = 20


class Spark:
    """Writes a table when the test lets it, and notes the order of requests."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.failure: dict[str, str | Exception] = {}
        self.held: dict[str, threading.Event] = {}

    @contextmanager
    def __call__(self, folder: Path, **_: object) -> Iterator[Callable[[BatteryTable], dict[str, Any]]]:
        def write(table: BatteryTable) -> dict[str, Any]:
            self.begun.append(table.name)
            if table.name in self.held:
                assert self.held[table.name].wait(SECONDS)
            failure = self.failure.get(table.name)
            if isinstance(failure, Exception):
                raise failure
            (folder / table.name).mkdir()
            (folder / table.name / "table.json").write_text("{}")
            return {"failure": failure}

        yield write


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Spark:
    spark = Spark()
    monkeypatch.setattr(battery_sources, "writer", spark)
    monkeypatch.setattr(battery_sources, "resolve_battery_jars", lambda *_: ())
    return spark


@pytest.fixture
def battery(tmp_path: Path, spark: Spark) -> Battery:
    (tmp_path / "cache").mkdir()
    battery = Battery(Progress(Console(quiet=True)), tmp_path, Cache(tmp_path / "cache"))
    battery.announce([THIRD.name, SECOND.name, FIRST.name])
    return battery


@pytest.fixture
def recordings_alone(tmp_path: Path) -> Cache:
    return Cache(Path(empty_cache(tmp_path / "cache")["XTABLE_AUDIT_CACHE"]))


def test_a_table_is_there_while_the_next_is_being_written(battery: Battery, spark: Spark) -> None:
    spark.held[SECOND.name] = threading.Event()
    assert battery.kept(FIRST)[0].is_dir()
    spark.held[SECOND.name].set()
    assert battery.kept(SECOND)[0].is_dir()


def test_the_requested_one_is_written_first_and_the_others_in_the_batterys_order(
    battery: Battery, spark: Spark
) -> None:
    for table in (THIRD, SECOND, FIRST):
        battery.kept(table)
    assert spark.begun == [THIRD.name, FIRST.name, SECOND.name]


def test_requested_tables_come_before_announced_ones(battery: Battery, spark: Spark) -> None:
    spark.held[FIRST.name] = threading.Event()
    waiting = [threading.Thread(target=battery.kept, args=[table]) for table in (FIRST, THIRD)]
    for one in waiting:
        one.start()
        wait_until(lambda: spark.begun == [FIRST.name], "the first is begun")
    wait_until(lambda: battery._to_write == [[THIRD, SECOND]], "the third stands before the second")
    spark.held[FIRST.name].set()
    battery.kept(THIRD)
    assert spark.begun[:2] == [FIRST.name, THIRD.name]


def test_a_table_that_fails_costs_no_other_and_is_reported_each_time(battery: Battery, spark: Spark) -> None:
    spark.failure[FIRST.name] = "no such type"
    for _ in range(2):
        with pytest.raises(Problem, match=f"Spark could not write {FIRST.name}: no such type"):
            battery.kept(FIRST)
    assert battery.kept(SECOND)[0].is_dir()
    assert spark.begun.count(FIRST.name) == 1


def test_a_waiting_caller_gets_the_failure_of_the_process(battery: Battery, spark: Spark) -> None:
    spark.failure[SECOND.name] = Problem("Spark is gone")
    battery.kept(FIRST)
    for table in (SECOND, THIRD):
        with pytest.raises(Problem, match="Spark is gone"):
            battery.kept(table)


def test_no_table_is_begun_after_the_end(battery: Battery, spark: Spark) -> None:
    spark.held[SECOND.name] = threading.Event()
    battery.kept(FIRST)
    threading.Timer(0.2, spark.held[SECOND.name].set).start()
    battery.stop()
    with pytest.raises(Problem, match="The run has ended"):
        battery.kept(THIRD)
    assert THIRD.name not in spark.begun


@pytest.mark.parametrize("archives", [BATTERY_RECORDINGS, None], ids=["recorded", "written"])
def test_spark_writes_a_recorded_table_only_where_all_are_written(
    archives: Path | None, spark: Spark, recordings_alone: Cache, tmp_path: Path
) -> None:
    battery = Battery(Progress(Console(quiet=True)), tmp_path, recordings_alone, archives=archives)
    battery.announce([FIRST.name, SECOND.name])
    battery.kept(FIRST)
    battery.kept(SECOND)
    assert sorted(spark.begun) == ([] if archives else sorted([FIRST.name, SECOND.name]))
    assert (battery.recorded_on(FIRST) is None) == (archives is None)


def test_spark_writes_what_is_not_recorded_as_it_would_write_it(
    spark: Spark, recordings_alone: Cache, tmp_path: Path
) -> None:
    battery = Battery(Progress(Console(quiet=True)), tmp_path, recordings_alone, archives=BATTERY_RECORDINGS)
    battery.announce([FIRST.name, SECOND.name])
    changed = replace(FIRST, options={"hoodie.parquet.compression.codec": "gzip"})
    battery.kept(changed)
    battery.kept(SECOND)
    assert spark.begun == [changed.name]


def test_a_kept_table_is_not_written_again(battery: Battery, spark: Spark, tmp_path: Path) -> None:
    for table in (FIRST, SECOND, THIRD):
        battery.kept(table)
    again = Battery(Progress(Console(quiet=True)), tmp_path, Cache(tmp_path / "cache"))
    again.kept(FIRST)
    assert spark.begun.count(FIRST.name) == 1
