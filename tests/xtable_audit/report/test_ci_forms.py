"""What a CI job takes of a run: workflow commands, a badge, Markdown, and SARIF 2.1.0.

`sarif-schema-2.1.0.json` is that of OASIS (oasis-tcs/sarif-spec, errata 01)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.xtable_audit.report.documents import HOSTILE_FINDINGS, audit, hostile_run, own_table
from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document
from xtable_audit.report.for_ci import MOST, FileLine, badge, find, sarif, workflow_commands
from xtable_audit.report.summary import MOST as MOST_IN_A_SUMMARY
from xtable_audit.report.summary import summary

KIB = 1024
NEW = (
    "| UNSOUND (wrong results) | bounds contain every value | orders-xtable · column d "
    "| 1 of 4 files, which holds 10 of 40 rows | &#91;0.0 … 0.0&#93; for part-1.parquet |  |"
)
SCHEMA = json.loads(Path(__file__).with_name("sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def results(document: Document, place: FileLine | None = None) -> list[dict[str, Any]]:
    [run] = json.loads(sarif(document, place))["runs"]
    found: list[dict[str, Any]] = run["results"]
    return found


# Workflow commands, the line they stand at, and the badge.


def test_a_new_finding_is_one_command() -> None:
    said = "bounds contain every value Stored: [0.0 … 0.0] for part-1.parquet"
    assert workflow_commands(audit()) == f"::error title=UNSOUND (wrong results)%3A orders-xtable.d::{said}\n"


def test_it_stands_at_the_place() -> None:
    assert workflow_commands(audit(), FileLine("a,b.xml", 7)).startswith("::error file=a%2Cb.xml,line=7,title=")


def test_on_a_users_table_known_findings_are_commands_too() -> None:
    assert len(workflow_commands(own_table()).splitlines()) == 2


def test_accepted_findings_are_none() -> None:
    assert len(workflow_commands(own_table(accepted=("XTF-003",))).splitlines()) == 1


def test_there_are_no_more_than_github_shows() -> None:
    assert len(workflow_commands(hostile_run()).splitlines()) == MOST


def test_a_name_starts_no_command_of_its_own() -> None:
    assert {line.startswith("::error title=UNSOUND") for line in workflow_commands(hostile_run()).splitlines()} == {
        True
    }


CONFIG = """\
sourceFormat: HUDI
datasets:
  - tableBasePath: s3://raw/orders
    tableName: orders
