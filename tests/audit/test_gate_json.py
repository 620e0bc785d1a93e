"""gate.json: read back as it was written, drawn again, refused where it is damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.audit.runs import claim, document
from tests.audit.test_gate import ANSWERS, BOTH, FOUND, HELD, KNOWN, NEW, NOT_RUN, OLD, gate, many
from tests.of_each import of_each
from xtable_audit.model.result import Owner
from xtable_audit.report.document import Registered, UnreadableDocument
from xtable_audit.report.gate import SCHEMA_VERSION, Gate, GateRun, judge_upgrade
from xtable_audit.report.gate_page import markdown, page, summary
from xtable_audit.report.html.compared import render_gate

SCHEMA = json.loads((Path(__file__).parents[2] / "gate.schema.json").read_text(encoding="utf-8"))
GATES = {name: gate(*case[:3]) for name, case in ANSWERS.items()} | {"many tables": many(), "two kinds": BOTH}
TITLED = Registered("Wrong bounds", "xtable", Owner.XTABLE, "everyday")


@of_each("answer", GATES.values(), ids=GATES)
def test_a_gate_keeps_its_schema(answer: Gate) -> None:
    checker = jsonschema.FormatChecker()
    jsonschema.Draft202012Validator(SCHEMA, format_checker=checker).validate(json.loads(answer.to_json()))


@of_each("answer", GATES.values(), ids=GATES)
def test_a_gate_is_read_back_as_it_was_written(answer: Gate) -> None:
    assert Gate.from_json(answer.to_json()) == answer


def test_a_gate_that_names_no_target_is_of_iceberg() -> None:
    older = {key: value for key, value in json.loads(BOTH.to_json()).items() if key != "target"}
    assert Gate.from_json(json.dumps(older | {"schema_version": 7})) == BOTH


def test_a_gate_of_delta_is_read_back_as_one() -> None:
    answer = replace(BOTH, target="delta")
    assert Gate.from_json(answer.to_json()) == answer
    assert f"{OLD} to {NEW}, to Delta" in markdown(answer)


def test_a_gate_of_a_target_that_is_no_format_is_damaged() -> None:
    with pytest.raises(UnreadableDocument, match="its target is 'paimon', not one of iceberg, delta"):
        Gate.from_json(json.dumps(json.loads(BOTH.to_json()) | {"target": "paimon"}))


@pytest.mark.parametrize("write", [page, markdown, summary, render_gate])
@pytest.mark.parametrize("answer", [BOTH, gate(FOUND, HELD, None), gate(KNOWN, KNOWN, KNOWN)])
def test_a_gate_that_is_read_again_has_the_same_pages(answer: Gate, write: Callable[[Gate], str]) -> None:
    assert write(Gate.from_json(answer.to_json())) == write(answer)


def test_a_cause_has_the_title_that_the_register_gave_it() -> None:
    run = replace(document(KNOWN), register={"XTF-012": TITLED, "XTF-013": TITLED})
    answer = judge_upgrade(GateRun("from", OLD, run), GateRun("to", NEW, run), NOT_RUN)
    assert answer.titles == {"XTF-012": TITLED.title}
    assert f"| XTF-012 {TITLED.title} | 1 |" in markdown(Gate.from_json(answer.to_json()))


@pytest.mark.parametrize("write", [markdown, render_gate])
def test_a_cause_has_what_a_user_does_about_it(write: Callable[[Gate], str]) -> None:
    entry = replace(TITLED, remedy="Write microseconds.", recovers="Move metadata away.")
    run = replace(document(KNOWN), register={"XTF-012": entry})
    answer = judge_upgrade(GateRun("from", OLD, run), GateRun("to", NEW, run), NOT_RUN)
    do = "Write microseconds. To bring the table back: move metadata away."
    assert answer.to_do == {"XTF-012": do}
    assert do in write(Gate.from_json(answer.to_json()))


def test_the_words_of_an_older_version_are_no_damage() -> None:
    raw = json.loads(BOTH.to_json()) | {"sentence": "as it was said before."}
    assert Gate.from_json(json.dumps(raw)) == BOTH


Damage = Callable[[dict[str, Any]], object]
DAMAGED: dict[str, tuple[Damage, str]] = {
    "an older schema": (
        lambda raw: raw.update(schema_version=4),
        f"has schema_version 4, not {SCHEMA_VERSION}: it lacks parts of its page",
    ),
    "no runs": (lambda raw: raw.pop("runs"), "is damaged: runs: "),
    "two runs": (lambda raw: raw["runs"].pop(), "is damaged: runs.2: "),
    "another advice": (
        lambda raw: raw.update(advice="cannot say"),
        "is damaged: advice does not follow from the rest",
    ),
    "no costs": (lambda raw: raw.pop("costs"), "is damaged: costs does not follow from the rest"),
    "one key more": (lambda raw: raw.update(more=1), "is damaged: more: "),
    "a finding that does not fail": (
        lambda raw: raw["differences"][0].update(fails=False),
        "is damaged: differences does not follow from the rest",
    ),
    "a number for a finding": (lambda raw: raw["differences"].append(7), "is damaged: differences.1: "),
    "no findings": (lambda raw: raw.pop("differences"), "This is no gate.json"),
}


@pytest.mark.parametrize(("change", "words"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_gate_is_refused_in_one_line_that_names_it(change: Damage, words: str) -> None:
    raw = json.loads(gate(HELD, FOUND, FOUND).to_json())
    change(raw)
    with pytest.raises(UnreadableDocument) as refusal:
        Gate.from_json(json.dumps(raw))
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", document(claim()).to_json()])
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(UnreadableDocument, match=r"name the gate\.json of a gate"):
        Gate.from_json(text)
