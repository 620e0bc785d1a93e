"""Whose fault a wrong answer from metadata is: the metadata's where it breaks a rule, and else the reader's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from fixtures.expect import Expectation
from fixtures.expect_answers import of_answering
from tests.audit import mutate
from tests.audit.conftest import DraftOf
from tests.audit.draft import Draft
from tests.run.tables import table_with
from xtable_audit.claims.readers.answering import (
    answers_from_metadata_are_of_the_values,
    joins_functions_and_limits_have_every_row,
    shortcuts_change_no_answer,
)
from xtable_audit.model.aggregate import Aggregate, Shortcut
from xtable_audit.model.finding import Blame, Finding, FindingError
from xtable_audit.planning.aggregate_answers import stored_answer, true_answers
from xtable_audit.planning.aggregates import counted_predicates, queries
from xtable_audit.planning.selection import judge_selections
from xtable_audit.readers.observe import AggregateObserved

SHORTCUTS: tuple[Shortcut, ...] = get_args(Shortcut)
NOTHING_READ: frozenset[str] = frozenset()
READER = "duckdb"
CUT = ("long_string", "long_binary")
"""Columns whose bounds are cut: a reader reads the values."""
Told = Mapping[str, Any]
"""Aggregate -> what the reader answers, where it does not believe the metadata."""
BELIEVING: Told = {}


def settled(draft: Draft, told: Told = BELIEVING, claim: Any = answers_from_metadata_are_of_the_values) -> None:
    """A reader answers all from metadata, and rightly with its shortcut off. The control's table is the healthy one."""
    case, objects = replace(draft.case(), id="typed-xtable"), draft.mirror.objects
    asked = queries(case, SHORTCUTS)
    known = counted_predicates(case, SHORTCUTS)
    matching = dict(zip(known, judge_selections(objects, case, known), strict=True))

    def answered(reader: str, id: str, *, shortcut: bool) -> dict[Aggregate, AggregateObserved]:
        values = {one: said(one) if shortcut else true(one) for one in chain(*asked)}
        return {one: AggregateObserved(value, NOTHING_READ, version="1") for one, value in values.items()}

    def true(one: Aggregate) -> Any:
        return true_answers(draft.table.case, one, matching)[0]

    def said(one: Aggregate) -> Any:
        reads = one.column in CUT or one.form != "aggregate"
        return told.get(str(one), true(one) if reads else stored_answer(case, one))

    session: Any = SimpleNamespace(
        queries=lambda *_: asked,
        matching=lambda *_: matching,
        aggregates=answered,
        table=lambda _: SimpleNamespace(case=draft.table.case),
        plan=SimpleNamespace(flags=lambda _: ""),
    )
    item: Any = SimpleNamespace(nodeid="suites/x.py::test_y", stash={}, user_properties=[])
    table = table_with(case.id, case, case.stored.metadata_location, stats=None, unreadable=None)
    Expectation(session, table, item).settle(of_answering, claim, READER)


def found(draft: Draft, told: Told = BELIEVING, claim: Any = answers_from_metadata_are_of_the_values) -> Finding:
    with pytest.raises(FindingError) as raised:
        settled(draft, told, claim)
    return raised.value.finding


def of_column(column: str, fault: mutate.OfColumn) -> mutate.OfFile:
    return lambda draft, place: fault(draft, place, column)


FALSE: Mapping[str, tuple[mutate.OfFile, str]] = {
    "a record count": (mutate.set_field("record_count", lambda rows: rows + 1), "count(*)"),
    "a null count": (of_column("holey", mutate.set_count("null", lambda row: row["null_count"] + 1)), "count(holey)"),
    "a lower bound above a value": (of_column("long", mutate.raise_lower), "min(long)"),
    "an upper bound below a value": (of_column("long", mutate.lower_upper), "max(long)"),
}
"""What breaks a rule of the format -> what a reader that believes it answers wrongly first."""


def test_of_a_healthy_table_every_answer_is_right(draft_of: DraftOf) -> None:
    settled(draft_of("typed"))


@pytest.mark.parametrize(("spoil", "asked"), FALSE.values(), ids=FALSE.keys())
@pytest.mark.parametrize("claim", [answers_from_metadata_are_of_the_values, shortcuts_change_no_answer])
def test_what_breaks_a_rule_is_its_writers(draft_of: DraftOf, spoil: mutate.OfFile, asked: str, claim: Any) -> None:
    draft = draft_of("typed")
    spoil(draft, 2 if asked.startswith("max") else 0)
    finding = found(draft, claim=claim)
    assert (finding.blame, f" for {asked}" in finding.saw, finding.impact.files) == (Blame.XTABLE, True, 1)


@pytest.mark.parametrize(("fault", "place"), [(mutate.lower_lower, 0), (mutate.raise_upper, 2)])
def test_a_bound_that_is_wider_than_the_values_is_as_the_format_allows(
    draft_of: DraftOf, fault: mutate.OfColumn, place: int
) -> None:
    draft = draft_of("typed")
    fault(draft, place, "long")
    finding = found(draft)
    assert (finding.blame, finding.because) == (Blame.reader(READER), "the metadata is as its format allows")
    assert finding.columns == ("long",)


JOIN = "count(*) of a join on long with -90000000000000, 145000000000000"


@pytest.mark.parametrize("claim", [joins_functions_and_limits_have_every_row, shortcuts_change_no_answer])
def test_rows_of_a_join_that_a_false_bound_hides_are_its_writers(draft_of: DraftOf, claim: Any) -> None:
    draft = draft_of("typed")
    mutate.lower_upper(draft, 2, "long")
    finding = found(draft, {JOIN: 1, "max(long)": 145000000000000}, claim)
    assert (finding.blame, finding.columns, finding.impact.files) == (Blame.XTABLE, ("long",), 1)


def test_rows_of_a_text_that_a_false_bound_hides_are_its_writers(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    mutate.lower_upper(draft, 2, "long")
    told = {"count(*) where cast(long as string) = '145000000000000'": 0}
    finding = found(draft, told, joins_functions_and_limits_have_every_row)
    assert (finding.blame, finding.columns, finding.impact.files) == (Blame.XTABLE, ("long",), 1)


def test_rows_of_a_join_that_the_metadata_keeps_are_the_readers(draft_of: DraftOf) -> None:
    finding = found(draft_of("typed"), {JOIN: 1}, joins_functions_and_limits_have_every_row)
    assert (finding.blame, finding.because) == (Blame.reader(READER), "the metadata gives another answer")


def test_rows_that_limit_leaves_out_by_a_false_record_count_are_its_writers(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    mutate.set_field("record_count", lambda rows: rows * 8)(draft, 0)
    finding = found(draft, {"count(*) of LIMIT 18": 6}, joins_functions_and_limits_have_every_row)
    assert (finding.blame, finding.impact.files) == (Blame.XTABLE, 1)


def test_an_answer_that_the_metadata_does_not_give_is_the_readers(draft_of: DraftOf) -> None:
    finding = found(draft_of("typed"), {"count(*) where region = 'east'": 18})
    assert (finding.blame, finding.because) == (Blame.reader(READER), "the metadata gives another answer")


def test_a_partition_tuple_of_another_value_is_its_writers(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    mutate.set_tuple(draft, 0, "west")
    finding = found(draft)
    assert (finding.blame, finding.columns) == (Blame.XTABLE, ("region",))
