"""gate.json: read back as it was written, refused where it is damaged, with what the gate's answer rests on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.of_each import of_each
from tests.xtable_audit.report.runs import claim, document
from tests.xtable_audit.report.test_gate import ANSWERS, BOTH, FOUND, HELD, KNOWN, NEW, NOT_RUN, OLD, gate, many, runs
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import ClaimResult, Owner
from xtable_audit.report.compare import HUDIS_INDEXES, Change
from xtable_audit.report.document import Registered, UnreadableDocument
from xtable_audit.report.gate import SCHEMA_VERSION, Gate, GateRun, judge_upgrade
from xtable_audit.report.gate_answers import Rests, UpgradeAdvice
from xtable_audit.report.gate_page import markdown, page, summary
from xtable_audit.report.html.compared import render_gate

SCHEMA = json.loads((Path(__file__).parents[3] / "gate.schema.json").read_text(encoding="utf-8"))
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


# What a gate's answer rests on: judged claims, readers, and what was not judged, by the reason.

TABLE, OTHER = "types_nan-xtable", "history_upsert-xtable"
COUNTS, READ = (f"suites/counts/test_counts.py::test_{name}" for name in ("null_counts_are_exact", "rows_are_read"))
BOUND = "the claim needs a stored bound"
NO_LOG = "no request log of types_nan-xtable"
SPARK = "Spark is not asked: Java 17 is not here."


def of(before: list[ClaimResult], after: list[ClaimResult], in_place: list[ClaimResult] | None = None) -> Gate:
    """The last run is as TO alone if none is given."""
    there = document(*(after if in_place is None else in_place), upgrade_from=OLD)
    return judge_upgrade(
        GateRun("from", OLD, document(*before, release=OLD)),
        GateRun("to", NEW, document(*after)),
        GateRun("in place", NEW, there, upgrade_from=OLD),
        not_asked=(SPARK,),
    )


def rests(answer: Gate) -> Rests:
    assert answer.rests_on is not None
    return answer.rests_on


def nothing(table: str = TABLE, test: str = COUNTS) -> ClaimResult:
    return claim("not_applicable", table, test, reason=BOUND)


def unheard(table: str = TABLE, test: str = COUNTS) -> ClaimResult:
    return claim("inconclusive", table, test, reason=f"inconclusive: no request log of {table}")


JUDGED_CLAIMS = [
    claim("held"),
    claim("held", test=COUNTS),
    claim("held", test=READ, reader="duckdb"),
    nothing(test="a::test_b"),
]


def test_it_counts_what_each_run_judges() -> None:
    found = rests(of(JUDGED_CLAIMS, JUDGED_CLAIMS))
    assert (found.judged, found.tables, found.nothing, found.readers) == (3, 1, 1, {"duckdb": 1})
    assert (found.unjudged, found.no_longer, found.lost) == ((), {}, {})


def test_a_reader_that_answered_in_one_run_alone_is_named_with_nothing() -> None:
    silent = [*JUDGED_CLAIMS[:2], claim("inconclusive", test=READ, reader="duckdb"), JUDGED_CLAIMS[3]]
    assert rests(of(JUDGED_CLAIMS, silent)).readers == {"duckdb": 0}


def test_hudis_own_indexes_are_no_part_of_it() -> None:
    before, after, there = (
        replace(one, document=replace(one.document, sources={TABLE: HUDIS_INDEXES}) if one.document else None)
        for one in runs(*JUDGED_CLAIMS[:1] * 3)
    )
    assert rests(judge_upgrade(before, after, there)).judged == 0


def test_claims_that_could_not_run_are_counted_by_their_reason() -> None:
    """Whichever run it was, and whatever the table is called."""
    before = [claim("held"), claim("held", test=COUNTS), unheard(OTHER, COUNTS)]
    after = [claim("held"), unheard(), unheard(OTHER, COUNTS)]
    [one] = rests(of(before, after)).unjudged
    assert (one.what, one.why, one.number, one.before) == ("could not run", "no request log of …-xtable", 2, 1)
    assert (set(one.runs), one.claims, one.tables) == (
        {"from", "to", "in place"},
        ("null_counts_are_exact",),
        (OTHER, TABLE),
    )


def test_a_table_that_no_release_reads_is_named() -> None:
    """Its claims are neither broken nor whole with either release."""
    read = claim("finding", OTHER, READ, verdict="UNREADABLE", cause=Cause.FOLLOWS)
    found = rests(of([claim("held"), read], [claim("held"), read]))
    [one] = found.unjudged
    assert (one.what, one.runs, one.number, one.before) == ("no table to read", ("from", "to", "in place"), 1, 0)
    assert (one.tables, found.no_longer, found.lost) == ((OTHER,), {}, {})


LATER = {
    "with TO": ([claim("held"), nothing()], None, ("to", "in place")),
    "in place": (JUDGED_CLAIMS[:2], [claim("held"), nothing()], ("in place",)),
}


@pytest.mark.parametrize(("after", "in_place", "names"), LATER.values(), ids=LATER)
def test_claims_that_no_longer_compare_anything_are_named(after: Any, in_place: Any, names: tuple[str, ...]) -> None:
    answer = of(JUDGED_CLAIMS[:2], after, in_place)
    [one] = rests(answer).unjudged
    assert (one.what, one.why, one.runs, one.before) == ("nothing to compare", BOUND, names, 1)
    assert (rests(answer).no_longer, [one.change for one in answer.differences]) == ({TABLE: 1}, [Change.UNJUDGED])


def test_an_upgrade_in_place_says_what_is_no_longer_judged() -> None:
    answer = of(JUDGED_CLAIMS[:2], [claim("held"), nothing()])
    assert (answer.advice, answer.exit_status) == (UpgradeAdvice.UPGRADE_IN_PLACE, 0)
    assert answer.sentence.endswith("No longer judged, as there is nothing to compare: 1 claim of 1 table.")


BLIND = {
    "nothing to compare": nothing(OTHER),
    "could not run": unheard(OTHER),
    "refused": claim("not_applicable", OTHER, COUNTS, reason="of version 8", cause=Cause.REFUSED),
    "unreadable": claim("finding", OTHER, COUNTS, verdict="UNREADABLE", cause=Cause.FOLLOWS),
}


@pytest.mark.parametrize("of_other", BLIND.values(), ids=BLIND)
@pytest.mark.parametrize("place", [1, 2], ids=["TO", "in place"])
def test_a_table_that_a_later_run_does_not_judge_at_all_leaves_no_answer(place: int, of_other: ClaimResult) -> None:
    seen = [[claim("held"), claim("held", OTHER, COUNTS)] for _ in range(3)]
    seen[place][1] = of_other
    answer = of(*seen)
    assert (answer.advice, answer.exit_status) == (UpgradeAdvice.CANNOT_SAY, 6)
    assert list(rests(answer).lost) == [OTHER]
    assert {one.advice for one in answer.answers} == {UpgradeAdvice.CANNOT_SAY}


def test_it_says_which_table_that_is() -> None:
    answer = of([claim("held"), claim("held", OTHER, COUNTS)], [claim("held"), nothing(OTHER)])
    assert answer.sentence == f"to: no claim is judged on 1 table on which FROM judges some: {OTHER}."


def test_a_gate_without_an_answer_rests_on_nothing() -> None:
    before, after, _ = runs(JUDGED_CLAIMS[0], JUDGED_CLAIMS[0], JUDGED_CLAIMS[0])
    assert judge_upgrade(replace(before, document=None), after, NOT_RUN).rests_on is None


MIXED = of(JUDGED_CLAIMS, [claim("held"), nothing(), unheard(test=READ), JUDGED_CLAIMS[3]])
WORDS = [
    "Spark is not asked: Java 17 is not here.",
    BOUND,
    "no request log of …-xtable",
    "1 claim on 1 table that each run",
]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("write", [page, markdown, summary, render_gate])
def test_each_page_says_what_it_rests_on(write: Any, words: str) -> None:
    assert words in " ".join(write(MIXED).split())


def test_a_gate_of_the_schema_before_is_read_and_says_nothing_of_it() -> None:
    before = gate(claim("held"), claim("finding"), claim("finding"))
    raw = json.loads(before.to_json()) | {"schema_version": 6}
    del raw["rests_on"], raw["costs"]["no longer judged"]
    for one in raw["answers"]:
        del one["unjudged"]
    for one in raw["differences"]:
        for key in ("changed_from", "change", "root"):
            del one["after"][key], one["in_place"][key]
    again = Gate.from_json(json.dumps(raw))
    assert again == replace(before, rests_on=None, answers=tuple(replace(one, unjudged=None) for one in before.answers))
    for write in (page, markdown, render_gate):
        assert "rests on" not in write(again).lower()
