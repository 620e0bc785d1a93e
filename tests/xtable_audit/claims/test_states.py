"""The state after each earlier sync: what is compared of it, what is said of it, and which of two syncs is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest

from tests.tables.draft import Draft
from tests.tables.healthy_by_pyiceberg import FAILED, FIRST, FULL, SECOND, THIRD
from tests.xtable_audit.claims.faults_of_history import leaving, listing, state, with_metric
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.claims import bounds
from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.claims.translation import history, states
from xtable_audit.claims.translation.history import (
    failure_leaves_the_table_as_it_was,
    incremental_equals_full,
    success_leaves_a_table,
)
from xtable_audit.model import claim
from xtable_audit.model.claim import Need
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case, State

TABLE = "history"
CONTAIN = states.bounds_contain_values_after_a_sync
FIRST_FILE = 2
"""The place of the first sync's file in the last state."""
ALL, TWO = (0, 1, 2), (0, 1)
Spoil = Callable[[Draft], None]
SPOILT: dict[str, tuple[int, TableClaim, Spoil]] = {
    "rows": (SECOND, history.rows_are_as_many_after_a_sync, state(SECOND, lambda one: replace(one, rows=7))),
    "bounds": (
        FIRST,
        states.bounds_contain_values_after_a_sync,
        leaving(FIRST, partial(with_metric, column="int", name="lower", place=0, value=1000)),
    ),
}
"""What is wrong after which sync, and the claim that says so."""


def with_lower(draft: Draft, sync: int, value: int, place: int = 0) -> None:
    """A lower bound of `int` in the state after this sync."""
    leaving(sync, partial(with_metric, column="int", name="lower", place=place, value=value))(draft)


def paths(case: Case) -> list[list[str]]:
    return [one.case.stored.paths for one in case.earlier]


def lacking(case: Case) -> Need[Case]:
    need = CONTAIN.lacks(case)
    assert need is not None
    return need


def left(table_of: TableOf, incremental: Sequence[int], full: Sequence[int]) -> Case:
    """The history, with these files left by its last incremental sync and by the full one."""
    case = table_of("history").case
    history = list(case.history)
    stored = history[FULL].stored
    assert stored is not None
    history[FULL] = replace(history[FULL], stored=listing(stored, list(full)))
    judged = case.stored if tuple(incremental) == ALL else listing(case.stored, list(incremental))
    return replace(case, stored=judged, history=tuple(history))


def smaller_then(one: State) -> State:
    """The first file had other bytes at that time."""
    path = min(one.base_files)
    return replace(one, base_files={**one.base_files, path: one.base_files[path] + 1})


def deviations(draft: Draft, claim: TableClaim) -> int:
    case: Case = draft.case()
    return len(claim.deviations(case)) if claim.lacks(case) is None else 0


# The state after each earlier sync: what is compared of it, what is said of it, and what is not repeated.


def test_a_deviation_says_after_which_sync(draft_of: DraftOf) -> None:
    draft = draft_of(TABLE)
    with_lower(draft, SECOND, 2**30)
    [found] = CONTAIN.check(draft.case())
    assert found.saw.endswith("after sync 2 of 6: upsert (incremental sync)")


def test_what_a_later_sync_leaves_too_is_not_repeated(draft_of: DraftOf) -> None:
    """The entry is not that of the last state, and its fault is."""
    draft = draft_of(TABLE)
    with_lower(draft, FIRST, 2**30)
    draft.put(FIRST_FILE, "lower_bounds", "int", 2**29)
    assert list(CONTAIN.check(draft.case())) == []


def test_another_column_than_in_the_last_state_is_told(draft_of: DraftOf) -> None:
    draft = draft_of(TABLE)
    with_lower(draft, FIRST, 2**30)
    draft.put(FIRST_FILE, "lower_bounds", "long", 2**29)
    assert [found.column for found in CONTAIN.check(draft.case())] == ["int"]


@pytest.mark.parametrize(
    ("stored", "found"),
    [(lambda case: "long", 0), (lambda case: str(case.stored.paths), 2)],
    ids=["the same", "another"],
)
def test_what_is_stored_tells_a_deviation_from_that_of_the_last_state_and_its_words_do_not(
    draft_of: DraftOf, monkeypatch: pytest.MonkeyPatch, stored: Callable[[Case], str], found: int
) -> None:
    """In each state it is put into words of its own."""

    def check(case: Case) -> Iterator[Deviation]:
        yield Deviation((), " so".join("once" for _ in case.stored.paths), "others", "int", stored=stored(case))

    monkeypatch.setattr(claim, "CLAIMS", {})
    made = states.after_each_sync(replace(bounds.bounds_contain_values, check=check))
    assert len(list(made.check(draft_of(TABLE).case()))) == found


