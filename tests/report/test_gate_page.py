"""gate.html: may I upgrade?"""

from __future__ import annotations

import json
from dataclasses import replace

from tests.audit.runs import claim, document
from tests.audit.test_gate import ANSWERS, NEW, NOT_RUN, OLD, gate
from tests.of_each import of_each
from tests.report.pages import Page
from xtable_audit.report.gate import Gate, GateRun, judge_upgrade
from xtable_audit.report.gate_answers import UpgradeAdvice
from xtable_audit.report.html.gate import render_gate

GATES = {name: gate(*case[:3]) for name, case in ANSWERS.items()}
OF_SOURCES = {"types_nan-xtable": "Hudi COPY_ON_WRITE"}


def of_sources(before: str, after: str) -> Gate:
    """One claim of a table whose kind of source is known; each outcome is held or finding."""
    made = [replace(document(claim(outcome, wrong=2)), sources=OF_SOURCES) for outcome in (before, after)]
    old = replace(made[0], translation=replace(made[0].translation, release=OLD))
    return judge_upgrade(GateRun("from", OLD, old), GateRun("to", NEW, made[1]), NOT_RUN)


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
