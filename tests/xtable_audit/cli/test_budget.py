"""Past its time or its memory a check tells what was judged so far."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tables.lake import Lake, data_files, orders
from tests.xtable_audit.cli.conftest import Command, outcomes
from xtable_audit.check import options
from xtable_audit.check.options import Budget
from xtable_audit.claims import CLAIMS, bounds, counts
from xtable_audit.cli.report_folder import Reports
from xtable_audit.model.finding import Blame
from xtable_audit.model.limits import OutOfTime, interruption, of_machine
from xtable_audit.model.outcome import Outcome
from xtable_audit.scan import LocalScanner

CLAIM = bounds.bounds_contain_values.id


def failing(monkeypatch: pytest.MonkeyPatch, error: type[BaseException]) -> None:
    """The claim about bounds takes more than there is."""

    def too_much(_: object) -> Any:
        raise error

    monkeypatch.setitem(CLAIMS, CLAIM, replace(bounds.bounds_contain_values, check=too_much))


def test_a_part_that_takes_too_long_is_ended() -> None:
    with pytest.raises(OutOfTime), Budget().within(0.05):
        time.sleep(10)


def test_a_part_in_time_is_not_ended() -> None:
    with Budget().within(0.2):
        pass
    time.sleep(0.25)


def test_who_waits_is_told_when_it_must_have_ended() -> None:
    told: list[float] = []
    with Budget(9, tell=told.append).within():
        assert time.monotonic() + 8 < told[0] < time.monotonic() + 10


def test_memory_is_half_of_the_machines_and_eight_gibibytes_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine, most in ((4 << 30, 2 << 30), (64 << 30, 8 << 30), (None, 8 << 30)):
        monkeypatch.setattr(options, "memory_of_machine", lambda known=machine: known)
        assert Budget().most_memory == most
    assert Budget(memory=7).most_memory == 7


def test_values_may_take_ten_times_what_was_agreed() -> None:
    assert (Budget(60).for_values(1), Budget(60).for_values(100)) == (60, 1000)


@pytest.mark.parametrize("error", [OutOfTime, MemoryError], ids=["time", "memory"])
def test_what_was_judged_before_stands_and_the_check_is_inconclusive(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    lake.table("orders", orders())
    failing(monkeypatch, error)
    ran = command("check", lake.root("orders"), "--json")
    told = outcomes(ran)
    assert (ran.status, told[CLAIM], told["manifest_counts_are_exact"]) == (6, Outcome.INCONCLUSIVE, Outcome.HELD)


def test_past_its_time_no_later_claim_is_judged_and_past_its_memory_others_are(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.table("orders", orders())
    later = counts.record_counts_are_exact.id
    for error, outcome in ((OutOfTime, Outcome.INCONCLUSIVE), (MemoryError, Outcome.HELD)):
        failing(monkeypatch, error)
        assert outcomes(command("check", lake.root("orders"), "--json"))[later] is outcome


def test_a_finding_that_stands_already_fails_the_check(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_files(lake.table("orders", orders(0), orders(1)))[0].unlink()
    failing(monkeypatch, MemoryError)
    ran = command("check", lake.root("orders"), "--json")
    assert (ran.status, outcomes(ran)[CLAIM]) == (1, Outcome.INCONCLUSIVE)


def test_values_past_their_time_are_judged_as_far_as_they_are_read(
    lake: Lake, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.table("orders", orders(0), orders(1))
    measure: Callable[..., Any] = LocalScanner.measure
    asked: list[object] = []

    def second_late(*of: Any) -> Any:
        asked.append(of)
        if len(asked) == 2:
            raise OutOfTime
        return measure(*of)

    monkeypatch.setattr("xtable_audit.scan.TOGETHER", 1)
    monkeypatch.setattr("xtable_audit.scan.ROUNDS", 0)
    monkeypatch.setattr(LocalScanner, "measure", second_late)
    ran = command("check", lake.root("orders"), "--no-cache")
    assert (ran.status, "not read: 1 file: the check may take no longer" in ran.out) == (6, True), ran.out


def test_an_interrupt_behind_an_error_is_found_and_no_other() -> None:
    error = ValueError("x")
    error.__cause__ = SystemError("y")
    assert (interruption(error), of_machine(error)) == (None, None)
    error.__cause__.__cause__ = KeyboardInterrupt()
    assert isinstance(interruption(error), KeyboardInterrupt)
    error.__cause__.__cause__ = OSError(28, "No space left on device")
    assert isinstance(of_machine(error), OSError)


# reports


def test_two_checks_in_one_second_have_a_folder_each(lake: Lake, command: Command, tmp_path: Path) -> None:
    lake.table("orders", orders())
    document = command("check", lake.root("orders"), "--json").document
    first, second = (Reports(tmp_path / "out", None).write(document, Budget()) for _ in range(2))
    assert first != second
    assert {Path(one).exists() for one in (first, second)} == {True}


def test_a_full_disk_leaves_no_part_of_a_report(
    lake: Lake, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.table("orders", orders())
    document = command("check", lake.root("orders"), "--json").document

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    said: list[str] = []

    class Errors:
        def print(self, line: str, **_: object) -> None:
            said.append(line)

    monkeypatch.setattr(Path, "replace", full)
    assert Reports(tmp_path / "full", Errors()).write(document, Budget()) == ""
    assert ([*(tmp_path / "full").rglob("*.json"), *(tmp_path / "full").rglob("*.part")], len(said)) == ([], 1)


def test_a_writers_name_is_printable_and_short() -> None:
    blame = Blame.writer("evil\n\x1b[31m" + "x" * 5000)
    assert ("\n" in blame, "\x1b" in blame, len(blame) < 300) == (False, False, True)


def test_an_alarm_of_who_calls_rings_all_the_same() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    others, _ = signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with Budget().within(5):
            time.sleep(0.2)
        time.sleep(0.1)
        assert rung == [signal.SIGALRM]
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, others)
