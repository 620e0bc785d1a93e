"""What a run comes to: its verdict, its JUnit XML, and what is set aside in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from rich.console import Console

from tests.xtable_audit.report import runs
from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.outcome import Outcome, RunVerdict
from xtable_audit.model.result import ClaimResult, Owner
from xtable_audit.report.beside_findings import set_aside
from xtable_audit.report.document import Document, Registered, SetAsideRow
from xtable_audit.report.for_ci import junit
from xtable_audit.report.scorecard import print_scorecard

HELD, FINDING, KNOWN, GONE, INCONCLUSIVE, NOT_APPLICABLE, ERROR = Outcome
VERDICTS = {
    "all held": ([HELD, HELD], RunVerdict.CONFORMANT),
    "held and known": ([HELD, KNOWN], RunVerdict.KNOWN_DEFECTS),
    "known alone": ([KNOWN], RunVerdict.KNOWN_DEFECTS),
    "one finding": ([HELD, FINDING], RunVerdict.FINDINGS),
    "one registered but gone": ([HELD, GONE], RunVerdict.FINDINGS),
    "one that could not run": ([HELD, INCONCLUSIVE], RunVerdict.INCONCLUSIVE),
    "held, where others do not apply": ([HELD, NOT_APPLICABLE], RunVerdict.CONFORMANT),
    "none that applies": ([NOT_APPLICABLE], RunVerdict.INCONCLUSIVE),
    "one error": ([HELD, ERROR], RunVerdict.ERROR),
    "a finding outweighs an error": ([FINDING, ERROR, INCONCLUSIVE], RunVerdict.FINDINGS),
    "an error outweighs what could not run": ([ERROR, INCONCLUSIVE], RunVerdict.ERROR),
    "nothing at all": ([], RunVerdict.INCONCLUSIVE),
}
OUTCOMES = {
    Outcome.HELD: [],
    Outcome.FINDING: ["failure"],
    Outcome.KNOWN: ["skipped"],
    Outcome.GONE: ["failure"],
    Outcome.INCONCLUSIVE: ["skipped"],
    Outcome.NOT_APPLICABLE: ["skipped"],
    Outcome.ERROR: ["error"],
}
ORC, VARIANT = "files of format ORC are not read", "values of type variant are not judged"
COLUMN = SetAsideRow("t", "place.shape", None, VARIANT)
FILES = tuple(SetAsideRow("t", None, f"s3://b/t/{number}.orc", ORC) for number in range(5))
LINES = {
    "a column": ([COLUMN], [f"t: column place.shape not judged in full: {VARIANT}"]),
    "a file": ([FILES[0]], [f"t: file 0.orc not judged in full: {ORC}"]),
    "few files": (FILES[:2], [f"t: 2 files (0.orc, 1.orc) not judged in full: {ORC}"]),
    "many files": (FILES, [f"t: 5 files (0.orc, 1.orc, 2.orc …) not judged in full: {ORC}"]),
    "another table": (
        [FILES[0], replace(FILES[1], table="u")],
        ["t: file 0.orc not judged", "u: file 1.orc not judged"],
    ),
    "another reason": ([COLUMN, *FILES], ["t: column place.shape not judged", "t: 5 files (0.orc"]),
    "nothing": ([], []),
}


def ended(*outcomes: Outcome, complete: bool = True) -> Document:
    return replace(runs.document(*map(runs.claim, outcomes)), complete=complete)


def suite(*claims: ClaimResult) -> Element:
    run = replace(
        document(*claims), register={"XTF-003": Registered("NaN makes bounds 0.0", "xtable", Owner.XTABLE, "everyday")}
    )
    found = ElementTree.fromstring(junit(run)).find("testsuite")
    assert found is not None
    return found


def run(*rows: SetAsideRow) -> Document:
    return replace(document(claim()), set_aside=rows)


# The run's verdict, from how its claims ended.


@pytest.mark.parametrize(("outcomes", "verdict"), VERDICTS.values(), ids=VERDICTS.keys())
def test_verdict_of_a_run(outcomes: list[Outcome], verdict: RunVerdict) -> None:
    assert ended(*outcomes).verdict is verdict


def test_run_cut_short_is_no_pass() -> None:
    assert ended(HELD, complete=False).verdict is RunVerdict.ERROR


def test_a_run_cut_short_still_reports_its_findings() -> None:
    assert ended(FINDING, complete=False).verdict is RunVerdict.FINDINGS


@pytest.mark.parametrize("outcome", [o for o in Outcome if o not in (HELD, KNOWN, NOT_APPLICABLE)])
def test_whatever_else_a_claim_comes_to_is_no_pass(outcome: Outcome) -> None:
    assert ended(HELD, outcome).verdict not in (RunVerdict.CONFORMANT, RunVerdict.KNOWN_DEFECTS)


def test_counts_name_every_outcome() -> None:
    counts = json.loads(ended(HELD, HELD, KNOWN).to_json())["counts"]
    assert counts == dict.fromkeys(map(str, Outcome), 0) | {"held": 2, "known": 1}


# JUnit XML of a document: which element each outcome has, and what it says.


@pytest.mark.parametrize(("outcome", "elements"), OUTCOMES.items())
def test_each_outcome_has_its_element(outcome: Outcome, elements: list[str]) -> None:
    [case] = suite(claim(outcome))
    assert [one.tag for one in case] == elements


def test_the_suite_counts_its_cases() -> None:
    found = suite(*map(claim, Outcome))
    assert [found.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["7", "2", "1", "3"]


def test_a_case_has_the_name_that_pytest_gives_it() -> None:
    [case] = suite(claim(test="suites/bounds/test_bounds.py::test_x", table="a-xtable"))
    assert (case.get("classname"), case.get("name")) == ("suites.bounds.test_bounds", "test_x[a-xtable]")


MESSAGES = {
    "a new finding": (claim("finding"), "UNSOUND: [0.0 … 0.0] for part-1.parquet"),
    "a known finding": (claim("known", registered="XTF-003"), "XTF-003: NaN makes bounds 0.0"),
    "a reason": (claim("error", reason="it broke"), "it broke"),
}


@pytest.mark.parametrize(("one", "message"), MESSAGES.values(), ids=MESSAGES.keys())
def test_the_message_is_the_finding_or_the_reason(one: ClaimResult, message: str) -> None:
    [[element]] = suite(one)
    assert element.get("message") == message


def test_the_text_is_the_whole_finding() -> None:
    found = claim("finding")
    [[element]] = suite(found)
    assert element.text == str(found.finding)


def test_what_xml_cannot_hold_is_written_as_an_escape() -> None:
    [[element]] = suite(claim("finding", saw="\x00\x1b\ufffe <&> 😀"))
    assert element.get("message") == r"UNSOUND: \x00\x1b\ufffe <&> 😀"


# What no claim judges is in the scorecard and in JUnit, with its table, its name and the reason.


@pytest.mark.parametrize(("rows", "starts"), LINES.values(), ids=LINES.keys())
def test_what_is_set_aside_is_one_line_per_table_and_reason(rows: list[SetAsideRow], starts: list[str]) -> None:
    found = set_aside(run(*rows))
    assert [line[: len(start)] for line, start in zip(found, starts, strict=True)] == starts


@pytest.mark.parametrize("rows", [[COLUMN, *FILES], []], ids=["columns and files", "nothing"])
def test_the_scorecard_has_a_line_for_it(rows: list[SetAsideRow], tmp_path: Path) -> None:
    with (tmp_path / "card.txt").open("w+") as file:
        print_scorecard(Console(file=file, width=100), run(*rows))
        file.seek(0)
        card = file.read()
    told = [" ".join(line.split()) for line in card.splitlines() if line.startswith(" aside")]
    assert told == [f"aside {line}" for line in set_aside(run(*rows))]


def test_junit_has_a_property_for_it() -> None:
    [suite] = ElementTree.fromstring(junit(run(COLUMN, *FILES)))
    found = [(one.get("name"), one.get("value")) for one in suite.iterfind("properties/property")]
    assert found == [("set aside", line) for line in set_aside(run(COLUMN, *FILES))]


def test_junit_has_no_properties_if_every_part_is_judged() -> None:
    [suite] = ElementTree.fromstring(junit(run()))
    assert suite.find("properties") is None
