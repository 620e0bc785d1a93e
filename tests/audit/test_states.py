"""The state after each earlier sync: what is compared of it, what is said of it, and what is not repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest

from tests.audit.conftest import DraftOf
from tests.audit.draft import Draft
from tests.audit.faults_of_history import leaving, with_metric
from tests.audit.healthy_history import FIRST, SECOND, THIRD
from xtable_audit.claims import bounds
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.translation import states
from xtable_audit.model import claim
from xtable_audit.model.claim import Need
from xtable_audit.subject.case import Case

TABLE = "history"
CONTAIN = states.bounds_contain_values_after_a_sync
FIRST_FILE = 2
"""The place of the first sync's file in the last state."""


def with_lower(draft: Draft, sync: int, value: int, place: int = 0) -> None:
    """A lower bound of `int` in the state after this sync."""
    leaving(sync, partial(with_metric, column="int", name="lower", place=place, value=value))(draft)


def paths(case: Case) -> list[list[str]]:
    return [one.case.stored.paths for one in case.earlier]


def lacking(case: Case) -> Need[Case]:
    need = CONTAIN.lacks(case)
    assert need is not None
    return need


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
