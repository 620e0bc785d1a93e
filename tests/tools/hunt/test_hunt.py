"""The hunt: what is drawn can be made, and what fails is found and shrunk. It needs neither Spark nor XTable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from lab.stack.versions import releases
from spark_jobs.battery.drawn import HISTORIES
from spark_jobs.battery.moves import Move, in_words, played
from spark_jobs.battery.table import Service
from tools.hunt.__main__ import main, report
from tools.hunt.draw import KINDS, ONE_FILE_IN_EACH, SOUND, DrawnTable, History, Hunt, histories
from xtable_audit.model.finding import Blame, Finding, Impact, Verdict

drawn = settings(max_examples=50, suppress_health_check=list(HealthCheck))
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


def tables(moves: History) -> list[DrawnTable]:
    """The table before each move, and after the last."""
    found = [DrawnTable()]
    for move in moves:
        found.append(found[-1].after(move))
    return found


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


# What is drawn can be made: every move fits the table that the moves before it leave.


@drawn
@given(histories(KINDS))
def test_no_history_empties_a_file(moves: History) -> None:
    """That is a finding of its own (XTF-032)."""
    assert all(keys for table in tables(moves) for _, keys in table.files), in_words(moves)


@drawn
@given(histories(KINDS))
def test_no_key_is_in_two_files(moves: History) -> None:
    assert all(sum(len(keys) for _, keys in one.files) == len(one.keys) for one in tables(moves)), in_words(moves)


@drawn
@given(histories(KINDS))
def test_only_keys_that_are_there_are_deleted(moves: History) -> None:
    pairs = zip(moves, tables(moves), strict=False)
    assert all(set(move.keys) <= before.keys for move, before in pairs if move.do == "delete"), in_words(moves)


@drawn
@given(histories(KINDS))
def test_clustering_finds_files_to_merge(moves: History) -> None:
    """Hudi refuses to cluster where there is nothing to do."""
    pairs = zip(moves, tables(moves), strict=False)
    assert all(before.can_be_clustered for move, before in pairs if move.do == "cluster"), in_words(moves)


@drawn
@given(histories(SOUND))
def test_moves_of_known_findings_are_left_out(moves: History) -> None:
    assert {move.do for move in moves} <= set(SOUND)


@drawn
@given(histories(KINDS))
def test_the_last_move_is_followed_by_a_sync(moves: History) -> None:
    assert moves[-1].seen


ADDED = Move("insert", "a", ("a4",))

REWRITTEN = Move("upsert", "a", ("a1",))

UNSEEN = replace(REWRITTEN, seen=False)

SAVED = Move("savepoint")


@pytest.mark.parametrize(
    ("moves", "undo"),
    [
        ((ADDED,), {"rollback"}),
        ((REWRITTEN,), {"rollback_rewrite"}),
        ((UNSEEN,), {"rollback"}),
        ((SAVED,), set[str]()),
        ((SAVED, ADDED), {"rollback", "restore"}),
        ((SAVED, REWRITTEN), {"rollback_rewrite", "restore_rewrite"}),
        ((replace(SAVED, seen=False), UNSEEN), {"rollback", "restore"}),
        ((SAVED, REWRITTEN, ADDED), {"rollback", "restore_rewrite"}),
        ((SAVED, ADDED, Move("restore")), set[str]()),
        ((SAVED, ADDED, Move("rollback")), {"restore"}),
    ],
    ids=lambda value: in_words(value) if isinstance(value, tuple) else "",
)
def test_what_rewrote_files_that_a_sync_has_seen_is_undone_by_a_move_of_its_own(moves: History, undo: set[str]) -> None:
    """A sync follows a rollback but for the files that come back (XTF-061)."""
    assert {kind for kind in tables(moves)[-1].kinds(KINDS) if kind.startswith(("rollback", "restore"))} == undo


def test_a_restore_leaves_the_table_as_the_savepoint_is() -> None:
    assert tables((SAVED, ADDED, REWRITTEN, Move("restore_rewrite")))[-1].files == ONE_FILE_IN_EACH


def test_a_savepoint_and_its_restore_are_of_the_same_commit() -> None:
    steps = played("", "", (REWRITTEN, SAVED, ADDED, Move("restore"))).steps
    assert [step.action.of for step in steps if isinstance(step.action, Service)] == [2, 2]


def test_a_rollback_leaves_the_table_as_it_was() -> None:
    assert DrawnTable().after(Move("upsert", "a", ("a4",))).after(Move("rollback")).files == ONE_FILE_IN_EACH


@pytest.mark.parametrize("moves", HISTORIES, ids=in_words)
def test_kept_histories_can_be_made(moves: History) -> None:
    for move, before in zip(moves, tables(moves), strict=False):
        assert move.do in before.kinds(SOUND)


@pytest.mark.parametrize("moves", HISTORIES, ids=in_words)
def test_values_of_a_step_differ_from_those_of_others(moves: History) -> None:
    """A row that is stale must not look like the one that took its place."""
    written = [
        value
        for step in played("", "", moves).steps
        if step.action is not None and hasattr(step.action, "files") and step.action.operation != "delete"  # type: ignore[union-attr]
        for one in step.action.files
        for value in one.columns["i"]
    ]
    assert len(written) == len(set(written))


# The search, with a trial that needs neither Spark nor XTable: what fails is found, and shrunk.


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
