"""However a check ends, its status says what happened, and nothing of it stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from pathlib import Path
from random import Random

import pytest

from lab.stack.project import ROOT
from tests.tables.lake import Lake, orders
from xtable_audit.cli.main import run as run_command
from xtable_audit.report.document import Document

GUARDED = "import os, sys, time; from xtable_audit.cli import guard; guard.GRACE = 0.3\n"
CHECK = (
    "import sys, time; from xtable_audit.cli.main import main; import xtable_audit.scan as local\n"
    "{before}\n"
    "sys.argv = ['xtable-audit', 'check', {table!r}, '--no-cache', '--out', {out!r}]; main()"
)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """No check writes to it."""
    lake = Lake.at(tmp_path_factory.mktemp("lake"))
    lake.table("orders", *(orders(number) for number in range(3)))
    lake.catalog.close()
    return str(lake.root("orders"))


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """The folder for temporary files of what a test starts."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(temporary: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def python(environment: dict[str, str], tmp_path: Path) -> Run:
    def run(script: str, **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script]
        return subprocess.run(
            command, cwd=tmp_path, env=environment | more, capture_output=True, text=True, timeout=120, check=False
        )

    return run


@pytest.fixture
def shell(environment: dict[str, str], tmp_path: Path, healthy: str) -> Run:
    """Runs the check of a healthy table, with more of the shell after it."""

    def run(after: str, before: str = "") -> subprocess.CompletedProcess[str]:
        line = f"set -o pipefail; {before} {sys.executable} -m xtable_audit check {healthy} {after}"
        command = ["bash", "-c", line]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, errors="replace", timeout=120, check=False
        )

    return run


# a failure of the judge itself


def test_a_crash_has_a_status_of_its_own_and_one_sentence(python: Run, temporary: Path) -> None:
    ran = python(GUARDED + "sys.exit(guard.guarded(lambda: {}['no such key']))")
    [trace] = temporary.glob("xtable-audit-failed-*.txt")
    assert (ran.returncode, ran.stderr.count("\n"), ran.stdout) == (3, 1, "")
    assert ran.stderr.startswith("xtable-audit itself failed: KeyError: 'no such key'. Please report it, with ")
    assert (str(trace) in ran.stderr, "no such key" in trace.read_text()) == (True, True)


def test_a_crash_without_a_place_for_its_trace_shows_it(python: Run) -> None:
    script = GUARDED + "guard._temporary = lambda: ''\ndef fail(): guard._of_system = '/nowhere'; 1 / 0\n"
    ran = python(script + "sys.exit(guard.guarded(fail))")
    assert (ran.returncode, "ZeroDivisionError" in ran.stderr, "Traceback" in ran.stderr) == (3, True, True)


@pytest.mark.parametrize(
    "ended",
    ["guard._die_with = interrupt\nsys.exit(guard.guarded(lambda: 0))", "sys.exit(guard.guarded(interrupt))"],
    ids=["as the child begins", "as the command begins"],
)
def test_ctrl_c_before_a_command_can_catch_it_is_no_crash(python: Run, temporary: Path, ended: str) -> None:
    ran = python(GUARDED + f"def interrupt(*_): raise KeyboardInterrupt\n{ended}")
    assert (ran.returncode, ran.stderr, [*temporary.glob("*failed*")]) == (2, "", [])


# where the answer goes


@pytest.mark.parametrize("after", ["| head -n 1", "--json | head -c 10", ">&-", "2>&- >&-"], ids=str)
def test_a_pipe_that_nobody_reads_changes_no_status(shell: Run, after: str) -> None:
    ran = shell(after)
    assert (ran.returncode, "Traceback" in ran.stderr, "failed" in ran.stderr) == (0, False, False), ran.stderr


def test_a_full_disk_for_the_answer_is_one_sentence(shell: Run) -> None:
    ran = shell("> /dev/full")
    assert (ran.returncode, "the answer cannot be written: No space left on device" in ran.stderr) == (0, True)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_characters_that_an_encoding_lacks_are_escaped(shell: Run, encoding: str) -> None:
    ran = shell("", f"PYTHONIOENCODING={encoding}")
    assert (ran.returncode, "NOTHING FOUND" in ran.stdout) == (0, True), ran.stderr


