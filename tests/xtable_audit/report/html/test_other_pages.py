"""The pages beside report.html: gate.html, may I upgrade? and diff.html, what differs between two runs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.of_each import of_each
from tests.xtable_audit.report.documents import audit, hostile_run, own_table
from tests.xtable_audit.report.html.conftest import Page
from tests.xtable_audit.report.html.test_pictures import HEALTHY, NARROW, ranges
from tests.xtable_audit.report.runs import claim, document
from tests.xtable_audit.report.test_gate import ANSWERS, NEW, NOT_RUN, OLD, gate
from xtable_audit.model.outcome import Cause
from xtable_audit.report.compare import HUDIS_INDEXES
from xtable_audit.report.diff import Diff, diff, markdown
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.gate import Gate, GateRun, judge_upgrade
from xtable_audit.report.gate_answers import UpgradeAdvice
from xtable_audit.report.html.compared import DRAWN, render_diff, render_gate
from xtable_audit.report.summary import MOST

GATES = {name: gate(*case[:3]) for name, case in ANSWERS.items()}
OF_SOURCES = {"types_nan-xtable": "Hudi COPY_ON_WRITE"}
HELD, FOUND = document(claim()), document(claim("finding"))
RANGES = ranges(HEALTHY, NARROW)
TABLES = [f"{name}-xtable" for name in ("new", "changed", "gone", "still")]


def of_sources(before: str, after: str) -> Gate:
    """One claim of a table whose kind of source is known; each outcome is held or finding."""
    made = [replace(document(claim(outcome, wrong=2)), sources=OF_SOURCES) for outcome in (before, after)]
    old = replace(made[0], translation=replace(made[0].translation, release=OLD))
    return judge_upgrade(GateRun("from", OLD, old), GateRun("to", NEW, made[1]), NOT_RUN)


def two_runs() -> Diff:
    """A claim that is new, one that changes, one that is gone, one that stays, and one that one run lacks."""
    new, changed, gone, still = TABLES
    before = document(
        claim("held", new),
        claim("finding", changed, saw="[7.0 … 7.0]", wrong=1),
        claim("finding", gone),
        claim("known", still, registered="XTF-003"),
        release="0.3.0-incubating",
    )
    after = document(
        claim("finding", new, ranges=RANGES, wrong=3),
        claim("finding", changed, saw="[8.0 … 8.0]", verdict="LOOSE"),
        claim("held", gone),
        claim("known", still, registered="XTF-003"),
        claim("finding", "added-xtable"),
    )
    return diff(before, after)


@pytest.fixture(scope="module")
def text() -> str:
    return Page(render_diff(two_runs())).text


# gate.html: may I upgrade?


@of_each(("name", "answer"), GATES.items(), ids=GATES)
def test_the_first_words_are_the_answer(name: str, answer: Gate) -> None:
    text = Page(render_gate(answer)).text
    question, advice = f"May I upgrade XTable {OLD} to {NEW}?", str(answer.advice)
    assert text.index(question) < text.index(advice[:1].upper() + advice[1:]) < text.index("a claim on a table each")


@of_each("answer", GATES.values(), ids=GATES)
def test_the_page_is_whole(answer: Gate) -> None:
    page = Page(render_gate(answer))
    assert (page.unclosed, page.open) == ([], [])
    assert json.loads(page.document) == json.loads(answer.to_json())


def test_a_kind_of_source_has_its_answer_and_its_picture() -> None:
    page = Page(render_gate(of_sources("held", "finding")))
    assert "Hudi COPY_ON_WRITE 1 ✗ Do not upgrade 0 1 (2 rows)" in page.text
    assert page.tags.count("figure") == 1


def test_how_to_drop_the_metadata_is_told_where_it_is_to_be_dropped() -> None:
    dropped = [name for name, one in GATES.items() if "To drop the Iceberg metadata" in render_gate(one)]
    assert dropped == [name for name, one in GATES.items() if one.advice is UpgradeAdvice.DROP_METADATA and one.answers]
    assert dropped


# What differs between two runs.


@pytest.mark.parametrize(
    ("before", "after", "title"),
    [
        (HELD, FOUND, "# 1 new"),
        (FOUND, HELD, "# 1 gone"),
        (FOUND, document(claim("finding", verdict="LOOSE")), "# 1 changed"),
        (FOUND, FOUND, "# No difference"),
        (HELD, document(claim("gone", reason="XTF-003 is gone")), "# 1 registered but gone"),
        (own_table(), own_table(), "# No difference"),
    ],
    ids=["a new finding", "one that is gone", "another verdict", "the same", "a mended register", "one table twice"],
)
def test_the_title_counts(before: Document, after: Document, title: str) -> None:
    assert markdown(diff(before, after)).splitlines()[0] == title


def test_what_stays_is_counted_by_its_cause() -> None:
    run = document(claim("known", registered="XTF-003"))
    assert "Still there: 1 claim: XTF-003 (1)" in markdown(diff(run, run)).splitlines()


def test_what_one_run_did_not_check_is_neither_new_nor_gone() -> None:
    text = markdown(diff(HELD, document(claim("finding", "orders-xtable"))))
    assert text.startswith("# No difference")
    assert "Not compared: 2 claims that only one of the runs could check" in text


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("before", "CONFORMANT: every selected claim holds · exit 0"), ("after", "FINDINGS: 1 new · exit 1")],
)
def test_a_run_is_named_with_its_verdict(name: str, verdict: str) -> None:
    run = "XTable 0.4.0-incubating · live · store: moto · 2026-11-22 15:30 UTC"
    assert f"| {name} | {run} | {verdict} |" in markdown(diff(HELD, FOUND)).splitlines()


def test_names_of_tables_are_no_markup() -> None:
    held = replace(hostile_run(), claims=tuple(claim("held", str(one.table)) for one in hostile_run().claims))
    assert "<script>" not in markdown(diff(held, hostile_run()))


def test_an_audit_and_a_check_are_not_compared() -> None:
    with pytest.raises(UnreadableDocument, match="name two of the same kind"):
        diff(audit(), own_table())


# diff.html: what is new, changed and gone between two runs.


@pytest.mark.parametrize(
    "words",
    [
        "What changed from XTable 0.3.0-incubating to XTable 0.4.0-incubating?",
        "1 new, 1 changed, 1 gone 1 failing claim as before",
        "Which claims fail anew? 1 claim: 3 rows lost or wrong, in 1 file of 1 table",
        "Which fail in another way? 1 claim: 1 file of 1 table",
        "Which fail no more? 1 claim: 1 file of 1 table",
        "before FINDINGS: 2 new 1 3 none XTable 0.3.0-incubating · live",
        "after FINDINGS: 3 new 1 4 none XTable 0.4.0-incubating · live",
        "before [7.0 … 7.0] (wrong results) stored [8.0 … 8.0]",
        "Still there 1 claim",
        "1 claim, before: it was not run",
    ],
)
def test_the_page_says(words: str, text: str) -> None:
    assert words in text


def test_failing_claims_that_are_not_compared_are_counted() -> None:
    """Those that follow from another finding, and those about Hudi's own indexes."""
    claims = [
        claim("finding"),
        claim("known", registered="XTF-003", cause=Cause.FOLLOWS),
        claim("finding", "skip-hudi1.2.0"),
    ]
    run = replace(document(*claims), sources={"skip-hudi1.2.0": HUDIS_INDEXES})
    text = Page(render_diff(diff(run, run))).text
    assert "0 3 1 follow from others, 1 of Hudi's own indexes XTable 0.4.0-incubating" in text


