"""What no claim judges is in the scorecard and in JUnit, with its table, its name and the reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from tests.audit.runs import claim, document
from xtable_audit.report.document import Document, SetAsideRow
from xtable_audit.report.junit import junit
from xtable_audit.report.scorecard import print_scorecard
from xtable_audit.report.set_aside import set_aside

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


def run(*rows: SetAsideRow) -> Document:
    return replace(document(claim()), set_aside=rows)


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