def test_a_path_that_is_no_utf8_is_one_sentence(environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable.encode(), b"-m", b"xtable_audit", b"check", b"/tmp/\xff"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False)
    assert (ran.returncode, b"LOCATION is no UTF-8" in ran.stderr) == (4, True), ran.stderr


# time and memory


def test_a_library_that_hangs_is_ended_with_what_was_judged(python: Run) -> None:
    said = "guard.tell(until=time.monotonic(), status=1, report='out/x/audit.json'); time.sleep(60)"
    ran = python(GUARDED + f"def hang(): {said}\nsys.exit(guard.guarded(hang))")
    assert (ran.returncode, "--max-time raises it" in ran.stderr) == (1, True), ran.stderr
    assert "What was judged until then: out/x/audit.json" in ran.stderr


def test_what_was_judged_before_a_store_goes_away_is_named(python: Run) -> None:
    ran = python(
        GUARDED + "def gone(): guard.tell(status=1, report='out/x/audit.json'); return 6\nsys.exit(guard.guarded(gone))"
    )
    assert (ran.returncode, ran.stderr) == (1, "What was judged until then: out/x/audit.json\n")


def test_a_child_in_time_is_not_ended(python: Run) -> None:
    ran = python(
        GUARDED + "def work(): guard.tell(until=time.monotonic() + 9); return 0\nsys.exit(guard.guarded(work))"
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("option", "words"),
    [("--max-time 0.00001", "the check may take no longer"), ("--max-memory 30MB", "take no more memory")],
    ids=["time", "memory"],
)
def test_a_budget_that_reading_the_metadata_exceeds_is_inconclusive(shell: Run, option: str, words: str) -> None:
    ran = shell(option)
    assert (ran.returncode, words in ran.stderr or "died of signal SIGABRT" in ran.stderr) == (6, True), ran.stderr


def test_without_a_folder_for_temporary_files_nothing_is_judged(
    healthy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a read-only container without /tmp."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", list)
    assert run_command(["check", healthy, "--yes", "--out", str(tmp_path / "out")]) == 6
    assert "No usable temporary directory" in capsys.readouterr().err


# what ends it


def test_an_interrupt_shows_what_was_read(environment: dict[str, str], tmp_path: Path, healthy: str) -> None:
    ended(environment, tmp_path, healthy, signal.SIGINT)


def test_sigterm_shows_what_was_read(environment: dict[str, str], tmp_path: Path, healthy: str) -> None:
    ended(environment, tmp_path, healthy, signal.SIGTERM)


def ended(environment: dict[str, str], folder: Path, table: str, number: int) -> None:
    """Sends the signal while values are read: the second batch of files takes a minute."""
    before = (
        "local.TOGETHER = local.ROUNDS = 1; measure, seen = local.LocalScanner.measure, []\n"
        "def slow(*of):\n    seen.append(1)\n    print('measured', file=sys.stderr, flush=True)\n"
        "    [time.sleep(0.05) for _ in range(1200 if len(seen) > 1 else 0)]\n    return measure(*of)\n"
        "local.LocalScanner.measure = slow"
    )
    script = CHECK.format(before=before, table=table, out=str(folder / "out"))
    with subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as ran:
        assert ran.stderr is not None
        seen = 0
        for line in ran.stderr:
            seen += line == "measured\n"
            if seen == 2:
                break
        for child in children(ran.pid) if number == signal.SIGINT else [ran.pid]:  # a terminal asks each
            os.kill(child, number)
        told, _ = ran.communicate(timeout=60)
    assert (ran.returncode, told.splitlines()[-1].split()[-2:]) == (2, ["cut", "short"]), told
    [report] = (folder / "out").glob("*/audit.json")
    assert '"complete": false' in report.read_text()


