"""The page's first screen: trust, cost, and what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.finding import Answers, Blame, Verdict
from xtable_audit.model.own_table import OwnTable
from xtable_audit.model.result import Owner
from xtable_audit.report.document import Document, Registered, TrialRow
from xtable_audit.report.groups import groups
from xtable_audit.report.html.first import FEW, NAMED, First, first

MILLIS = Registered("Timestamps in milliseconds", "xtable", Owner.XTABLE, "everyday", "a cause", "Write microseconds.")
OF_DAFT = replace(MILLIS, component="daft", owner=Owner.READERS)
NONE_KNOWN = Registered("A limit", "xtable", Owner.XTABLE, "rare", "a cause", "none known")
OWN = OwnTable("orders", "/lake/orders", "/lake/orders/v1.json", 7, 2, "Spark 4.0", 4, 400, 3, 4)


def drawn(made: Document) -> First:
    return first(made, groups(made))


def known(entry: Registered = MILLIS, **changed: Any) -> Document:
    return replace(document(claim(), claim("known", registered="XTF-004", **changed)), register={"XTF-004": entry})


def own(made: Document) -> Document:
    return replace(made, own_table=OWN, translation=replace(made.translation, mode="given"))


TRUST = {
    "Yes: nothing that was checked misleads a reader.": document(claim()),
    "Not every table: 1 cause gives wrong results.": known(),
    "What can be read is right; not all can be read.": known(verdict="UNREADABLE"),
    "Yes for results; daft refuses tables.": known(OF_DAFT, verdict="UNREADABLE", reader="daft"),
    "Yes for results; readers scan more than they must.": known(verdict="LOOSE"),
    "Not known: something that was selected could not run.": document(claim(), claim("inconclusive")),
    "Not known: no claim was judged.": document(claim("not_applicable")),
    "No: by this metadata readers get wrong results.": own(document(claim("finding"))),
    "Nothing found in what was compared; not every value was.": replace(
        own(document(claim())), own_table=replace(OWN, read=2)
    ),
}


@pytest.mark.parametrize("outcome", ["inconclusive", "error"])
@pytest.mark.parametrize("other", ["held", "gone", "finding"])
def test_what_could_not_run_leaves_trust_open(outcome: str, other: str) -> None:
    more = {"verdict": "LOOSE"} if other == "finding" else {}
    made = document(claim(), claim(other, **more), claim(outcome))
    assert drawn(made).answers[0].short == "Not known: something that was selected could not run."


def test_a_table_is_hit_only_by_findings_of_wrong_results() -> None:
    made = document(
        claim("known", "a-xtable", registered="XTF-004"),
        claim("known", "b-xtable", registered="XTF-004", verdict="LOOSE"),
    )
    assert "1 of 2 tables have no finding of wrong results" in [line.text for line in drawn(made).answers[0].lines]


@pytest.mark.parametrize(("words", "made"), TRUST.items(), ids=TRUST)
def test_trust_is_answered_in_a_sentence(words: str, made: Document) -> None:
    assert drawn(made).answers[0].short == words


def test_what_the_user_accepts_does_not_take_trust_away() -> None:
    made = own(known(table="orders"))
    accepting = replace(made, own_table=replace(OWN, accepted=("XTF-004",)))
    assert drawn(made).answers[0].short.startswith("No:")
    assert drawn(accepting).answers[0].short.startswith("Yes:")


def test_the_cost_counts_each_tables_rows_once_and_none_that_readers_refuse() -> None:
    made = document(
        claim("finding", "a-xtable", wrong=3, rows=3),
        claim("finding", "a-xtable", test="suites/x/test_y.py::test_z", wrong=2),
        claim("finding", "b-xtable", wrong=5, verdict="UNREADABLE"),
    )
    cost = drawn(made).answers[1]
    assert (cost.number, cost.short) == ("3", "rows of this suite's own tables lost or wrong, by the values")


def test_the_cost_of_a_users_table_is_counted_in_its_own_rows() -> None:
    cost = drawn(own(document(claim("finding", wrong=3)))).answers[1]
    assert (cost.number, cost.short) == ("3", "rows lost or wrong, by the values")


def test_the_cost_says_what_readers_returned_and_of_how_many_tables_none_was_asked() -> None:
    made = document(
        claim("finding", "a-xtable", answers=Answers("a-xtable", "TRUE", 4, {"duckdb": 2, "polars": "raises"})),
        claim("finding", "b-xtable", answers=Answers("b-xtable", "TRUE", 4, {"duckdb": "raises"})),
        claim("finding", "c-xtable", answers=Answers("c-xtable", "TRUE", 4, {"duckdb": 4})),
        claim("finding", "d-xtable"),
    )
    lines = [line.text for line in drawn(made).answers[1].lines]
    assert lines == [
        (
            "readers were asked about 3 of these tables: they return wrong rows and no error on 1, "
            "raise an error on 1, return right rows on 1"
        ),
        "no reader was asked about 1 table: there the values alone show it",
    ]


def test_the_cost_names_the_predicates_by_which_some_planner_loses_rows() -> None:
    made = replace(known(), trials=(TrialRow("t", "judge", 100, 7, {}), TrialRow("t", "java", 100, 9, {})))
    assert "9 of 100 predicates tried lose rows" in [line.text for line in drawn(made).answers[1].lines]


def test_a_run_without_findings_costs_nothing() -> None:
    assert drawn(document(claim())).answers[1].short == "No row is lost or wrong in what was checked."


def test_what_to_do_is_the_remedy_with_a_link_to_its_finding() -> None:
    [line] = drawn(known()).answers[2].lines
    assert ("Write microseconds" in line.text, line.label, line.anchor) == (True, "XTF-004", "XTF-004")


def test_no_remedy_is_promised_that_is_not_known() -> None:
    assert drawn(known(NONE_KNOWN)).answers[2].short == "No remedy is known for what was found."


def test_new_findings_are_to_be_looked_at_first() -> None:
    made = document(claim("finding"), claim("known", registered="XTF-004", test="suites/x/test_y.py::test_z"))
    made = replace(made, register={"XTF-004": MILLIS})
    todo = drawn(made).answers[2]
    assert (todo.short, todo.lines[0].label) == ("Look at 1 new cause first.", "d")


def test_there_are_few_things_to_do_where_much_is_wrong() -> None:
    new = [
        claim("finding", test=f"suites/x/test_y.py::test_{n}", claim=f"claim_{n}", sentence=str(n)) for n in range(9)
    ]
    known = [claim("known", f"t{n}-xtable", registered=f"XTF-{n:03}") for n in range(9)]
    entries = {f"XTF-{n:03}": MILLIS for n in range(9)}
    made = replace(document(*new, *known, claim("gone"), claim("error")), register=entries)
    assert len(drawn(made).answers[2].lines) == FEW + 2


def test_gone_findings_are_to_be_removed() -> None:
    todo = drawn(document(claim("gone"))).answers[2]
    assert "Remove 1 registered finding that is gone." in [line.text for line in todo.lines]


def test_effects_are_counted_by_whose_bug_it_is() -> None:
    made = document(
        claim("finding", blame=Blame.HUDI, test="suites/x/test_y.py::test_a"),
        claim("finding", blame=Blame.XTABLE_VIA_HUDI, test="suites/x/test_y.py::test_b"),
        claim("finding", blame=Blame.reader("daft"), verdict="UNREADABLE", test="suites/x/test_y.py::test_c"),
    )
    made = replace(
        made,
        claims=tuple(
            replace(one, finding=replace(one.finding, claim=one.claim))
            for one in made.claims
            if one.finding is not None
        ),
    )
    seen = drawn(made)
    assert seen.owners == ("XTable", "Hudi", "Readers")
    assert [(row.verdict, row.counts) for row in seen.effects] == [
        (Verdict.UNSOUND, (1, 1, 0)),
        (Verdict.UNREADABLE, (0, 0, 1)),
    ]


MANY = document(*(claim("finding", columns=[f"c{number}"]) for number in range(NAMED + 1)))
COLUMNS = {
    "x": own(document(claim("finding", columns=["x"]))),
    "orders-xtable.x": document(claim("finding", "orders-xtable", columns=["x"])),
    f"{NAMED + 1} columns of 1 table": MANY,
    f"{NAMED + 1} columns": own(MANY),
    "": document(claim("finding", columns=[])),
}


@pytest.mark.parametrize(("columns", "made"), COLUMNS.items(), ids=COLUMNS)
def test_the_columns_that_are_hit_are_named_where_they_are_few(columns: str, made: Document) -> None:
    assert [row.columns for row in drawn(made).effects] == [columns]


@pytest.mark.parametrize(
    ("made", "tone"),
    [(document(claim()), "good"), (known(), "fair"), (document(claim("finding")), "bad"), (own(known()), "bad")],
    ids=["conformant", "known", "new", "known on an own table"],
)
def test_the_tone_is_that_of_the_verdict(made: Document, tone: str) -> None:
    assert drawn(made).tone == tone
