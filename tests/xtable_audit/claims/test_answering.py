"""Claims about answers from metadata alone: they hold of a healthy table, and fail where an answer is another one."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyiceberg.table import StaticTable

from tests.of_each import of_each
from tests.tables.healthy import Table
from tests.tables.typed import TYPES
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.claims.readers.answering import (
    AggregateAnswer,
    Answering,
    answers_from_metadata_are_of_the_values,
    joins_functions_and_limits_have_every_row,
    shortcuts_change_no_answer,
)
from xtable_audit.judge import NOTHING, Judgement, judge
from xtable_audit.model.aggregate import CHOOSING, Aggregate, Function, Shortcut, joined
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.model.outcome import Outcome
from xtable_audit.planning import aggregates
from xtable_audit.planning.aggregate_answers import Selections, misleading, same, true_answers
from xtable_audit.planning.aggregates import counted_predicates, queries
from xtable_audit.planning.selection import judge_selections
from xtable_audit.readers.observe import AggregateObserved
from xtable_audit.scan import live_files
from xtable_audit.subject.case import Case
from xtable_audit.subject.table_rows import read_rows

ALL: tuple[Shortcut, ...] = get_args(Shortcut)
NOTHING_READ: frozenset[str] = frozenset()
VALUES: tuple[Shortcut, ...] = ("values",)
ROWS_ALONE: tuple[Shortcut, ...] = ("rows",)
TEXTS: tuple[Shortcut, ...] = ("rows of a text",)
JOINS: tuple[Shortcut, ...] = ("joined rows",)
SIDES: tuple[tuple[Function, int], ...] = (("min", 0), ("max", -1))
Change = Callable[[AggregateAnswer], AggregateAnswer]
"""What is made of one answer."""


def matching(table: Table, case: Case) -> Selections:
    asked = counted_predicates(case, ALL)
    return dict(zip(asked, judge_selections(table.mirror.objects, case, asked), strict=True))


def right(table: Table) -> Answering:
    """A reader that answers every question rightly, from metadata alone, and the same with its shortcut off."""
    case, counted = table.case, matching(table, table.case)
    answers = []
    for one in (one for query in queries(case, ALL) for one in query):
        true = true_answers(case, one, counted)
        said = AggregateObserved(true[0], NOTHING_READ)
        answers.append(AggregateAnswer(one, said, said, true))
    return Answering("duckdb", case, tuple(answers), counted)


def with_one(answering: Answering, asked: str, change: Change) -> Answering:
    assert asked in [str(one.asked) for one in answering.answers]
    changed = tuple(change(one) if str(one.asked) == asked else one for one in answering.answers)
    return replace(answering, answers=changed)


def saying(value: Any, read: frozenset[str] | None = NOTHING_READ, error: str | None = None) -> Change:
    return lambda one: replace(one, by_default=AggregateObserved(value, read, error))


def judged(claim: Claim[Any, Any], answering: Answering) -> Judgement:
    def describe(found: list[Any], ruling: tuple[Blame, str]) -> Finding:
        return Finding(
            claim.id, claim.sentence, claim.breaks, "t-xtable", found[0].saw, found[0].expected, NOTHING, *ruling
        )

    return judge(claim, answering, describe, (Blame.XTABLE, ""))


ANSWERING_CLAIMS = {one.id: one for one in (answers_from_metadata_are_of_the_values, shortcuts_change_no_answer)}
CHOOSING_CLAIMS = {one.id: one for one in (joins_functions_and_limits_have_every_row, shortcuts_change_no_answer)}
CLAIMS = {**ANSWERING_CLAIMS, **CHOOSING_CLAIMS}
WRONG: Mapping[str, Any] = {
    "count(*)": 17,
    "count(*) where region = 'east'": 18,
    "count(holey)": 0,
    "min(long)": 0,
    "max(double)": 1e9,
    "max(timestamp)": dt.datetime(2050, 1, 1),
    "min(nothing)": "a",
}

LESS: Mapping[str, int] = {
    "count(*) of a join on date with DATE '2022-10-03', DATE '2023-05-26'": 1,
    "count(*) where date(timestamp) = DATE '2022-10-03'": 0,
    "count(*) where month(date) = 10": 0,
    "count(*) where abs(int) = 90": 0,
    "count(*) where cast(int as string) = '-90'": 0,
    "count(*) of LIMIT 9": 8,
}


# What is asked, and what is true.


def test_every_column_of_a_table_is_asked_for(table_of: TableOf) -> None:
    asked = {str(one) for query in queries(table_of("typed").case, ALL) for one in query}
    assert {"count(*)", "count(*) where region = 'east'", "count(*) where region = 'west'"} <= asked
    assert "count(*) where region IS NULL" in asked
    of_columns = {one.column for query in queries(table_of("typed").case, VALUES) for one in query}
    assert of_columns == {name for name in TYPES if name != "place"}


def test_joins_are_asked_on_fifty_columns_of_a_wide_table(table_of: TableOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregates, "WIDEST", 2)
    assert len(queries(table_of("typed").case, JOINS)) == 2


def test_a_reader_is_asked_for_what_it_answers_from_metadata(table_of: TableOf) -> None:
    assert queries(table_of("typed").case, ROWS_ALONE) == ((Aggregate("count"),),)


def test_of_whole_numbers_the_first_is_asked_for_its_text_and_those_with_a_value_beyond_a_bound(
    draft_of: DraftOf,
) -> None:
    draft = draft_of("typed")
    assert texts_of(draft.case()) == {"int"}
    mutate.lower_upper(draft, 2, "holey")
    assert texts_of(draft.case()) == {"int", "holey"}


def test_joins_are_asked_on_the_first_column_of_each_type_on_partitions_and_where_a_value_is_beyond_a_bound(
    draft_of: DraftOf,
) -> None:
    draft = draft_of("typed")
    asked = asked_of(draft.case(), JOINS)
    assert {"int", "date", "region"} <= asked
    assert "holey" not in asked
    mutate.lower_upper(draft, 2, "holey")
    assert asked_of(draft.case(), JOINS) == {*asked, "holey"}


def texts_of(case: Case) -> set[str]:
    return asked_of(case, TEXTS)


def asked_of(case: Case, shortcuts: tuple[Shortcut, ...]) -> set[str]:
    return {column for query in queries(case, shortcuts) for one in query for column in one.columns}


@of_each("column", [name for name, kind in TYPES.items() if not pa.types.is_struct(kind)])
def test_the_true_answers_are_of_the_values(table_of: TableOf, column: str) -> None:
    """Against Arrow, over all rows of the table."""
    table = table_of("typed")
    files = live_files(table.mirror.objects, table.case.stored)
    values = read_rows(table.mirror.objects, table.case.stored, files).values[column]
    counted = matching(table, table.case)
    assert true_answers(table.case, Aggregate("count", column), counted) == (pc.count(values).as_py(),)
    known = values.drop_null()
    numbers = known.filter(pc.invert(pc.is_nan(known))) if pa.types.is_floating(known.type) else known
    ordered = sorted(numbers.to_pylist())
    for function, place in SIDES:
        first, *others = true_answers(table.case, Aggregate(function, column), counted)
        assert same(first, ordered[place] if ordered else None)
        assert bool(others) == (len(numbers) < len(known))


# The claims, both ways.


@of_each("claim", CLAIMS)
def test_answers_that_are_right_hold(table_of: TableOf, claim: str) -> None:
    assert judged(CLAIMS[claim], right(table_of("typed"))).outcome is Outcome.HELD


@of_each("asked", WRONG)
@pytest.mark.parametrize("claim", ANSWERING_CLAIMS)
def test_a_wrong_answer_is_found(table_of: TableOf, claim: str, asked: str) -> None:
    judgement = judged(CLAIMS[claim], with_one(right(table_of("typed")), asked, saying(WRONG[asked])))
    assert judgement.outcome is Outcome.FINDING
    assert judgement.finding is not None
    assert judgement.finding.saw.endswith(f" for {asked}")


@of_each("asked", LESS)
@pytest.mark.parametrize("claim", CHOOSING_CLAIMS)
def test_rows_that_are_missing_are_found(table_of: TableOf, claim: str, asked: str) -> None:
    whole = right(table_of("typed"))
    judgement = judged(CLAIMS[claim], with_one(whole, asked, saying(LESS[asked], frozenset({"a.parquet"}))))
    assert judgement.finding is not None
    assert judgement.finding.saw.startswith(f"{LESS[asked]} for {asked}")


def test_an_aggregate_is_no_matter_of_which_files_are_chosen(table_of: TableOf) -> None:
    answering = with_one(right(table_of("typed")), "min(long)", saying(0))
    assert judged(joins_functions_and_limits_have_every_row, answering).outcome is Outcome.HELD


def test_a_wrong_answer_from_values_is_no_matter_of_metadata(table_of: TableOf) -> None:
    read = frozenset({"a.parquet"})
    answering = with_one(right(table_of("typed")), "min(long)", saying(0, read))
    assert judged(answers_from_metadata_are_of_the_values, answering).outcome is Outcome.HELD
    assert judged(shortcuts_change_no_answer, answering).outcome is Outcome.FINDING


def test_what_is_read_is_not_known_without_a_request_log(table_of: TableOf) -> None:
    answering = with_one(right(table_of("typed")), "min(long)", saying(0, None))
    judgement = judged(answers_from_metadata_are_of_the_values, answering)
    assert (judgement.outcome, "request log" in judgement.reason) == (Outcome.INCONCLUSIVE, True)


def test_a_shortcut_that_does_not_turn_off_is_not_compared(table_of: TableOf) -> None:
    whole = right(table_of("typed"))
    no_switch = tuple(replace(one, unaided=AggregateObserved(None, None, "")) for one in whole.answers)
    judgement = judged(shortcuts_change_no_answer, replace(whole, answers=no_switch))
    assert judgement.outcome is Outcome.NOT_APPLICABLE


@of_each("claim", CLAIMS)
def test_a_reader_that_refuses_answers_nothing(table_of: TableOf, claim: str) -> None:
    whole = right(table_of("typed"))
    refused = tuple(saying(None, NOTHING_READ, "no such type")(one) for one in whole.answers)
    judgement = judged(CLAIMS[claim], replace(whole, answers=refused))
    assert (judgement.outcome, judgement.why) == (Outcome.NOT_APPLICABLE, "duckdb refuses: no such type")


NAN = math.nan
SAME = {
    "numbers": (7, 7, True),
    "other numbers": (7, 251, False),
    "an integer and its double": (7, 7.0, True),
    "zeros": (-0.0, 0.0, True),
    "NaN": (NAN, NAN, True),
    "NaN and a number": (-0.0, NAN, False),
    "nothing": (None, None, True),
    "nothing and zero": (None, 0, False),
    "an instant": (dt.datetime(2023, 1, 1), dt.datetime(2023, 1, 1, tzinfo=dt.UTC), True),
    "a microsecond": (dt.datetime(2023, 1, 1), dt.datetime(2023, 1, 1, 0, 0, 0, 1), False),
}


@pytest.mark.parametrize(("one", "other", "alike"), SAME.values(), ids=SAME.keys())
def test_answers_are_the_same_value(one: Any, other: Any, alike: bool) -> None:
    assert same(one, other) is same(other, one) is alike


# A reader, on a table with a fault.


FIRST_DAY = "count(*) where date(timestamp) = DATE '2022-10-03'"


@pytest.mark.parametrize(
    ("column", "asked"),
    [("long", "count(*) of a join on long with -90000000000000, 145000000000000"), ("timestamp", FIRST_DAY)],
    ids=["a join", "a day"],
)
def test_a_false_bound_hides_rows_of_a_join_and_of_a_day(draft_of: DraftOf, column: str, asked: str) -> None:
    """The file whose bound is false is named."""
    draft = draft_of("typed")
    draft.put(0, "lower_bounds", column, mutate.stored(draft, 0, column, "upper"))
    case = draft.case()
    [one] = [one for query in queries(case, CHOOSING) for one in query if str(one) == asked]
    assert misleading(case, one, matching(draft.table, case)) == (0,)


def test_a_false_bound_of_a_file_that_is_kept_for_another_value_is_named(draft_of: DraftOf) -> None:
    """An engine may hold the rows of a file to its bounds, too."""
    draft = draft_of("typed")
    draft.put(0, "upper_bounds", "long", mutate.actual(draft, 0, "long", "min"))
    case = draft.case()
    least, greatest = (mutate.actual(draft, 0, "long", end) for end in ("min", "max"))
    asked = joined("long", (least, greatest))
    assert asked.predicate is not None
    [selection] = judge_selections(draft.mirror.objects, case, [asked.predicate])
    assert selection.lost == frozenset()
    assert misleading(case, asked, {asked.predicate: selection}) == (0,)


@pytest.mark.parametrize("more", [1, -1])
def test_a_false_record_count_is_a_wrong_answer(draft_of: DraftOf, more: int) -> None:
    """PyIceberg adds up record counts; the file whose count is false is named."""
    draft = draft_of("typed")
    mutate.set_field("record_count", lambda rows: rows + more)(draft, 1)
    case, asked = draft.case(), Aggregate("count")
    scan = StaticTable.from_metadata(draft.table.metadata_location, draft.mirror.pyiceberg).scan()
    said = AggregateObserved(scan.count(), NOTHING_READ)
    counted = matching(draft.table, draft.table.case)
    true = true_answers(case, asked, counted)
    answering = Answering("pyiceberg", case, (AggregateAnswer(asked, said, said, true),), counted)
    [found] = answers_from_metadata_are_of_the_values.deviations(answering)
    assert (found.saw, found.expected) == (f"{18 + more} for count(*)", "18 by the values")
    assert found.places == misleading(case, asked, counted) == (1,)


def test_of_a_column_whose_tuples_are_false_no_answer_is_known(draft_of: DraftOf) -> None:
    """A reader may show the tuple in place of the values."""
    draft = draft_of("typed")
    mutate.set_tuple(draft, 0, "west")
    case, counted = draft.case(), matching(draft.table, draft.table.case)
    assert true_answers(case, Aggregate("min", "region"), counted) == ()
    assert true_answers(draft.table.case, Aggregate("min", "region"), counted) == ("east",)
    assert misleading(case, Aggregate("min", "region"), counted) == (0,)
