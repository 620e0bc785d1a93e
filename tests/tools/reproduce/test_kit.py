"""The kit: what a folder's shell scripts end with, and that its constants are those of the suite."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.stack.versions import delta, nessie_versions, stack, trino
from spark_jobs.battery import delta_table, hudi, session
from tests.tools.reproduce.scripts import module
from tools.reproduce.finding import BY_HAND, KIT_FOLDER
from tools.reproduce.folder import TABLES


def constant(name: str) -> Any:
    """A literal of `history.py`, which is read and not imported: it needs a folder to run in."""
    for node in ast.parse((KIT_FOLDER / "history.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in (name, f"({name})"):
            return ast.literal_eval(node.value)
    raise KeyError(name)


@pytest.mark.parametrize(
    ("name", "ours"),
    [("OPTIONS", hudi.OPTIONS), ("SESSION", session.SETTINGS), ("DELTA_SESSION", delta_table.SETTINGS)],
    ids=["Hudi's options", "Spark's settings", "Delta's settings"],
)
def test_a_copied_out_table_is_written_as_the_suite_writes_it(name: str, ours: dict[str, str]) -> None:
    assert constant(name) == ours


def test_a_copied_out_table_is_written_by_the_same_releases() -> None:
    bundle, delta_jar = constant("HUDI_BUNDLE, DELTA")
    assert f"{bundle}:{constant('HUDI')}" in stack().jars
    assert (delta_jar,) == delta().jars


def test_both_name_the_same_folder_of_tables() -> None:
    assert f'TABLES = Path("{TABLES}")' in (KIT_FOLDER / "synced.py").read_text()


def test_trino_and_nessie_are_the_releases_of_the_suite() -> None:
    services = yaml.safe_load((BY_HAND / "XTF-002" / "compose.yaml").read_text())["services"]
    assert services["trino"]["image"] == trino().image
    assert services["nessie"]["image"] == nessie_versions().image


@pytest.mark.parametrize(
    ("write", "check", "status"),
    [
        ("exit(0)", "exit(0)", 0),
        ("exit(0)", "exit(10)", 1),
        ("exit(0)", "exit(6)", 6),
        ("exit(0)", "import no_such_module", 6),
        ("exit(0)", "import os; os.kill(os.getpid(), 9)", 6),
        ("raise ValueError", "exit(0)", 6),
        ("exit(6)", "exit(10)", 6),
    ],
    ids=[
        "gone",
        "present",
        "untried",
        "a check that crashes",
        "a check that is killed",
        "a table that is not written",
        "a sync that cannot run",
    ],
)
def test_only_a_check_that_says_so_accuses(write: str, check: str, status: int, tmp_path: Path) -> None:
    shutil.copy(KIT_FOLDER / "reproduce.sh", tmp_path)
    (tmp_path / "XTF-000").mkdir()
    (tmp_path / "XTF-000" / "write.py").write_text(write)
    (tmp_path / "XTF-000" / "check.py").write_text(check)
    done = subprocess.run(["sh", tmp_path / "reproduce.sh", "XTF-000"], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr


def test_an_unknown_finding_ends_with_6(tmp_path: Path) -> None:
    shutil.copy(KIT_FOLDER / "reproduce.sh", tmp_path)
    done = subprocess.run(["sh", tmp_path / "reproduce.sh", "XTF-999"], capture_output=True, check=False)
    assert done.returncode == 6


SAYS_ALL = '#!/bin/sh\necho "$@"\n'
SAYS = '#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" = -cp ] && echo "class path $2"; shift; done\n'
"""A Java that prints the class path it is started with."""


@pytest.fixture
def java(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "java"
    program.write_text(SAYS)
    program.chmod(0o755)
    return tmp_path


def synced(java: Path, *target: str, **given: str) -> tuple[int, str]:
    environment = {"PATH": os.environ["PATH"], "JAVA_HOME": str(java)} | given
    command = ["sh", str(KIT_FOLDER / "sync.sh"), "HUDI", "file:///t", "t", "", *target]
    done = subprocess.run(command, cwd=java, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip()


def test_a_sync_without_xtable_ends_with_6(java: Path) -> None:
    assert synced(java) == (6, "set XTABLE_JAR or XTABLE_CLASSPATH")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"XTABLE_CLASSPATH": "release"}, "release"),
        ({"XTABLE_JAR": "jar", "XTABLE_CLASSPATH": "release"}, "jar"),
        ({"XTABLE_JAR": "jar", "XTABLE_FROM_CLASSPATH": "before"}, "before"),
        ({"XTABLE_CLASSPATH": "release", "XTABLE_FROM_CLASSPATH": "before"}, "before"),
    ],
    ids=["a release", "a jar", "the release before a jar", "the release before a release"],
)
def test_the_first_sync_is_by(given: dict[str, str], path: str, java: Path) -> None:
    assert synced(java, **given) == (0, f"class path {path}")


def test_the_second_sync_of_an_upgrade_is_by_the_jar(java: Path) -> None:
    (java / "syncs.json").touch()
    assert synced(java, XTABLE_JAR="jar", XTABLE_FROM_CLASSPATH="before") == (0, "class path jar")


KERNEL = ("DELTA", "xtable.delta.target.use_kernel=true")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (("ICEBERG",), "RunSync --datasetConfig config.yaml"),
        (("DELTA",), "RunSync --datasetConfig config.yaml"),
        (KERNEL, f"Sync.java HUDI file:///t t  {' '.join(KERNEL)}"),
    ],
    ids=["Iceberg, its command line", "Delta by Standalone, its command line", "Delta by Kernel, Sync.java"],
)
def test_a_jar_is_driven_to(target: tuple[str, ...], words: str, java: Path) -> None:
    (java / "bin" / "java").write_text(SAYS_ALL)
    status, told = synced(java, *target, XTABLE_JAR="jar")
    assert status == 0
    assert told.endswith(words), told


@pytest.mark.parametrize(
    ("fault", "script"),
    [({}, "check.py"), ({"target": "DELTA"}, "check_delta.py")],
    ids=["Iceberg", "Delta"],
)
def test_a_finding_of_xtable_is_checked_by_the_script_of_its_target(
    fault: dict[str, str], script: str, tmp_path: Path
) -> None:
    shutil.copy(KIT_FOLDER / "reproduce.sh", tmp_path)
    (tmp_path / "XTF-000").mkdir()
    (tmp_path / "XTF-000" / "config.yaml").touch()
    (tmp_path / "XTF-000" / "fault.json").write_text(json.dumps({"id": "XTF-000"} | fault, indent=1))
    (tmp_path / script).write_text("exit(10)")
    done = subprocess.run(["sh", tmp_path / "reproduce.sh", "XTF-000"], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr


def test_an_upgrade_without_the_first_release_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XTABLE_FROM_CLASSPATH", raising=False)
    (tmp_path / "fault.json").write_text('{"id": "XTF-000", "of_upgrades": true}')
    table = module("history.py")["Table"]
    with pytest.raises(SystemExit) as ended:
        table("t")
    assert ended.value.code == 6
    assert "COULD NOT RUN: XTF-000 is about upgrades in place" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("log", "status"),
    [
        ("Error: Could not find or load main class org.apache.xtable.utilities.RunSync", True),
        ("Sync.java:9: error: package org.apache.xtable does not exist\nerror: compilation failed", True),
        ("java.lang.IllegalStateException: Recursive update\n\tat x.y", False),
        ("", False),
    ],
    ids=["another jar", "another class path", "a sync that fails", "a sync that comes through"],
)
def test_a_java_without_xtable_is_no_sync_that_fails(log: str, status: bool, tmp_path: Path) -> None:
    (tmp_path / "sync.log").write_text(log)
    never_began = module("synced.py")["never_began"]
    assert never_began(tmp_path / "sync.log") is status
