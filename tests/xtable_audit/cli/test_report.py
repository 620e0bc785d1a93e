"""`xtable-audit report`, and the report.html that a check leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tables.lake import Lake, orders
from tests.xtable_audit.cli.conftest import Command
from tests.xtable_audit.report.test_gate import FOUND, HELD, gate
from xtable_audit.cli.report import FORMS, OF_GATE
from xtable_audit.report.gate_page import markdown, page
from xtable_audit.report.html.compared import render_gate

GATE = gate(HELD, FOUND, FOUND)
INSTALL = "pip install 'xtable-audit[report]'"


@pytest.fixture
def audit(lake: Lake, command: Command) -> Path:
    """The audit.json of a check."""
    lake.table("orders", orders())
    assert command("check", lake.root("orders")).status == 0
    [file] = Path("out").glob("*/audit.json")
    return file


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xtable_audit.report.html.find_spec", lambda name: None)


def test_a_check_leaves_the_page_beside_its_audit_json(audit: Path) -> None:
    assert audit.with_name("report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_check_leaves_its_summary_beside_its_audit_json(audit: Path, command: Command) -> None:
    assert audit.with_name("summary.md").read_text(encoding="utf-8") == command("report", audit, "--as", "summary").out


def test_a_check_says_where_the_page_is(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    lines = command("check", lake.root("orders")).out.splitlines()
    [file] = Path("out").glob("*/report.html")
    assert f"Report: {file}" in lines


def test_the_page_of_an_old_run_is_that_of_the_run(audit: Path, command: Command) -> None:
    page = audit.with_name("report.html")
    before = page.read_text(encoding="utf-8")
    page.unlink()
    assert command("report", audit).status == 0
    assert page.read_text(encoding="utf-8") == before


def test_the_page_is_written_where_it_is_told(audit: Path, command: Command) -> None:
    ran = command("report", audit, "-o", "there.html")
    assert (ran.status, "Report: there.html" in ran.out) == (0, True)
    assert Path("there.html").read_bytes() == audit.with_name("report.html").read_bytes()


def test_two_runs_are_compared_in_markdown_and_on_a_page(audit: Path, command: Command) -> None:
    ran = command("report", "--diff", audit, audit, "-o", "diff.html")
    assert (ran.status, ran.out.splitlines()[0]) == (0, "# No difference")
    assert Path("diff.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_two_runs_are_compared_without_a_page_unless_it_is_asked_for(audit: Path, command: Command) -> None:
    before = set(audit.parent.iterdir())
    assert command("report", "--diff", audit, audit).status == 0
    assert set(audit.parent.iterdir()) == before


def test_a_page_that_cannot_be_written_ends_with_4(audit: Path, command: Command) -> None:
    ran = command("report", audit, "-o", "no/such/folder.html")
    assert (ran.status, "no page is written: no/such/folder.html" in ran.err) == (4, True)


@pytest.mark.usefixtures("without_extra")
def test_a_check_without_the_extra_names_its_audit_json(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    ran = command("check", lake.root("orders"))
    [file] = Path("out").glob("*/audit.json")
    assert (ran.status, f"Report: {file}" in ran.out, ran.err.count("report.html")) == (0, True, 0)
    assert {path.name for path in file.parent.iterdir()} == {"audit.json", "summary.md"}


def test_the_command_without_the_extra_says_what_to_install(
    audit: Path, command: Command, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("without_extra")
    ran = command("report", audit)
    assert (ran.status, INSTALL in ran.err, len(ran.err.splitlines())) == (0, True, 1)


def test_a_page_that_is_asked_for_without_the_extra_ends_with_4(
    audit: Path, command: Command, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("without_extra")
    ran = command("report", audit, "-o", "there.html")
    assert (ran.status, INSTALL in ran.err, Path("there.html").exists()) == (4, True, False)


# a gate


@pytest.fixture
def gate_json(tmp_path: Path) -> Path:
    file = tmp_path / "gate" / "gate.json"
    file.parent.mkdir()
    file.write_text(GATE.to_json(), encoding="utf-8")
    return file


def test_a_gate_is_shown_again_and_its_page_is_drawn_beside_it(gate_json: Path, command: Command) -> None:
    ran = command("report", gate_json)
    drawn = gate_json.with_name("gate.html")
    assert (ran.status, ran.out) == (0, f"{page(GATE)}\n report   {drawn}\n")
    assert drawn.read_text(encoding="utf-8") == render_gate(GATE)


def test_a_gates_page_is_written_where_it_is_told(gate_json: Path, command: Command) -> None:
    assert command("report", gate_json, "-o", "there.html").status == 0
    assert Path("there.html").read_text(encoding="utf-8") == render_gate(GATE)
    assert not gate_json.with_name("gate.html").exists()


def test_a_gates_page_in_markdown_is_printed_again(gate_json: Path, command: Command) -> None:
    assert command("report", gate_json, "--as", "summary").out == markdown(GATE)


def test_a_gate_has_outputs(gate_json: Path, command: Command) -> None:
    assert command("report", gate_json, "--as", "outputs").out == "verdict=do not upgrade\nfindings=1\n"


@pytest.mark.parametrize("form", sorted({*FORMS} - {*OF_GATE}))
def test_a_form_that_a_gate_lacks_is_refused_in_one_sentence(gate_json: Path, command: Command, form: str) -> None:
    ran = command("report", gate_json, "--as", form)
    assert (ran.status, f"a gate has no {form}: choose screen, summary, outputs" in ran.err) == (4, True)


def test_a_gate_is_compared_with_nothing(gate_json: Path, command: Command) -> None:
    ran = command("report", "--diff", gate_json, gate_json)
    assert (ran.status, ran.err) == (4, "A gate says itself what differs: name the audit.json of two runs.\n")


def test_a_gate_of_an_older_schema_gets_one_sentence(gate_json: Path, command: Command) -> None:
    old = json.loads(gate_json.read_text(encoding="utf-8")) | {"schema_version": 4}
    gate_json.write_text(json.dumps(old), encoding="utf-8")
    ran = command("report", gate_json)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (4, "", 1)
    assert f"{gate_json}: This gate.json has schema_version 4, not 8" in ran.err
    assert not gate_json.with_name("gate.html").exists()


def test_a_document_of_an_older_schema_gets_one_sentence(audit: Path, command: Command) -> None:
    old = json.loads(audit.read_text(encoding="utf-8")) | {"schema_version": 9}
    Path("old.json").write_text(json.dumps(old), encoding="utf-8")
    ran = command("report", "old.json", "-o", "old.html")
    assert (ran.status, len(ran.err.splitlines()), Path("old.html").exists()) == (4, 1, False)
    assert "Read it with the version of the suite that wrote it" in ran.err
