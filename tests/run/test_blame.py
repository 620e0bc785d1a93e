"""Whose fault a finding is, from a test's expectation on: the control's table and the source itself are witnesses."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.expect import Expectation
from fixtures.expect_pruning import of_agreement, of_pruning
from fixtures.expect_reader import fares_no_better, of_reading
from fixtures.expect_table import of_case, of_opening
from lab.provision.plan import Plan
from lab.subjects.table import Table
from tests.audit import faults_of_metadata_json
from tests.audit.conftest import DraftOf, TableOf, draft_of, table_of
from tests.audit.draft import Draft
from tests.audit.test_source_stats import true_statistics
from tests.run.tables import table_with
from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.claims import bounds, counts
from xtable_audit.claims.readers.pruning import no_matching_file_is_dropped, planners_agree
from xtable_audit.claims.readers.reading import rows_are_those_of_the_files
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.formats.iceberg.claims import schema
from xtable_audit.model.finding import Blame, Finding, FindingError, Verdict
from xtable_audit.model.planner import JUDGE
from xtable_audit.model.predicate import IsNull, Predicate
from xtable_audit.model.sync import Sync, Thrown
from xtable_audit.planning.planners import judges
from xtable_audit.planning.pruning_trial import Trial, try_planner, whole_grid
from xtable_audit.readers.reader import Answer, Observation
from xtable_audit.subject.case import Case, State

__all__ = ["draft_of", "table_of"]


def counted(rows: int) -> Observation:
    return Observation("reader", "1.0", Answer(rows), frozenset(), 0.1, None)


REFUSED = Observation("reader", "1.0", None, frozenset(), 0.1, "it will not")
ROWS = 3


@pytest.mark.parametrize(
    ("seen", "control"),
    [
        pytest.param(REFUSED, REFUSED, id="refuses both tables"),
        pytest.param(counted(0), counted(0), id="counts as wrong on both"),
        pytest.param(counted(ROWS), counted(ROWS), id="counts right on both, and what it opens is wrong"),
        pytest.param(counted(0), REFUSED, id="counts wrong on XTable's and refuses the control's"),
        pytest.param(REFUSED, counted(0), id="refuses XTable's and counts wrong on the control's"),
    ],
)
def test_a_reader_that_fares_no_better_on_the_controls_table_is_to_blame(
    seen: Observation, control: Observation
) -> None:
    assert fares_no_better(seen, control, ROWS)


@pytest.mark.parametrize(
    "seen",
    [pytest.param(REFUSED, id="refuses XTable's"), pytest.param(counted(0), id="counts wrong on XTable's")],
)
def test_a_reader_that_is_right_on_the_controls_table_is_not_to_blame(seen: Observation) -> None:
    assert not fares_no_better(seen, counted(ROWS), ROWS)


GOOD_LAYOUT = "good_layout-0.4.0-incubating"
XTABLES, CONTROLS = "types_plain-xtable", "types_plain-control"


def table(
    id: str,
    case: Case | None,
    stats: SourceStats | None = None,
    unreadable: str | None = None,
    **more: Any,
) -> Table:
    location = case.stored.metadata_location if case else ""
    return table_with(id, case, location, stats=stats, unreadable=unreadable, **more)


def expectation(subject: Table, control: Case | None, **session: Any) -> Expectation:
    witness: Any = SimpleNamespace(plan=Plan(), table=lambda id: table(CONTROLS, control, unreadable="no"), **session)
    item: Any = SimpleNamespace(nodeid="suites/x.py::test_y", stash={}, user_properties=[])
    return Expectation(witness, subject, item)


def raised(call: Callable[[], object]) -> Finding:
    with pytest.raises(FindingError) as found:
        call()
    return found.value.finding


def too_narrow(draft: Draft) -> Case:
    draft.put(1, "lower_bounds", "int", 10**6)
    return draft.case()


def hudi(case: Case, lower: str | None = None) -> SourceStats:
    """What it answers: the truth, but for one bound."""
    statistics = true_statistics(case)
    if lower is not None:
        statistics[case.stored.paths[1]]["columns"]["int"]["min"] = lower
    return SourceStats("hudi", statistics)


def blamed(case: Case, control: Case | None, stats: SourceStats | None = None) -> Finding:
    expected = expectation(table(XTABLES, case, stats), control)
    return raised(lambda: expected.settle(of_case, bounds.bounds_contain_values))


def test_a_control_that_errs_too_acquits_nobody_of_a_false_value(draft_of: DraftOf, table_of: TableOf) -> None:
    spoilt, healthy = too_narrow(draft_of("typed")), table_of("typed").case
    assert blamed(spoilt, spoilt).blame == Blame.XTABLE
    assert blamed(spoilt, spoilt, hudi(healthy, lower="1000000")).blame == Blame.XTABLE_VIA_HUDI


def test_what_a_control_leaves_out_too_is_the_source_layouts(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.put(1, "lower_bounds", "int", None)
    expected = expectation(table(XTABLES, left_out := draft.case(), None), left_out)
    assert raised(lambda: expected.settle(of_case, bounds.bounds_are_present)).blame == Blame.SOURCE_LAYOUT


def test_xtable_that_errs_alone_is_to_blame(draft_of: DraftOf, table_of: TableOf) -> None:
    """The reason names Hudi's right statistics, or that there are none."""
    spoilt, healthy = too_narrow(draft_of("typed")), table_of("typed").case
    found = blamed(spoilt, healthy, hudi(healthy))
    assert (found.blame, "are right" in found.because) == (Blame.XTABLE, True)
    found = blamed(spoilt, healthy)
    assert (found.blame, "Hudi's own statistics are unknown: they are not recorded" in found.because) == (
        Blame.XTABLE,
        True,
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("paimon_small_ints", "right in this: the exporter of Paimon"),
        ("parquet_long_strings", "wrong in this, too: add_files of PyIceberg"),
        ("parquet_hidden", ""),
    ],
    ids=["right", "wrong, too", "where XTable alone is not wrong in it by one sync"],
)
def test_other_translators_of_the_same_table_are_named(draft_of: DraftOf, name: str, expected: str) -> None:
    subject = table(f"{name}-xtable", too_narrow(draft_of("typed")))
    found = raised(lambda: expectation(subject, None).settle(of_case, bounds.bounds_contain_values))
    named = found.because.partition("; other translators of the same table: ")[2]
    assert named.startswith(expected)
    assert bool(named) == bool(expected)


