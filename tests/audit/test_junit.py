"""JUnit XML of a document: which element each outcome has, and what it says."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from tests.audit.runs import claim, document
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.owner import Owner
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Registered
from xtable_audit.report.junit import junit


def suite(*claims: ClaimResult) -> Element:
    run = replace(
        document(*claims), register={"XTF-003": Registered("NaN makes bounds 0.0", "xtable", Owner.XTABLE, "everyday")}
    )
    found = ElementTree.fromstring(junit(run)).find("testsuite")
    assert found is not None
    return found


OUTCOMES = {
    Outcome.HELD: [],
    Outcome.FINDING: ["failure"],
    Outcome.KNOWN: ["skipped"],
    Outcome.GONE: ["failure"],
    Outcome.INCONCLUSIVE: ["skipped"],
    Outcome.NOT_APPLICABLE: ["skipped"],
    Outcome.ERROR: ["error"],
}


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
