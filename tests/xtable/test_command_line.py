"""A jar as a shell runs it: a JVM for each sync, with nothing of the suite's in it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from zipfile import ZipFile

import pytest

from xtable.command_line import CommandLine
from xtable.jvm import OPENED
from xtable.report import SyncFailed, SyncTimedOut

LOGGED = """\
2026-11-22 12:00:00 ERROR org.apache.xtable.utilities.RunSync:186 - Error running sync for /table
org.apache.xtable.exception.ReadException: Failed to read
\tat org.apache.xtable.Somewhere.read(Somewhere.java:1)
"""


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