def test_hudis_function_that_errs_is_named(draft_of: DraftOf, table_of: TableOf) -> None:
    spoilt, healthy = too_narrow(draft_of("typed")), table_of("typed").case
    assert blamed(spoilt, healthy, hudi(healthy, lower="1000000")).blame == Blame.XTABLE_VIA_HUDI
    assert blamed(spoilt, None, hudi(healthy, lower="1000000")).blame == Blame.XTABLE_VIA_HUDI


def unmapped(draft: Draft, column: str) -> Case:
    """Read anew, without the column in the name mapping."""
    faults_of_metadata_json.change_mapping(draft, lambda fields: faults_of_metadata_json.without(fields, column))
    draft.values_changed = True
    return draft.case()


def test_what_follows_from_a_column_that_is_not_mapped_says_so_and_accuses_who_wrote_the_mapping(
    draft_of: DraftOf, table_of: TableOf
) -> None:
    """Hudi's counts err there too, if the judge finds nothing of the column."""
    case = unmapped(draft_of(GOOD_LAYOUT), "trip_distance")
    expected = expectation(table(XTABLES, case, hudi(case)), table_of(GOOD_LAYOUT).case)
    found = raised(lambda: expected.settle(of_case, counts.null_counts_are_exact))
    assert (found.blame, found.root) == (Blame.XTABLE, schema.names_are_mapped.id)
    root = raised(lambda: expected.settle(of_case, schema.names_are_mapped))
    assert (root.blame, root.root) == (Blame.XTABLE, "")


def test_a_fault_in_another_column_follows_from_no_mapping(draft_of: DraftOf) -> None:
    draft = draft_of(GOOD_LAYOUT)
    draft.put(1, "null_value_counts", "passenger_count", 77)
    case = unmapped(draft, "trip_distance")
    expected = expectation(table(XTABLES, case, None), None)
    assert raised(lambda: expected.settle(of_case, counts.null_counts_are_exact)).root == ""


