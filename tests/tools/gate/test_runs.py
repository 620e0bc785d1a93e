"""The gate from end to end: three runs in child processes, their reports, the page, the exit status."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lab.provision.progress import NAME
from lab.stack.cache import Cache
from lab.stack.project import ROOT
from tests.tools.gate.conftest import MakeJar, Stub
from tests.wait_until import wait_until
from tests.xtable_audit.report.runs import claim, document
from tools.gate.__main__ import PYTEST, main, timed
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import SCHEMA_VERSION

OLD, NEW = "0.3.0-incubating", "0.4.0-incubating"
ALL = "--readers=pyiceberg,duckdb,clickhouse,polars,daft,spark"
HELD, FOUND = claim(), claim("finding")


def runs(before: Any, after: Any, in_place: Any) -> tuple[Any, Any, Any]:
    return document(before, release=OLD), document(after), document(in_place, upgrade_from=OLD)


def test_three_runs_get_the_same_options_but_for_their_release(stub: Stub, tmp_path: Path) -> None:
    stub.write(*runs(HELD, HELD, HELD))
    main([f"--gate-out={tmp_path}", OLD, "0.4.0", "--readers", "duckdb", "-k", "history and not x"], stub.command)
    further = ["--readers", "duckdb", "-k", "history and not x"]
    assert stub.requested_options == [
        ["from", f"--xtable={OLD}", "--translations=recorded", *further],
        ["to", f"--xtable={NEW}", *further],
        ["in place", f"--xtable={NEW}", f"--upgrade-from={OLD}", *further],
    ]


def test_what_is_left_of_a_run_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr("tools.gate.__main__.Console", partial(Console, file=shown, force_terminal=True))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / NAME).write_text("3 of 9 claims · about 4 min left")
    with timed("from", OLD, tmp_path):
        wait_until(lambda: f"from      {OLD} · 3 of 9 claims · about 4 min left" in shown.getvalue(), "the line")


def test_a_jar_is_audited_in_place_of_a_release(stub: Stub, tmp_path: Path, bundle: MakeJar) -> None:
    stub.write(*runs(HELD, HELD, HELD))
    jar = bundle("0.5.0-SNAPSHOT")
    main([f"--gate-out={tmp_path}", NEW, str(jar)], stub.command)
    assert [row[1:] for row in stub.requested_options] == [
        [f"--xtable={NEW}", "--translations=recorded", "--incremental-only", ALL],
        [f"--xtable-jar={jar}", ALL],
        [f"--xtable-jar={jar}", f"--upgrade-from={NEW}", ALL],
    ]


@pytest.mark.parametrize("place", ["before FROM", "in ARGS"])
def test_from_live_syncs_from_too(place: str, stub: Stub, tmp_path: Path) -> None:
    stub.write(*runs(HELD, HELD, HELD))
    before, after = (["--from-live"], []) if place == "before FROM" else ([], ["--from-live", "-k", "x"])
    main([f"--gate-out={tmp_path}", *before, OLD, NEW, *after], stub.command)
    assert [row[1:-1] for row in stub.requested_options] == [
        [f"--xtable={OLD}", *after[1:]],
        [f"--xtable={NEW}", *after[1:]],
        [f"--xtable={NEW}", f"--upgrade-from={OLD}", *after[1:]],
    ]


def test_the_page_says_what_of_from_is_recorded(stub: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, in_place = runs(HELD, HELD, HELD)
    days = {"a": "2026-11-24", "b": "2026-11-24", "c": None}
    stub.write(replace(before, translation_recorded_on=days), after, in_place)
    assert main([f"--gate-out={tmp_path}", OLD, NEW], stub.command) == 0
    words = "XTable's translations: 2 tables recorded on 2026-11-24, 1 synced."
    assert words in " ".join(capsys.readouterr().out.split())
    [folder] = tmp_path.glob("gate-*")
    assert all(words in (folder / name).read_text().replace("&#39;", "'") for name in ("gate.md", "gate.html"))
    assert words in " ".join(json.loads((folder / "gate.json").read_text())["notes"])


def test_spark_is_asked_by_itself_where_it_can_start(stub: Stub, tmp_path: Path) -> None:
    stub.write(*runs(HELD, HELD, HELD))
    main([f"--gate-out={tmp_path}", OLD, NEW], stub.command)
    assert [row[-1] for row in stub.requested_options] == [ALL] * 3


def test_a_gate_says_why_spark_is_not_asked(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def find_spark(cache: Cache) -> None:
        raise Problem("Java 17 is not installed and cannot be downloaded.")

    monkeypatch.setattr("tools.gate.__main__.find_spark", find_spark)
    stub.write(*runs(HELD, HELD, HELD))
    assert main([f"--gate-out={tmp_path}", OLD, NEW], stub.command) == 0
    assert [row[-1] for row in stub.requested_options] == ["--readers=pyiceberg,duckdb,clickhouse,polars,daft"] * 3
    assert "Spark is not asked: Java 17 is not installed and cannot be downloaded." in capsys.readouterr().out
    [kept] = tmp_path.glob("gate-*/gate.json")
    assert json.loads(kept.read_text())["rests_on"]["not_asked"] == [
        "Spark is not asked: Java 17 is not installed and cannot be downloaded."
    ]


STATUSES = {
    "nothing new": (runs(FOUND, HELD, FOUND), 0),
    "a new finding": (runs(HELD, FOUND, FOUND), 1),
    "something that could not run": (runs(HELD, claim("inconclusive"), HELD), 6),
    "no third run": ((*runs(HELD, HELD, HELD)[:2], "ERROR: the store cannot be reached."), 6),
    "no first run": (("ERROR: no such table.", *runs(HELD, FOUND, HELD)[1:]), 6),
}


@pytest.mark.parametrize(("documents", "status"), STATUSES.values(), ids=STATUSES.keys())
def test_exit_status(stub: Stub, tmp_path: Path, documents: tuple[Any, Any, Any], status: int) -> None:
    stub.write(*documents)
    assert main([f"--gate-out={tmp_path}", OLD, NEW], stub.command) == status


@pytest.mark.parametrize(
    "name", ["gate.json", "gate.md", "summary.md", "gate.html", "from/latest/audit.json", "in-place/run.log"]
)
def test_everything_is_kept(stub: Stub, tmp_path: Path, name: str) -> None:
    stub.write(*runs(HELD, HELD, HELD))
    main([f"--gate-out={tmp_path}", OLD, NEW], stub.command)
    [folder] = tmp_path.glob("gate-*")
    assert (folder / name).is_file()


def test_a_run_that_wrote_nothing_is_reported_in_its_own_sentence(
    stub: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.write(*runs(HELD, HELD, HELD)[:2], "ERROR: the store cannot be reached.")
    main([f"--gate-out={tmp_path}", OLD, NEW], stub.command)
    printed = " ".join(capsys.readouterr().out.split())
    assert "the store cannot be reached (exit 4, in-place/run.log)" in printed


def test_run_whose_report_is_damaged_leaves_no_answer(
    stub: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.write(*runs(HELD, HELD, HELD)[:2], {"document": '{"schema_version": 6}'})
    assert main([f"--gate-out={tmp_path}", OLD, NEW], stub.command) == 6
    assert f"has schema_version 6, not {SCHEMA_VERSION}" in " ".join(capsys.readouterr().out.split())


def test_nothing_more_is_run_once_there_can_be_no_answer(stub: Stub, tmp_path: Path) -> None:
    stub.write("ERROR: no such table.", *runs(HELD, HELD, HELD)[1:])
    main([f"--gate-out={tmp_path}", OLD, NEW], stub.command)
    assert [row[0] for row in stub.requested_options] == ["from"]


def test_a_recorded_audit_answers_no_gate(tmp_path: Path) -> None:
    """The real audit, on recordings, behind the gate's back."""
    command = (*PYTEST, "--recorded", "--readers=none")
    assert main([f"--gate-out={tmp_path}", OLD, NEW, "-k", "good_layout-xtable and contain"], command) == 6
    [document] = tmp_path.glob("gate-*/gate.json")
    assert "a recorded run never answers a gate" in json.loads(document.read_text())["sentence"]