def test_no_child_outlives_a_check_that_is_killed(environment: dict[str, str], temporary: Path) -> None:
    script = GUARDED + "print('on', flush=True); sys.exit(guard.guarded(lambda: time.sleep(60)))"
    with subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True) as ran:
        child = next(one for one in until(lambda: children(ran.pid)))
        ran.kill()
        ran.wait()
        assert next(iter(until(lambda: [not lives(child)]))), "the child goes on"
    left = [folder for folder in temporary.iterdir() if folder.name.startswith("xtable-audit-")]
    assert left != [], "the next run has something to sweep"
    swept = subprocess.run(
        [sys.executable, "-c", GUARDED + "sys.exit(guard.guarded(lambda: 0))"], env=environment, check=False
    )
    assert (swept.returncode, [*temporary.iterdir()]) == (0, [])


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def lives(pid: int) -> bool:
    with suppress(OSError):
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    return False


def until(found: Callable[[], list[int]] | Callable[[], list[bool]], seconds: float = 10) -> Iterator[int]:
    """What is found, as soon as it is something that is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (seen := found()) and all(seen):
            yield from seen
            return
        time.sleep(0.02)


# at drawn moments


DRAW = Random(28)
MOMENTS = sorted(round(DRAW.uniform(0.1, 2.0), 3) for _ in range(6))
"""Seconds from its start."""


def check_of(table: str, folder: Path) -> list[str]:
    return [sys.executable, "-m", "xtable_audit", "check", table, "--out", str(folder / "out")]


def passes(table: str, folder: Path) -> bool:
    """In this process: with the cache that the check before has left, and into the same folder."""
    with chdir(folder):
        return run_command(["check", table, "--out", str(folder / "out")]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS, ids="{}_s".format)
def test_ctrl_c_at_any_moment_accuses_no_table(
    environment: dict[str, str], tmp_path: Path, healthy: str, moment: float
) -> None:
    """It is interrupted, or it has ended before; and another check of the table passes."""
    command = check_of(healthy, tmp_path)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, text=True, stdout=pipe, stderr=pipe, process_group=0
    ) as ran:
        time.sleep(moment)
        os.killpg(ran.pid, signal.SIGINT)
        told, errors = ran.communicate(timeout=60)
    interrupted = (2, 130, -signal.SIGINT)  # before the command begins, by Python itself
    assert ran.returncode in (0, *interrupted), errors
    assert "DO NOT TRUST" not in told
    assert [*tmp_path.rglob("*.part")] == []
    assert passes(healthy, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS, ids="{}_s".format)
def test_a_check_that_is_killed_at_any_moment_leaves_no_child_and_nothing_half(
    environment: dict[str, str], tmp_path: Path, healthy: str, moment: float
) -> None:
    command = check_of(healthy, tmp_path)
    null = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=null, stderr=null) as ran:
        time.sleep(moment)
        started = children(ran.pid) if lives(ran.pid) else []
        ran.kill()
    assert [*until(lambda: [not lives(child) for child in started] or [True])] != [], "a child goes on"
    for report in (tmp_path / "out").glob("*/audit.json"):
        Document.load(report)
    assert passes(healthy, tmp_path)


def test_a_process_that_a_check_leaves_behind_keeps_nobody_waiting(python: Run) -> None:
    """It has the pipe by which the check tells of its end."""
    script = (
        "def leave():\n    if os.fork() == 0: os.close(1); os.close(2); time.sleep(20); os._exit(0)\n    return 0\n"
    )
    began = time.monotonic()
    ran = python(GUARDED + script + "sys.exit(guard.guarded(leave))")
    assert (ran.returncode, time.monotonic() - began < 15) == (0, True)


def test_a_crash_shows_no_control_character_and_no_secret(python: Run, temporary: Path) -> None:
    script = "def fail(): raise ValueError('\\x1b[31m https://user:word@host/ secret_access_key=abc')\n"
    ran = python(GUARDED + script + "sys.exit(guard.guarded(fail))")
    [trace] = temporary.glob("xtable-audit-failed-*.txt")
    for told in (ran.stderr, trace.read_text()):
        assert ("\x1b" in told, "user:word" in told, "=abc" in told) == (False, False, False)