"""

POM = "<project>\n<xtable.version>0.4.0-incubating</xtable.version>\n"


@pytest.mark.parametrize(
    ("run", "text", "line"),
    [(own_table(), CONFIG, 3), (audit(), POM, 2), (audit(), CONFIG, None)],
    ids=["the source of a table", "the release", "nothing of the run"],
)
def test_the_line_is_the_first_that_names(run: Document, text: str, line: int | None, tmp_path: Path) -> None:
    file = tmp_path / "named"
    file.write_text(text)
    assert find(run, file) == FileLine(file.as_posix(), line)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="name the file that names the table or the release"):
        find(audit(), tmp_path / "none")


KNOWN = replace(audit(), claims=(claim("known", registered="XTF-003"),))


@pytest.mark.parametrize(
    ("run", "label", "message", "color"),
    [
        (document(claim()), "XTable 0.4.0-incubating", "conformant", "brightgreen"),
        (document(claim(), mode="recorded"), "XTable 0.4.0-incubating", "conformant (replay)", "brightgreen"),
        (KNOWN, "XTable 0.4.0-incubating", "1 known defects", "yellow"),
        (audit(), "XTable 0.4.0-incubating", "findings", "red"),
        (own_table(), "orders", "findings", "red"),
    ],
    ids=["healthy", "replayed", "known", "new", "a user's own table"],
)
def test_a_badge_says_the_verdict(run: Document, label: str, message: str, color: str) -> None:
    assert json.loads(badge(run)) == {"schemaVersion": 1, "label": label, "message": message, "color": color}


# A run as Markdown for a job's summary.


@pytest.mark.parametrize(
    ("run", "first"),
    [
        (document(claim()), "## CONFORMANT: every selected claim holds · exit 0"),
        (audit(), "## FINDINGS: 1 new, 1 registered but gone · exit 1"),
        (own_table(), "## DO NOT TRUST for d: readers lose rows · exit 1"),
    ],
    ids=["of a run without findings", "of an audit", "of a user's own table"],
)
def test_the_first_line_is_the_verdict(run: Document, first: str) -> None:
    assert summary(run).splitlines()[0] == first


@pytest.mark.parametrize(
    "line",
    [
        "### New",
        NEW,
        "### Registered but gone: mend the register",
        "* XTF-009 is gone",
        "* 1 claim: trino is not up",
        "<summary>1 known finding</summary>",
        "| XTF-003 | NaN makes bounds 0.0 | wrong results (UNSOUND) | 1 claim on 1 table |  |",
    ],
)
def test_an_audit_has_the_line(line: str) -> None:
    assert line in summary(audit()).splitlines()


def test_a_claim_that_follows_from_a_finding_has_no_row() -> None:
    assert summary(audit()).count("| UNSOUND") == 1


def test_an_accepted_finding_is_no_row_but_named() -> None:
    text = summary(own_table(accepted=("XTF-003",)))
    assert (text.count("| UNSOUND"), "* wrong results for d: XTF-003, " in text) == (1, True)


def test_a_finding_on_a_users_table_says_what_it_is_known_as() -> None:
    assert "| UNSOUND (wrong results), known as XTF-003 |" in summary(own_table())


@pytest.mark.parametrize("run", [audit, own_table], ids=["an audit", "a user's own table"])
def test_a_known_finding_says_what_to_do(run: Callable[[], Document]) -> None:
    made = run()
    entries = {id: replace(one, remedy="Leave NaN out.") for id, one in made.register.items()}
    assert "| First, in the source, for existing rows too: Leave NaN out. Then drop the Iceberg metadata" in summary(
        replace(made, register=entries)
    )


def test_what_is_left_out_is_counted() -> None:
    assert f"and {HOSTILE_FINDINGS - MOST_IN_A_SUMMARY:,} more in audit.json" in summary(hostile_run())


def test_a_job_may_show_it_whatever_the_run_found() -> None:
    assert len(summary(hostile_run()).encode()) < 900 * KIB


@pytest.mark.parametrize("run", [hostile_run, lambda: own_table(name="a|<b>")], ids=["an audit", "a user's own table"])
def test_a_name_is_no_markup(run: Callable[[], Document]) -> None:
    text = summary(run())
    assert not re.search(r"<(?!/?(details|summary)>)", text)
    assert {line.count("|") for line in text.splitlines() if line.startswith("| UNSOUND")} == {7}


# A run as SARIF 2.1.0. `sarif-schema-2.1.0.json` is that of OASIS (oasis-tcs/sarif-spec, errata 01).


@pytest.mark.parametrize(
    "place", [None, FileLine("a b.yaml"), FileLine("pom.xml", 3)], ids=["nowhere", "a file", "a line"]
)
@pytest.mark.parametrize(
    "run",
    [document(claim()), audit(), own_table(accepted=("XTF-003",)), hostile_run()],
    ids=["of no finding", "of an audit", "of a user's own table", "of hostile names"],
)
def test_it_keeps_the_schema(run: Document, place: FileLine | None) -> None:
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(
        json.loads(sarif(run, place))
    )


def test_the_baseline_is_the_register() -> None:
    assert [one["baselineState"] for one in results(audit())] == ["new", "unchanged", "absent"]


@pytest.mark.parametrize(
    ("verdict", "level"), [("UNSOUND", "error"), ("UNREADABLE", "error"), ("LOOSE", "warning"), ("COSMETIC", "note")]
)
def test_a_level_follows_the_verdict(verdict: str, level: str) -> None:
    [one] = results(document(claim("finding", verdict=verdict)))
    assert one["level"] == level


def test_an_accepted_finding_is_suppressed() -> None:
    new, known = results(own_table(accepted=("XTF-003",)))
    assert ("suppressions" in new, known["suppressions"][0]["justification"]) == (False, "XTF-003 is accepted")


def test_a_result_is_at_the_line_that_names_the_table() -> None:
    [location] = results(own_table(), FileLine("conf/xtable.yaml", 4))[0]["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "conf/xtable.yaml"},
        "region": {"startLine": 4},
    }


def test_without_a_place_it_is_at_the_tables_metadata() -> None:
    [location] = results(own_table())[0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"].endswith("/orders/metadata/v7%20a.metadata.json")


def test_the_fingerprint_stays_where_only_the_file_is_another() -> None:
    one, other = (results(own_table(saw=f"[0 … 1] for part-{n}.parquet"))[0] for n in (1, 2))
    assert one["partialFingerprints"] == other["partialFingerprints"]


@pytest.mark.parametrize("changed", [{"column": "other"}, {"saw": "no bounds"}, {"name": "lines"}], ids=str)
def test_the_fingerprint_is_of_one_finding(changed: dict[str, Any]) -> None:
    one, other = results(own_table())[0], results(own_table(**changed))[0]
    assert one["partialFingerprints"] != other["partialFingerprints"]


def test_a_run_that_was_cut_short_is_no_success() -> None:
    [run] = json.loads(sarif(replace(audit(), complete=False)))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