def test_rows_that_are_lost_by_a_column_that_is_not_mapped_follow_from_the_mapping(draft_of: DraftOf) -> None:
    draft = draft_of(GOOD_LAYOUT)
    case = unmapped(draft, "trip_distance")
    questions = [one for one in whole_grid(draft.mirror.objects, case) if one.column == "trip_distance"]
    trial = try_planner(case, questions, JUDGE, judges(case.stored))
    found = pruned(case, case, JUDGE, trial, hudi(case))
    assert (found.blame, found.root) == (Blame.XTABLE, schema.names_are_mapped.id)


def pruned(case: Case, healthy: Case, planner: str, trial: Trial, stats: SourceStats | None = None) -> Finding:
    judged = try_planner(healthy, trial.questions, JUDGE, judges(healthy.stored))
    session = {"trial": lambda id, _: trial if id == XTABLES else judged, "answers": lambda *_: None}
    expected = expectation(table(XTABLES, case, stats), healthy, **session)
    return raised(lambda: expected.settle(of_pruning, no_matching_file_is_dropped, planner))


@pytest.mark.parametrize(("lower", "whose"), [(None, Blame.XTABLE), ("1000000", Blame.XTABLE_VIA_HUDI)])
def test_a_lost_file_is_hudis_where_its_answer_loses_it(
    draft_of: DraftOf, table_of: TableOf, lower: str | None, whose: Blame
) -> None:
    draft, healthy = draft_of("typed"), table_of("typed").case
    spoilt = too_narrow(draft)
    questions = [one for one in whole_grid(draft.mirror.objects, spoilt) if one.column == "int"]
    trial = try_planner(spoilt, questions, JUDGE, judges(spoilt.stored))
    found = pruned(spoilt, healthy, JUDGE, trial, hudi(healthy, lower))
    assert (found.blame, found.verdict) == (whose, Verdict.UNSOUND)


@pytest.mark.parametrize("wrong", [True, False], ids=["a wrong schema", "a planner that errs alone"])
def test_a_planner_that_drops_files_by_a_wrong_schema_is_not_to_blame(
    draft_of: DraftOf, table_of: TableOf, wrong: bool
) -> None:
    def require(metadata: dict[str, Any]) -> None:
        for field in (field for one in metadata["schemas"] for field in one["fields"]):
            field["required"] = field["required"] or (wrong and field["name"] == "holey")

    def planner(_: str, predicates: Any) -> list[Set[str] | None]:
        """It answers IS NULL on `holey` without a look."""
        return [_kept(case, one) if one != IsNull("holey") else frozenset() for one in predicates]

    draft, healthy = draft_of("typed"), table_of("typed").case
    draft.change_metadata(require)
    case = draft.case()
    assert bool(schema.required_columns_have_no_nulls.deviations(case)) is wrong
    questions = [one for one in whole_grid(draft.mirror.objects, case) if one.column == "holey"]
    trial = try_planner(case, questions, "pyiceberg", planner)
    whose = Blame.XTABLE if wrong else Blame.reader("pyiceberg")
    assert pruned(case, healthy, "pyiceberg", trial).blame == whose
    trials = {JUDGE: try_planner(case, questions, JUDGE, judges(case.stored)), "pyiceberg": trial}
    expected = expectation(table(XTABLES, case), healthy, trial=lambda _, name: trials[name])
    assert raised(lambda: expected.settle(of_agreement, planners_agree, ("pyiceberg",))).blame == whose


def _kept(case: Case, predicate: Predicate) -> Set[str] | None:
    [kept] = judges(case.stored)("", [predicate])
    return kept


@pytest.mark.parametrize(
    ("control", "whose"),
    [(counted(17), Blame.reader("duckdb")), (counted(18), Blame.XTABLE)],
    ids=["errs alone", "is right on the control's table"],
)
def test_a_reader_that_errs_over_metadata_that_keeps_every_file(
    table_of: TableOf, control: Observation, whose: Blame
) -> None:
    expected = reading(table_of("typed").case, counted(17), control)
    assert raised(expected).blame == whose