def test_without_a_difference_nothing_is_new_changed_or_gone() -> None:
    text = Page(render_diff(diff(own_table(), own_table()))).text
    assert "What changed in orders? No difference 1 failing claim as before" in text
    assert (text.count("None."), "No claim changes." in text) == (3, True)


@pytest.mark.parametrize(
    ("before", "after", "tone"),
    [
        (document(claim()), document(claim("finding")), "bad"),
        (document(claim("finding", wrong=1)), document(claim("finding", wrong=2)), "bad"),
        (document(claim("finding", wrong=2)), document(claim("finding", wrong=1)), "fair"),
        (document(claim("finding")), document(claim()), "good"),
    ],
    ids=["a new finding", "a worse one", "a lesser one", "one that is gone"],
)
def test_the_tone_is_that_of_the_worst_change(before: Document, after: Document, tone: str) -> None:
    assert f'class="first tone-{tone}"' in render_diff(diff(before, after))


def test_a_new_finding_has_its_picture_and_a_gone_one_has_none() -> None:
    forth, back = two_runs(), diff(two_runs().after, two_runs().before)
    assert [Page(render_diff(of)).tags.count("figure") for of in (forth, back)] == [1, 0]


def test_only_the_worst_changes_have_pictures_and_what_is_left_out_is_counted() -> None:
    lines = [claim("finding", f"t_{n}-xtable", test=f"suites/x/test_x.py::test_{n}", ranges=RANGES) for n in range(90)]
    page = Page(
        render_diff(
            diff(
                document(*(claim(table=str(one.table), test=one.test.partition("[")[0]) for one in lines)),
                document(*lines),
            )
        )
    )
    assert (page.tags.count("figure"), page.values("class").count("finding")) == (DRAWN, MOST)
    assert f"and {90 - MOST} more such lines" in page.text


def test_two_claims_on_one_column_have_pictures_of_different_names() -> None:
    first, second = (claim("finding", test=f"suites/x.py::test_{name}", ranges=RANGES, sentence=name) for name in "ab")
    held = [claim(test=f"suites/x.py::test_{name}") for name in "ab"]
    page = Page(render_diff(diff(document(*held), document(first, second))))
    names = [value for tag, name, value in page.attributes if (tag, name) == ("div", "aria-label")]
    assert len(set(names)) == len(names) == 2 * page.tags.count("figure") == 4