def test_an_entry_that_stays_is_judged_once(draft_of: DraftOf) -> None:
    """The second sync adds a file to the first one's; the third changes the schema, by which both are read anew."""
    first, second = paths(draft_of(TABLE).case())
    assert (len(first), len(second), set(first) & set(second)) == (1, 1, set())


def test_entries_of_the_last_state_are_not_judged_again(draft_of: DraftOf) -> None:
    draft = draft_of(TABLE)
    draft.changes.append(lambda case: _as_the_last(case, FIRST, SECOND))
    assert paths(draft.case()) == [[], []]


def _as_the_last(case: Case, *syncs: int) -> Case:
    last = case.history[THIRD].stored
    for number in syncs:
        history = [*case.history]
        assert last is not None
        again = replace(last, metadata_location=f"{last.metadata_location}.{number}")
        history[number] = replace(history[number], stored=again)
        case = replace(case, history=tuple(history))
    return case


def test_a_file_that_is_gone_is_not_compared_and_named(draft_of: DraftOf) -> None:
    draft = draft_of(TABLE)
    gone = draft.path(FIRST_FILE)
    draft.mirror.file(gone).unlink()
    case = draft.case()
    assert [part.path for one in case.earlier for part in one.set_aside] == [gone]
    [told] = case.earlier[0].set_aside
    assert told.reason.endswith("after sync 1 of 6: bulk_insert (first sync): the file has been deleted since")


def test_a_file_that_cannot_be_read_is_not_compared_and_named(draft_of: DraftOf) -> None:
    draft = draft_of(TABLE)
    spoilt = draft.path(FIRST_FILE)
    draft.mirror.file(spoilt).write_bytes(b"no Parquet")
    [told] = draft.case().earlier[0].set_aside
    assert (told.path, "Parquet" in told.reason) == (spoilt, True)


def test_a_claim_without_any_file_left_says_why(draft_of: DraftOf) -> None:
    draft = draft_of(TABLE)
    for place in (1, FIRST_FILE):
        draft.mirror.file(draft.path(place)).unlink()
    assert lacking(case := draft.case()).why(case) == "2 files of earlier syncs cannot be read any more"


# Which of two syncs is wrong, and what is no fault of either.


@pytest.mark.parametrize(
    ("incremental", "full", "verdict", "saw"),
    [
        pytest.param(TWO, ALL, Verdict.UNSOUND, "after incremental syncs, which are wrong", id="the incremental ones"),
        pytest.param(ALL, TWO, Verdict.UNSOUND, "(full sync), which is wrong", id="the full one"),
        pytest.param((0,), TWO, Verdict.UNSOUND, "after incremental syncs, and neither is right", id="both"),
    ],
)
def test_the_sources_files_show_which_sync_is_wrong(
    table_of: TableOf, incremental: Sequence[int], full: Sequence[int], verdict: Verdict, saw: str
) -> None:
    [found] = incremental_equals_full.deviations(left(table_of, incremental, full))
    assert (found.verdict, found.saw.endswith(saw)) == (verdict, True), found.saw


def test_a_snapshot_that_was_expired_may_be_gone(table_of: TableOf) -> None:
    """And one that was not, may not."""
    case = table_of("history").case
    for expected, number in ((success_leaves_a_table, FIRST), (failure_leaves_the_table_as_it_was, FAILED)):
        for expired in (True, False):
            history = list(case.history)
            history[number] = replace(history[number], stored=None, expired=expired)
            assert bool(expected.deviations(replace(case, history=tuple(history)))) is not expired


# A file of the source that is written anew under its name, as in a folder of Parquet files: its older states.


@pytest.mark.parametrize(("sync", "claim", "spoil"), SPOILT.values(), ids=SPOILT)
@pytest.mark.parametrize("anew", [False, True], ids=["the same today", "written anew since"])
def test_an_older_state_is_not_judged_by_what_a_file_holds_today(
    sync: int, claim: TableClaim, spoil: Spoil, anew: bool, draft_of: DraftOf
) -> None:
    draft = draft_of("history")
    spoil(draft)
    if anew:
        state(sync, smaller_then)(draft)
    assert deviations(draft, claim) == (0 if anew else 1)


def test_what_is_not_compared_is_named(draft_of: DraftOf) -> None:
    draft = draft_of("history")
    spoil = SPOILT["bounds"][2]
    spoil(draft)
    state(FIRST, smaller_then)(draft)
    [aside] = draft.case().earlier[0].set_aside
    assert "the file has been written anew since" in aside.reason