TIMED_OUT = "AWS Error NETWORK_CONNECTION during HeadObject operation: curlCode: 28, Timeout was reached"


def test_a_store_that_does_not_answer_is_no_fault_of_the_reader(table_of: TableOf) -> None:
    refused = replace(counted(18), answer=None, error=TIMED_OUT)
    with pytest.raises(pytest.skip.Exception, match="inconclusive: the store does not answer duckdb: AWS Error"):
        reading(table_of("typed").case, refused, counted(18))()


def test_a_reader_that_refuses_the_table_is_to_blame(table_of: TableOf) -> None:
    refused = replace(counted(18), answer=None, error="no such codec")
    assert raised(reading(table_of("typed").case, refused, refused)).blame == Blame.reader("duckdb")


def reading(case: Case, seen: Observation, control: Observation) -> Callable[[], None]:
    """Holds DuckDB to all 18 rows of XTable's table; the control's table has them too."""
    every = frozenset(case.stored.paths)
    actual: Any = SimpleNamespace(
        table=XTABLES, predicate="all", live=every, planned=every, matching=every, counts=(3, 3, 3)
    )
    actual.rows_to_scan = actual.rows_returned = actual.rows_total = 18
    session = {
        "predicates": lambda *_: [None],
        "selections": lambda *_: [actual],
        "observe": lambda _, id, __: [seen if id == XTABLES else control],
        "disk": SimpleNamespace(key=lambda uri: uri),
    }
    expected = expectation(table(XTABLES, case), case, **session)
    return lambda: expected.settle(of_reading, rows_are_those_of_the_files, "duckdb", "all")


@pytest.mark.parametrize(
    ("silent", "verdict"), [(True, Verdict.FAILED_SILENTLY), (False, Verdict.UNREADABLE)], ids=["silent", "reported"]
)
def test_success_with_nothing_written_is_no_refusal(table_of: TableOf, silent: bool, verdict: Verdict) -> None:
    unread = expectation(table(XTABLES, None, unreadable="in any words", silent=silent), None)
    assert raised(lambda: unread.settle(of_opening)).verdict == verdict
    case = table_of("typed").case
    sync = Sync("incremental", "0.4.0", case.stored.metadata_location, "in any words", silent=silent)
    state = State(sync, "upsert", case.stored, {}, None)
    synced = expectation(table(XTABLES, replace(case, history=(state,))), None)
    assert raised(lambda: synced.settle(of_case, every_sync_comes_through)).verdict == verdict


ILLEGAL = "java.lang.IllegalArgumentException"
FAILURE = f"ReadException; caused by {ILLEGAL}: no date"
HUDI_FAILS = SourceStats("hudi", {}, {"s3://b/f.parquet": Thrown.of(ILLEGAL)})


@pytest.mark.parametrize(
    ("words", "exceptions", "whose"),
    [("in any words", {ILLEGAL}, Blame.XTABLE_VIA_HUDI), (FAILURE, set(), Blame.XTABLE)],
    ids=["by its exception", "never by its words"],
)
def test_a_first_sync_that_fails_where_hudi_does_is_via_hudi(words: str, exceptions: set[str], whose: Blame) -> None:
    expected = expectation(table(XTABLES, None, HUDI_FAILS, words, exceptions=frozenset(exceptions)), None)
    assert raised(lambda: expected.settle(of_opening)).blame == whose


@pytest.mark.parametrize(
    ("failure", "whose"), [(FAILURE, Blame.XTABLE_VIA_HUDI), ("no date", Blame.XTABLE)], ids=["as Hudi", "otherwise"]
)
def test_a_later_sync_that_fails_where_hudi_does_is_via_hudi(table_of: TableOf, failure: str, whose: Blame) -> None:
    case = table_of("typed").case
    sync = Sync("incremental", "0.4.0", case.stored.metadata_location, failure)
    failed = replace(case, history=(State(sync, "upsert", case.stored, {}, None),))
    expected = expectation(table(XTABLES, failed, HUDI_FAILS), None)
    assert raised(lambda: expected.settle(of_case, every_sync_comes_through)).blame == whose
