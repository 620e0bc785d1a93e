"""The search, with a trial that needs neither Spark nor XTable: what fails is found, and shrunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from lab.stack.versions import releases
from tools.hunt.__main__ import main, report
from tools.hunt.draw import KINDS, histories
from tools.hunt.search import History, Hunt
from xtable_audit.model.finding import Blame, Finding, Impact, Verdict

FOUND = Finding(
    "rows_are_there",
    "rows are there",
    Verdict.STALE,
    "hunted",
    "an old row",
    "none",
    Impact(1, 2, 1, 2),
    Blame.XTABLE,
    "",
)


def fails_on(*kinds: str) -> Any:
    """A release that gets all histories wrong which have these moves, in this order."""

    def trial(moves: History) -> Sequence[Finding]:
        left = iter(move.do for move in moves)
        return (FOUND,) if all(any(kind == one for one in left) for kind in kinds) else ()

    return trial


def hunted(*kinds: str, shrinks: int = 500) -> Hunt:
    hunt = Hunt(fails_on(*kinds), drawn=100, shrinks=shrinks)
    hunt.on(histories(KINDS))
    return hunt


@pytest.mark.parametrize("kinds", [("drop",), ("rollback",), ("drop", "upsert"), ("insert", "cluster")], ids="-".join)
def test_a_fault_is_shrunk_to_the_moves_it_takes(kinds: tuple[str, ...]) -> None:
    """A rollback needs a commit to roll back; all else is gone."""
    failing = hunted(*kinds).failing
    assert failing is not None
    assert len(failing) == len(kinds) + (kinds[0] == "rollback")


def test_a_shrunk_move_has_one_key() -> None:
    failing = hunted("overwrite").failing
    assert failing is not None
    assert len(failing[0].keys) == 1


def test_without_a_fault_there_is_none() -> None:
    hunt = hunted("no such move")
    assert (hunt.failing, len(hunt.tried) > 50) == (None, True)


def test_shrinking_keeps_to_its_budget() -> None:
    hunt = hunted("drop", "upsert", shrinks=5)
    first = next(place for place, found in enumerate(hunt.tried.values(), start=1) if found)
    assert len(hunt.tried) <= first + 5


def test_the_same_histories_are_drawn_every_time() -> None:
    assert list(hunted("cluster").tried) == list(hunted("cluster").tried)


def test_a_fault_is_reported_with_the_entry_that_keeps_it(capsys: pytest.CaptureFixture[str]) -> None:
    status = report(hunted("drop"), releases()[0])
    assert (status, "STALE           fails: rows are there" in (printed := capsys.readouterr().out)) == (1, True)
    assert "kept(Move(do='drop'" in printed


def test_a_hunt_without_a_fault_reports_the_number_of_histories(capsys: pytest.CaptureFixture[str]) -> None:
    status = report(hunted("no such move"), releases()[0])
    assert (status, "every claim holds on each of them" in capsys.readouterr().out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--xtable", "9.9.9"], "9.9.9"), (["--histories", "0"], "not a number of 1 or more"), (["--among", "x"], "x")],
    ids=["release", "number", "move"],
)
def test_bad_input_is_reported(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(arguments)
    except SystemExit as left:
        status = int(left.code or 0)
    assert status != 0
    assert words in capsys.readouterr().err
