"""Jars as a shell runs them, a JVM for each sync, and which XTable their classes are."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

from xtable.bundled import CommandLine
from xtable.jvm import OPENED
from xtable.same_output import digest_of_classes
from xtable.sync_report import SyncFailed, SyncTimedOut

LOGGED = """\
2026-11-22 12:00:00 ERROR org.apache.xtable.utilities.RunSync:186 - Error running sync for /table
org.apache.xtable.exception.ReadException: Failed to read
\tat org.apache.xtable.Somewhere.read(Somewhere.java:1)
"""
CLASSES = {"org/apache/xtable/A.class": b"\xca\xfe A", "org/apache/xtable/B.class": b"\xca\xfe B"}
MANIFEST = {"META-INF/MANIFEST.MF": b"Build-Jdk: 17", "META-INF/maven/pom.properties": b"#Tue Nov 24"}
Entries = Mapping[str, bytes]
ALIKE: dict[str, Entries] = {
    "built again": CLASSES | {"META-INF/MANIFEST.MF": b"Build-Jdk: 11", "META-INF/maven/pom.properties": b"#Wed"},
    "without a manifest": CLASSES,
    "in another order": dict(reversed(CLASSES.items())),
}


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "bundled.jar"
    with ZipFile(path, "w") as content:
        content.writestr("org/apache/xtable/utilities/RunSync.class", b"")
    return path


def command_line(jar: Path, tmp_path: Path, script: str) -> CommandLine:
    """With a stand-in for `java` that does what the script says."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(java.stat().st_mode | stat.S_IEXEC)
    return CommandLine(jar, None, tmp_path / "logs", java_home=tmp_path / "jdk")


def archive(folder: Path, name: str, entries: Entries, year: int = 2026) -> Path:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / name, "w") as content:
        for entry, text in entries.items():
            content.writestr(zipfile.ZipInfo(entry, (year, 1, 1, 0, 0, 0)), text)
    return folder / name


def path(folder: Path, core: Entries, other: str = "iceberg-core-1.4.2.jar", year: int = 2026) -> list[Path]:
    """A class path of a core and another jar."""
    return [archive(folder, "xtable-core_2.12-0.4.0.jar", core, year), archive(folder, other, {"x.class": b"x"}, year)]


@pytest.fixture
def digest(tmp_path: Path) -> str:
    return digest_of_classes(path(tmp_path / "first", CLASSES | MANIFEST))


# A jar as a shell runs it: a JVM for each sync, with nothing of the suite's in it.


def test_a_sync_is_the_command_that_a_shell_runs(jar: Path, tmp_path: Path) -> None:
    arguments = tmp_path / "arguments"
    with pytest.raises(SyncFailed):
        command_line(jar, tmp_path, f'echo "$@" > {arguments}').sync("HUDI", str(tmp_path / "table"), "trips")
    words = [word for word in arguments.read_text().split() if word not in OPENED]
    assert words[:4] == ["-Duser.timezone=UTC", "-cp", str(jar), "org.apache.xtable.utilities.RunSync"]


def test_metadata_in_the_table_is_success(jar: Path, tmp_path: Path) -> None:
    metadata = json.dumps({"current-snapshot-id": 1, "properties": {"XTABLE_METADATA": "{}"}})
    table = tmp_path / "table"
    writes = f"mkdir -p {table}/metadata; echo '{metadata}' > {table}/metadata/v1.metadata.json"
    report = command_line(jar, tmp_path, writes).sync("HUDI", str(table), "trips")
    assert report.metadata_location == f"{table}/metadata/v1.metadata.json"


@pytest.mark.parametrize("code", [0, 1])
def test_a_failure_is_reported_in_its_own_words_whatever_the_exit_code(jar: Path, tmp_path: Path, code: int) -> None:
    (tmp_path / "log").write_text(LOGGED)
    fails = command_line(jar, tmp_path, f"cat {tmp_path}/log; exit {code}")
    with pytest.raises(SyncFailed, match="ReadException: Failed to read"):
        fails.sync("HUDI", str(tmp_path / "table"), "trips")


def test_a_command_that_only_ends_badly_reports_its_exit_code(jar: Path, tmp_path: Path) -> None:
    with pytest.raises(SyncFailed, match="the command ended with exit code 3"):
        command_line(jar, tmp_path, "exit 3").sync("HUDI", str(tmp_path / "table"), "trips")


def test_a_command_that_does_not_end_is_ended(jar: Path, tmp_path: Path) -> None:
    with pytest.raises(SyncTimedOut, match="it took longer than"):
        command_line(jar, tmp_path, "exec sleep 30").sync("HUDI", str(tmp_path / "table"), "trips", timeout=0.2)


# Which XTable a class path is: by the classes of its own jars, whatever else differs from build to build.


@pytest.mark.parametrize("core", ALIKE.values(), ids=ALIKE)
def test_a_jar_of_the_same_classes_is_the_same(core: Entries, digest: str, tmp_path: Path) -> None:
    built = path(tmp_path / "second", core, year=2020)
    assert digest_of_classes(reversed(built)) == digest


OTHERS: dict[str, Entries] = {
    "a class changed": CLASSES | {"org/apache/xtable/B.class": b"\xca\xfe C"},
    "a class more": CLASSES | {"org/apache/xtable/C.class": b"\xca\xfe C"},
    "a class fewer": {"org/apache/xtable/A.class": b"\xca\xfe A"},
    "a class renamed": {"org/apache/xtable/A.class": b"\xca\xfe A", "org/apache/xtable/D.class": b"\xca\xfe B"},
}


@pytest.mark.parametrize("core", OTHERS.values(), ids=OTHERS)
def test_a_jar_of_other_classes_is_another(core: Entries, digest: str, tmp_path: Path) -> None:
    assert digest_of_classes(path(tmp_path / "second", core)) != digest


def test_another_version_of_a_library_is_another_class_path(digest: str, tmp_path: Path) -> None:
    assert digest_of_classes(path(tmp_path / "second", CLASSES, "iceberg-core-1.9.2.jar")) != digest


def test_a_second_jar_of_xtables_counts(digest: str, tmp_path: Path) -> None:
    api = archive(tmp_path / "second", "xtable-api-0.4.0.jar", {"org/apache/xtable/Api.class": b"\xca\xfe"})
    assert digest_of_classes([*path(tmp_path / "second", CLASSES), api]) != digest
