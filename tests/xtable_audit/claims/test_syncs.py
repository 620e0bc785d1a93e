"""Every sync of a history comes through, or reports that it refuses the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from tests.tables.healthy_by_pyiceberg import FULL
from tests.xtable_audit.claims.faults_of_history import instant
from tests.xtable_audit.claims.faults_of_rows import COMMITTED, other_value
from tests.xtable_audit.conftest import TableOf
from xtable_audit.claims.translation.files import no_file_is_missing
from xtable_audit.claims.translation.history import History, every_sync_comes_through, last_instant_never_goes_back
from xtable_audit.claims.translation.refusal import offences, remains
from xtable_audit.claims.translation.rows import values_are_those_of_the_source
from xtable_audit.model.finding import Verdict
from xtable_audit.model.sync import Sync, Thrown, class_missed_in, exceptions_in
from xtable_audit.subject.case import Case, State


def history(table_of: TableOf, *states: State) -> History:
    return History(replace(table_of("history").case, history=states))


def came_through(table_of: TableOf) -> list[State]:
    case: Case = table_of("history").case
    return [state for state in case.history if state.sync.failure is None]


def behind(table_of: TableOf, name: str) -> Case:
    """The table, after a sync of a later state that failed and said so."""
    *_, last = states = came_through(table_of)
    failed = replace(last.sync, kind="incremental", stage=9, failure="no space left", silent=False)
    return replace(table_of(name).case, history=(*states, replace(last, sync=failed)))


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


@pytest.mark.parametrize(
    ("late", "left_out", "verdict"),
    [(False, [COMMITTED], None), (True, [COMMITTED], Verdict.STALE), (True, [], None)],
    ids=["in time", "late, no commit known", "late, of one commit"],
)
def test_another_value_is_late_where_the_last_sync_failed_unless_it_is_of_one_commit(
    table_of: TableOf, late: bool, left_out: list[str], verdict: Verdict | None
) -> None:
    case = behind(table_of, "keyed") if late else table_of("keyed").case
    assert case.source.shown is not None
    shown = other_value(case.source.shown, "long", 3).drop_columns(left_out)
    changed = replace(case, source=replace(case.source, shown=shown))
    [found] = values_are_those_of_the_source.deviations(changed)
    assert (found.column, found.verdict) == ("long", verdict)


@pytest.mark.parametrize(("late", "verdict"), [(False, None), (True, Verdict.STALE)], ids=["in time", "late"])
def test_a_column_that_the_source_has_alone_is_late_where_the_last_sync_failed(
    table_of: TableOf, late: bool, verdict: Verdict | None
) -> None:
    case = behind(table_of, "keyed") if late else table_of("keyed").case
    assert case.source.shown is not None
    shown = case.source.shown.append_column("alone", case.source.shown["int"])
    [found] = values_are_those_of_the_source.deviations(replace(case, source=replace(case.source, shown=shown)))
    assert (found.column, found.verdict) == ("alone", verdict)


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


# What another program says: the exceptions that its message names, and the refusals that a table must get.

NULL = "java.lang.NullPointerException"
MESSAGES = {
    "of one exception": (f'{NULL}: Cannot invoke "java.math.BigDecimal.setScale(int)" because "x" is null', {NULL}),
    "with its cause": (
        "java.lang.ExceptionInInitializerError; caused by java.lang.IllegalStateException: Recursive update",
        {"java.lang.ExceptionInInitializerError", "java.lang.IllegalStateException"},
    ),
    "without the package of the outer": (f"InternalException(errorCode=READ_EXCEPTION); caused by {NULL}", {NULL}),
    "of an inner class": ("a.b.Outer$InnerException: no", {"a.b.Outer$InnerException"}),
    "of a class alone": ("Invalid source type long for org.apache.xtable.model.schema.InternalField", set()),
    "of a longer name": ("java.lang.NullPointerExceptions, my.java.lang.NullPointerException2", set()),
    "of nobody": ("it took longer than 300 s and its JVM was killed", set()),
}
WORDS = "java.lang.IllegalArgumentException"
OLD = "s3://b/t/metadata/v2.metadata.json"
STAGES = ("eight files", "an upgrade")
SYNCED = Sync("first", "0.4.0", OLD)
REFUSED = Sync("incremental", "0.4.0", OLD, f"{WORDS}: no", stage=1)
NEVER = replace(REFUSED, metadata_location="")


def verdicts(*syncs: Sync) -> list[Verdict]:
    return [offence.verdict for offence in offences(syncs, STAGES, 2, WORDS)]


# What is read of another program's message: the exceptions that it names, and nothing else.


@pytest.mark.parametrize(("message", "named"), MESSAGES.values(), ids=MESSAGES)
def test_the_exceptions_of_a_message_are_read(message: str, named: set[str]) -> None:
    assert exceptions_in(message) == named


@pytest.mark.parametrize("failure", [one for one, _ in MESSAGES.values()], ids=MESSAGES)
def test_a_sync_has_those_of_its_failure(failure: str) -> None:
    assert Sync("first", "0.4.0", "", failure).exceptions == exceptions_in(failure)


def test_a_sync_that_comes_through_has_none() -> None:
    assert Sync("first", "0.4.0", "s3://b/t/metadata/v1.metadata.json", log=NULL).exceptions == set()


@pytest.mark.parametrize(
    ("words", "exception"), [(NULL, NULL), (f"{NULL}: it is null", NULL), (f"caused by {NULL}", ""), ("", "")]
)
def test_what_was_thrown_is_what_its_words_begin_with(words: str, exception: str) -> None:
    assert Thrown.of(words) == Thrown(exception, words)


@pytest.mark.parametrize(
    ("message", "missed"),
    [
        (
            "java.lang.NoClassDefFoundError: org/apache/paimon/Inner$Class; caused by nothing",
            "org/apache/paimon/Inner$Class",
        ),
        ("java.lang.NoClassDefFoundError: Could not initialize class org.apache.hudi.avro.model.HoodieSliceInfo", ""),
        (NULL, ""),
    ],
    ids=["missing", "not initialised", "another error"],
)
def test_a_class_that_is_missed_is_read(message: str, missed: str) -> None:
    assert class_missed_in(message) == missed


# A refusal passes only with the expected message, and only if the target stays as it was.


def test_a_table_refused_from_the_start_is_as_expected() -> None:
    assert verdicts(NEVER, NEVER) == []


def test_an_upgraded_table_refused_with_the_old_one_left_is_as_expected() -> None:
    assert verdicts(SYNCED, REFUSED, REFUSED) == []


@pytest.mark.parametrize("before", [[], [SYNCED]], ids=["never_read", "upgraded"])
def test_success_where_a_refusal_is_due_fails_silently(before: list[Sync]) -> None:
    sync = REFUSED if before else NEVER
    assert verdicts(*before, replace(sync, failure=None)) == [Verdict.FAILED_SILENTLY]


def test_a_refusal_for_another_reason_is_reported() -> None:
    assert verdicts(replace(NEVER, failure="java.net.ConnectException")) == [Verdict.UNREADABLE]


@pytest.mark.parametrize("left", ["", "s3://b/t/metadata/v3.metadata.json"], ids=["gone", "changed"])
def test_a_refused_sync_that_touches_the_table_fails_silently(left: str) -> None:
    assert verdicts(SYNCED, replace(REFUSED, metadata_location=left)) == [Verdict.FAILED_SILENTLY]


def test_a_refused_first_sync_that_leaves_a_table_fails_silently() -> None:
    assert verdicts(replace(NEVER, metadata_location=OLD)) == [Verdict.FAILED_SILENTLY]


def test_a_version_that_is_read_must_come_through() -> None:
    assert verdicts(replace(SYNCED, failure="no luck", metadata_location="")) == [Verdict.UNREADABLE]


def test_no_object_may_be_left_of_a_table_that_never_was() -> None:
    assert [one.verdict for one in remains(["t/metadata/v1.metadata.json"])] == [Verdict.FAILED_SILENTLY]
    assert list(remains([])) == []


@pytest.mark.parametrize("rolled_back", [False, True])
def test_an_older_instant_is_right_after_the_source_was_rolled_back_alone(table_of: TableOf, rolled_back: bool) -> None:
    case = table_of("history").case
    states = list(case.history)
    stored = states[FULL].stored
    assert stored is not None
    older = instant(stored, "2024-01-01T00:00:00.499Z")
    states[FULL] = replace(states[FULL], stored=older, rolled_back=rolled_back)
    found = list(last_instant_never_goes_back.check(replace(case, history=tuple(states))))
    assert bool(found) is not rolled_back


@pytest.mark.parametrize("then", [None, ("n",)])
def test_an_earlier_spec_is_held_against_the_source_of_then(table_of: TableOf, then: tuple[str, ...] | None) -> None:
    case = table_of("history").case
    states = tuple(replace(one, partition_by=then) for one in case.history)
    earlier = replace(case, history=states).earlier
    assert {one.whole.source.partition_by for one in earlier} == {then or case.source.partition_by}
