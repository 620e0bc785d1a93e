"""Every sync of a history comes through: on a healthy history, and on one with a sync that fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from tests.audit.conftest import TableOf
from xtable_audit.claims.translation.files import no_file_is_missing
from xtable_audit.claims.translation.history import History, every_sync_comes_through
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case, State


def history(table_of: TableOf, *states: State) -> History:
    return History(replace(table_of("history").case, history=states))


def came_through(table_of: TableOf) -> list[State]:
    case: Case = table_of("history").case
    return [state for state in case.history if state.sync.failure is None]


def test_a_history_without_a_failure_holds(table_of: TableOf) -> None:
    healthy = history(table_of, *came_through(table_of))
    assert (every_sync_comes_through.lacks(healthy), every_sync_comes_through.deviations(healthy)) == (None, [])


@pytest.mark.parametrize(
    ("silent", "verdict"), [(False, None), (True, Verdict.FAILED_SILENTLY)], ids=["reported", "silent"]
)
def test_a_sync_that_fails_breaks_it(table_of: TableOf, silent: bool, verdict: Verdict | None) -> None:
    first, second, *others = came_through(table_of)
    failed = replace(second, sync=replace(second.sync, failure="no space left", silent=silent))
    [found] = every_sync_comes_through.deviations(history(table_of, first, failed, *others))
    assert (found.saw, found.verdict) == (
        f"no space left after {second.after} (1 of {2 + len(others)} syncs fail)",
        verdict,
    )


@pytest.mark.parametrize(
    ("failed", "verdict"),
    [
        ({"stage": 9, "failure": "no space left"}, Verdict.STALE),
        ({"stage": 9, "failure": "no space left", "silent": True}, None),
        ({"kind": "idle", "failure": "no commit to read"}, None),
    ],
    ids=["and says so", "silently", "without new commits, after one that came through"],
)
def test_what_is_missing_is_late_where_the_last_sync_failed(
    table_of: TableOf, failed: dict[str, Any], verdict: Verdict | None
) -> None:
    """Otherwise it is the claim's own verdict, UNSOUND: nobody knows of it."""
    case: Case = table_of("history").case
    *_, last = states = came_through(table_of)
    states.append(replace(last, sync=replace(last.sync, **{"kind": "incremental"} | failed)))
    files = {**case.source.base_files, "s3://bucket/table/newest.parquet": 1}
    late = replace(case, history=tuple(states), source=replace(case.source, base_files=files))
    assert [found.verdict for found in no_file_is_missing.deviations(late)] == [verdict]


@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
@pytest.mark.parametrize("rows", [3, 0], ids=["rows", "no rows"])
def test_a_file_named_where_it_is_not_is_looked_for_by_its_rows(table_of: TableOf, rows: int, late: bool) -> None:
    """Readers skip it silently where its record count is 0. Otherwise they raise, late or not."""
    case: Case = table_of("history").case
    [path, *_] = case.stored.paths
    base = {f"s3://lake/{path.rpartition('/')[2]}" if one == path else one: 1 for one in case.source.base_files}
    counts, there = pa.array([rows, 3, 3]), pa.array([False, True, True])
    stored, actual = case.stored.files, case.actual.files
    *_, last = case.history
    after = replace(last, sync=replace(last.sync, kind="incremental", stage=9, failure="no space left"))
    moved = replace(
        case,
        history=(*case.history, after) if late else case.history,
        source=replace(case.source, base_files=base),
        stored=replace(
            case.stored, files=stored.set_column(stored.column_names.index("record_count"), "record_count", counts)
        ),
        actual=replace(case.actual, files=actual.set_column(actual.column_names.index("exists"), "exists", there)),
    )
    unseen = Verdict.STALE if late else None
    assert [found.verdict for found in no_file_is_missing.deviations(moved)] == [Verdict.UNREADABLE if rows else unseen]


def test_the_first_sync_of_another_release_is_not_held_against_this_one(table_of: TableOf) -> None:
    first, *others = came_through(table_of)
    begun = replace(first, sync=replace(first.sync, failure="no space left", release="0.1.0-incubating"))
    assert every_sync_comes_through.deviations(history(table_of, begun, *others)) == []


def test_a_table_without_syncs_has_nothing_to_compare(table_of: TableOf) -> None:
    lacking = every_sync_comes_through.lacks(history(table_of))
    assert lacking is not None
