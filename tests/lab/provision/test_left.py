"""What is left of a run, and about how long it takes, by what it took so far."""

from __future__ import annotations

import io
import os
import pty
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, product
from pathlib import Path

import pytest
from rich.console import Console

from lab.provision.progress import NAME, Progress, left_of
from lab.provision.time_left import Left
from tests.wait_until import wait_until
from tests.whole_runs.run import Audit, Start, alone

CLAIMS, TABLES = ("a.py::test_bounds", "a.py::test_counts"), [f"types_{number}-xtable" for number in range(10)]
TESTS = [f"{claim}[{table}]" for table, claim in product(TABLES, CLAIMS)]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def left(clock: Clock) -> Left:
    left = Left(clock=clock)
    left.select(TESTS)
    return left


def run(left: Left, clock: Clock, tests: list[str], first: float, other: float) -> None:
    """One process: each table's first test waits `first` seconds, and the call of any other takes `other`."""
    for test in tests:
        seconds = first if test.startswith(CLAIMS[0]) else other
        clock.now += seconds
        for when, took in (("setup", seconds), ("call", 0.0), ("teardown", 0.0)):
            left.take(test, when, took)


def test_nothing_is_said_before_tests_are_known() -> None:
    assert Left().words() == ""


def test_at_first_it_counts_and_does_not_guess(left: Left, clock: Clock) -> None:
    clock.now = 60
    assert left.words() == "0 of 20 claims"


def test_it_is_estimated_by_what_tables_and_claims_took(left: Left, clock: Clock) -> None:
    """Four tables and eight tests in four times 61 s: six more tables take six times that."""
    run(left, clock, TESTS[:8], first=60, other=1)
    assert left.words() == "8 of 20 claims · about 6 min left"


def test_tables_first_and_then_the_other_claims_is_estimated_alike(left: Left, clock: Clock) -> None:
    """As one process runs them: claim by claim, each over all tables."""
    by_claim = [f"{claim}[{table}]" for claim, table in product(CLAIMS, TABLES)]
    run(left, clock, by_claim[:5], first=60, other=1)
    assert left.words() == "5 of 20 claims · about 5 min left"
    run(left, clock, by_claim[5:12], first=60, other=1)
    assert left.words() == "12 of 20 claims · soon done"


def test_what_a_process_does_before_its_first_test_is_no_measure_of_a_table(left: Left, clock: Clock) -> None:
    left.take(TESTS[0], "setup", 600)
    clock.now = 600
    run(left, clock, TESTS[2:8], first=60, other=1)
    assert left.words() == "6 of 20 claims · about 6 min left"


def test_tables_that_are_not_made_are_the_least_that_is_left(left: Left, clock: Clock) -> None:
    clock.now, left.made = 120, lambda: (4, 10)
    assert left.words() == "0 of 20 claims · 4 of 10 tables made · at least 3 min left"


def test_two_workers_collect_the_same_tests(left: Left) -> None:
    left.select(TESTS)
    assert left.words() == "0 of 20 claims"


def test_all_are_done(left: Left, clock: Clock) -> None:
    run(left, clock, TESTS, first=60, other=1)
    assert left.words() == "20 of 20 claims · soon done"


@pytest.fixture
def printed() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def progress(printed: io.StringIO) -> Iterator[Progress]:
    ended = count()
    progress = Progress(Console(file=printed), every=0.05, left=lambda: f"{next(ended)} of 99 claims")
    yield progress
    progress.end()


def test_without_a_terminal_a_line_comes_at_times(progress: Progress, printed: io.StringIO) -> None:
    with progress.step("XTable", "good_layout: 0.4.0"):
        progress.begin()
        wait_until(lambda: printed.getvalue().count("\n") >= 2, "two lines")
    assert printed.getvalue().splitlines()[0] == " 0 of 99 claims · XTable good_layout: 0.4.0"


def test_the_same_line_comes_once(printed: io.StringIO) -> None:
    asked: list[int] = []
    progress = Progress(Console(file=printed), every=0.01, left=lambda: asked.append(1) or "3 of 9 claims")  # type: ignore[func-returns-value]
    progress.begin()
    wait_until(lambda: len(asked) > 9, "some turns")
    progress.end()
    assert printed.getvalue() == " 3 of 9 claims\n"


def test_no_line_comes_once_it_ended(progress: Progress, printed: io.StringIO) -> None:
    progress.begin()
    progress.end()
    before = printed.getvalue()
    time.sleep(0.2)
    assert printed.getvalue() == before


def test_quiet_prints_nothing_and_another_process_finds_it(printed: io.StringIO, tmp_path: Path) -> None:
    progress = Progress(Console(file=printed), quiet=True, every=0.05, left=lambda: "3 of 9 claims")
    progress.begin(tmp_path / "run")
    wait_until(lambda: left_of(tmp_path) == "3 of 9 claims", "the file")
    progress.end()
    assert (printed.getvalue(), left_of(tmp_path), list((tmp_path / "run").iterdir())) == ("", "", [])


def test_a_run_leaves_no_file_of_what_is_left(audit: Audit) -> None:
    ran = audit("suites/bounds", "-k", "good_layout-xtable and contain", "--readers=none")
    assert (ran.status, (ran.folder / NAME).exists()) == (0, False)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "shown"), [((), True), (("-q",), False), (("-n", "2"), True)], ids=str)
def test_on_a_terminal_one_line_says_what_is_left(
    warm: Start, options: tuple[str, ...], shown: bool, tmp_path: Path
) -> None:
    words = ["-k", "types_nan or good_layout", "--recorded", "--readers=none", f"--out={tmp_path}", *options]
    text = on_terminal(alone if "-n" in options else warm, ["-p", "no:cacheprovider", *words])
    assert bool(re.search(r"\d+ of \d{3} claims", text)) == shown
    assert "KNOWN DEFECTS, nothing new" in text


def on_terminal(start: Start, arguments: list[str]) -> str:
    """What pytest prints on a terminal, without colours and moves."""
    ours, theirs = pty.openpty()
    terminal = Path(os.ttyname(theirs))
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(lambda: b"".join(iter(lambda: _read(ours), b"")))
        status = start(arguments, os.environ | {"TERM": "xterm"}, terminal, terminal)
        os.close(theirs)
        text = reading.result()
    os.close(ours)
    assert status == 0, text.decode(errors="replace")
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode(errors="replace"))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody has it open any more
        return b""
