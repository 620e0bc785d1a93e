"""Workflow commands, the line they stand at, and the badge."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.audit.runs import claim, document
from tests.report.forms import audit, hostile, own_table
from xtable_audit.model.problem import Problem
from xtable_audit.report.badge import badge
from xtable_audit.report.document import Document
from xtable_audit.report.place import FileLine, find
from xtable_audit.report.workflow_commands import MOST, workflow_commands


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
    assert len(workflow_commands(hostile()).splitlines()) == MOST


def test_a_name_starts_no_command_of_its_own() -> None:
    assert {line.startswith("::error title=UNSOUND") for line in workflow_commands(hostile()).splitlines()} == {True}


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
