"""The report of a run: its contract, its pointer, its words."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import fixtures.claims  # noqa: F401  # registers every claim
from tests.whole_runs.run import ROOT, Audit, Ran
from xtable_audit.cli.main import run
from xtable_audit.model.claim import CLAIMS
from xtable_audit.report.document import Document
from xtable_audit.report.html.template import render
from xtable_audit.report.summary import summary


@pytest.fixture(scope="module")
def ran(audit_alone: Audit) -> Ran:
    """One audit of the good layout on recordings, by every reader, with all details and pictures."""
    return audit_alone("-k", "good_layout", "-v")


@pytest.fixture(scope="module")
def short(audit_alone: Audit) -> list[str]:
    """What a run prints without options: the lines."""
    return audit_alone("-n", "2", "-k", "good_layout and contain or types_millis_plain and contain").text.splitlines()


def test_audit_json_keeps_its_schema(ran: Ran) -> None:
    """audit.json is valid by audit.schema.json."""
    schema = json.loads((ROOT / "audit.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(ran.document)


def test_audit_json_is_read_back_as_it_was_written(ran: Ran) -> None:
    """A second reading of what the first one writes is the same document."""
    document = Document.load(ran.folder / "audit.json")
    assert Document.from_json(document.to_json()) == document


def test_the_page_is_that_of_audit_json(ran: Ran) -> None:
    document = Document.load(ran.folder / "audit.json")
    assert (ran.folder / "report.html").read_text(encoding="utf-8") == render(document)


def test_the_summary_is_that_of_audit_json(ran: Ran) -> None:
    document = Document.load(ran.folder / "audit.json")
    assert (ran.folder / "summary.md").read_text(encoding="utf-8") == summary(document)


def test_the_run_says_where_its_page_is(ran: Ran) -> None:
    [line] = [line for line in ran.text.splitlines() if line.startswith("Report: ")]
    assert "latest/report.html" in line


def test_the_run_is_rendered_again_from_its_audit_json(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    """Line by line what the run itself showed, but for the place of the report."""
    assert run(["report", str(ran.folder / "audit.json")]) == 0
    again = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("Report: ")]
    assert any(line.startswith("KNOWN DEFECTS, nothing new · exit 0 · REPLAY OF 20") for line in again)
    assert [line for line in again if line not in ran.text.splitlines()] == []


@pytest.mark.parametrize("part", ["claims", "selections", "tightness", "trials", "steps"])
def test_no_part_of_the_report_is_empty(ran: Ran, part: str) -> None:
    """Claims, selections, scores and steps of the run are in it."""
    assert ran.document[part], ran.text


def test_each_result_names_its_claim_by_id_and_sentence(ran: Ran) -> None:
    told = {(result["claim"], result["sentence"]) for result in ran.document["claims"]}
    assert ("bounds_contain_values", "Lower and upper bound contain every value of their file.") in told
    assert {id for id, _ in told} <= set(CLAIMS)


def test_each_finding_names_its_claim_by_id_and_sentence(ran: Ran) -> None:
    found = [result["finding"] for result in ran.document["claims"] if result["finding"]]
    assert found
    assert {(one["claim"], one["sentence"]) for one in found} <= {(one.id, one.sentence) for one in CLAIMS.values()}


def test_junit_holds_a_case_for_every_claim(ran: Ran) -> None:
    """junit.xml is next to audit.json, and is made from it."""
    cases = ElementTree.parse(ran.folder / "junit.xml").findall(".//testcase")
    assert len(cases) == len(ran.document["claims"]), ran.text


def test_junit_is_made_again_from_audit_json(ran: Ran, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever keeps audit.json keeps the rest."""
    assert run(["report", str(ran.folder / "audit.json"), "--as", "junit"]) == 0
    assert capsys.readouterr().out == (ran.folder / "junit.xml").read_text(encoding="utf-8")


def test_the_scorecard_fits_a_hundred_columns(ran: Ran) -> None:
    """No line of the scorecard is wider than a terminal."""
    card = ran.text[ran.text.index("WHERE") :]
    assert max(map(len, card.splitlines())) <= 100, card


def test_a_recorded_run_says_so_in_its_first_line(short: list[str]) -> None:
    assert "REPLAY OF 20" in short[0], short


def test_a_recorded_run_says_that_it_answers_no_gate(short: list[str]) -> None:
    assert "A replay answers no gate." in " ".join(short), short


@pytest.mark.parametrize("lines", [slice(3), slice(-3, None)], ids=["first", "last"])
def test_the_verdict_is_within_three_lines(short: list[str], lines: slice) -> None:
    assert any("KNOWN DEFECTS, nothing new · exit 0 · REPLAY OF 20" in line for line in short[lines]), short


def test_a_run_fits_one_screen(short: list[str]) -> None:
    """At 80 columns and 40 lines, without a line or a dot for each test or step."""
    assert (len(short) <= 40, max(map(len, short)) <= 80) == (True, True), short


@pytest.mark.parametrize("table", ["good_layout-xtable", "good_layout-control"])
def test_the_month_selects_one_file_of_four(ran: Ran, table: str) -> None:
    """The published table, on recordings: 4 live, 1 planned, 1 matching."""
    row = _month(ran, table)
    assert (row["live"], row["planned"], row["matching"]) == (4, 1, 1), row


@pytest.mark.parametrize("table", ["good_layout-xtable", "good_layout-control"])
def test_the_month_opens_one_file_in_each_reader(ran: Ran, table: str) -> None:
    """Every reader that reads the table opens one file of four."""
    cells = _month(ran, table)["readers"]
    read = {reader: cell["read"] for reader, cell in cells.items() if not cell["refused"]}
    assert read == {"pyiceberg": 1, "duckdb": 1, "clickhouse": 1, "polars": 1}, ran.text


def test_a_reader_that_refuses_differs_from_one_that_opens_nothing(ran: Ran) -> None:
    """Daft's refusal (XTF-001) is a cell of its own kind."""
    cell = _month(ran, "good_layout-xtable")["readers"]["daft"]
    assert (cell["refused"], cell["read"], cell["rows"]) == (True, None, None), cell


def _month(ran: Ran, table: str) -> dict[str, Any]:
    return next(r for r in ran.document["selections"] if r["table"] == table and "pickup_month" in r["predicate"])


def test_planners_of_a_recorded_run_start_no_jvm(ran: Ran) -> None:
    """The report says who planned, and why Iceberg's Java did not."""
    assert {trial["planner"] for trial in ran.document["trials"]} == {"judge", "pyiceberg"}, ran.text
    assert "none by java: XTable's JVM was not run" in ran.text


def test_a_healthy_table_has_no_wrong_answers(ran: Ran) -> None:
    """Hundreds of predicates, none of which loses a row."""
    assert sum(trial["predicates"] for trial in ran.document["trials"]) > 1000
    assert (ran.document["answers"], "wrong answers" in ran.text) == ([], False)


def test_no_score_is_listed_twice(ran: Ran) -> None:
    """Every column of a table has one tightness score."""
    scored = [(score["table"], score["column"]) for score in ran.document["tightness"]]
    assert len(scored) == len(set(scored)), ran.text
