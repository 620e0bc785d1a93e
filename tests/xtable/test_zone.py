"""The time zone of XTable: which names are taken, and that each way to run XTable has it."""

from __future__ import annotations

import datetime as dt
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.provision.translator_pool import JAR, Translators
from lab.stack.java import find_java
from lab.store.address import Workspace
from lab.store.tables import InStore
from xtable.bundled import CommandLine
from xtable.settings import UTC, check_zone, in_zone, words_of
from xtable.sync import Translator
from xtable.sync_report import SyncFailed
from xtable_audit.model.problem import Problem

ZONE = "Asia/Kolkata"
STORE = Workspace(None, "", "", bucket="b")


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "bundled.jar"
    with ZipFile(path, "w") as content:
        content.writestr("org/apache/xtable/utilities/RunSync.class", b"")
    return path


def zone_of(translator: Translator) -> str:
    return str(translator.jvm.java.java.util.TimeZone.getDefault().getID())


@pytest.mark.parametrize("name", [UTC, ZONE, "America/St_Johns", "Etc/GMT+12", "MST"])
def test_a_zone_of_the_database_is_taken(name: str) -> None:
    assert check_zone(name) == name


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("Asia/Kolkatta", "did you mean Asia/Kolkata"),
        ("asia/kolkata", "did you mean Asia/Kolkata"),
        ("+05:30", "name one such as Asia/Kolkata."),
        ("", "name one such as Asia/Kolkata."),
        ("../etc/passwd", "name one such as Asia/Kolkata."),
    ],
)
def test_another_is_refused_in_one_sentence(name: str, instead: str) -> None:
    with pytest.raises(Problem) as refused:
        check_zone(name)
    assert str(refused.value).startswith(f"--zone {name!r}: there is no such time zone; {instead}")


def test_utc_needs_no_word() -> None:
    assert words_of(UTC) == ""
    assert words_of(ZONE) == f"XTable runs in the time zone {ZONE}; the tables are written in UTC."


@pytest.fixture(scope="module")
def in_zones(translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Translator]]:
    """The release in a JVM of each zone, started once; its own JVM runs in UTC."""
    started = (translator.release, None, tmp_path_factory.mktemp("zones"), translator.java_home, translator.jars)
    with ExitStack() as running:

        @cache
        def in_zone_of(zone: str) -> Translator:
            return translator if zone == UTC else running.enter_context(Translator(*started, zone=zone))

        yield in_zone_of


@pytest.mark.jvm
@pytest.mark.parametrize("zone", [UTC, ZONE])
def test_each_release_runs_in_it(in_zones: Callable[[str], Translator], zone: str) -> None:
    assert zone_of(in_zones(zone)) == zone


@pytest.mark.jvm
@pytest.mark.parametrize("alone", [False, True], ids=["warm", "alone"])
def test_a_jar_runs_in_it(jar: Path, tmp_path: Path, alone: bool) -> None:
    translators = Translators(jar, InStore(STORE), tmp_path / "logs", preload=(), zone=ZONE)
    with translators.of_table(alone=alone) as named:
        assert zone_of(named(JAR)) == ZONE
    translators.stop()


@pytest.mark.jvm
@pytest.mark.parametrize(("zone", "told"), [(UTC, "2011-12-30"), (ZONE, "2011-12-30"), ("Pacific/Apia", "2011-12-31")])
def test_hudi_moves_a_day_that_the_zone_skipped(
    in_zones: Callable[[str], Translator], tmp_path: Path, zone: str, told: str
) -> None:
    """The statistics of a footer, as XTable asks for them: in UTC, the remedy of XTF-005, they are exact."""
    pq.write_table(pa.table({"day": [dt.date(2011, 12, 30)]}), tmp_path / "a.parquet")
    java = in_zones(zone).jvm.java
    configuration, path = java.org.apache.hadoop.conf.Configuration(), java.org.apache.hadoop.fs.Path
    read = java.org.apache.hudi.common.util.ParquetUtils().readRangeFromParquetMetadata
    [day] = read(configuration, path(str(tmp_path / "a.parquet")), ["day"])
    assert day.getMinValue().toLocalDate().toString() == told


def command_line(jar: Path, tmp_path: Path, zone: str) -> CommandLine:
    """In a `java` that runs Py4J's gateway as ever, and notes the arguments of all else."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    noted = tmp_path / "arguments"
    java.write_text(f'#!/bin/sh\ncase "$1" in @*) exec {find_java()}/bin/java "$@";; esac\necho "$@" > {noted}\n')
    java.chmod(java.stat().st_mode | stat.S_IEXEC)
    return CommandLine(jar, None, tmp_path / "logs", java_home=tmp_path / "jdk", zone=zone)


@pytest.mark.jvm
@pytest.mark.parametrize("zone", [UTC, ZONE])
def test_a_jar_in_a_fresh_jvm_runs_in_it(jar: Path, tmp_path: Path, zone: str) -> None:
    with pytest.raises(SyncFailed):
        command_line(jar, tmp_path, zone).sync("HUDI", str(tmp_path / "table"), "trips")
    assert in_zone(zone) in (tmp_path / "arguments").read_text().split()


@pytest.mark.jvm
def test_a_fresh_jvm_that_does_not_know_it_is_not_started(jar: Path, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="does not know this time zone"):
        command_line(jar, tmp_path, "Factory").sync("HUDI", str(tmp_path / "table"), "trips")
    assert not (tmp_path / "arguments").exists()