SLOW = """
import os, pathlib, time
pathlib.Path({pid!r}).write_text(str(os.getpid()))
time.sleep(60)
"""
GATE = """
import sys
from pathlib import Path
from tools.gate.__main__ import run_audit
run_audit("to", "x", [], Path({out!r}), upgrade_from=None, command=[sys.executable, {slow!r}])
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_an_audit_dies_with_its_gate(tmp_path: Path) -> None:
    """Even after kill -9 of the gate."""
    slow = tmp_path / "slow.py"
    slow.write_text(SLOW.format(pid=str(tmp_path / "pid")))
    script = GATE.format(out=str(tmp_path), slow=str(slow))
    gate = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "", "it runs")
    gate.send_signal(signal.SIGKILL)
    gate.wait()
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not _lives(pid), "it is gone")


def _lives(pid: int) -> bool:
    try:
        return b"slow.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_gate_of_delta_says_so_and_asks_readers_of_delta(
    stub: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.write(*runs(FOUND, HELD, FOUND))
    assert main([f"--gate-out={tmp_path}", OLD, NEW, "--target=delta"], stub.command) == 0
    by, readers = "--delta-target-by=standalone", "--readers=deltalake,polars_delta,duckdb_delta,spark_delta"
    assert [row[-3:] for row in stub.requested_options] == [["--target=delta", by, readers]] * 3
    [folder] = tmp_path.glob("gate-*")
    assert json.loads((folder / "gate.json").read_text())["target"] == "delta"
    pages = [capsys.readouterr().out, *((folder / name).read_text() for name in ("gate.md", "gate.html"))]
    assert all("0.4.0-incubating, to Delta" in one and "must the Delta log be dropped" in one for one in pages)
    assert all("drop the delta log first" in " ".join(one.lower().split()) for one in pages)
    assert all("is synced live" in one and "Iceberg metadata" not in one for one in pages)


@pytest.mark.parametrize(
    ("before", "after", "change"), [("held", "finding", "new"), ("finding", "held", "fixed")], ids=["new", "fixed"]
)
def test_tables_of_standalone_are_compared_with_those_of_kernel(
    before: str, after: str, change: str, stub: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    standalone, kernel = (f"types_nan-delta_by_{by}" for by in ("standalone", "kernel"))
    stub.write(
        document(claim(before, standalone)),
        document(claim(after, kernel)),
        document(claim(after, kernel), upgrade_from=NEW),
    )
    by = "--delta-target-by=kernel-after-standalone"
    main([f"--gate-out={tmp_path}", NEW, NEW, "--target=delta", by, "--readers=none"], stub.command)
    [file] = tmp_path.glob("gate-*/gate.json")
    [difference] = json.loads(file.read_text())["differences"]
    assert (difference["change"], difference["table"]) == (change, kernel)
    assert f"XTable {NEW} by Delta Standalone -> {NEW} by Delta Kernel, to Delta" in capsys.readouterr().out
