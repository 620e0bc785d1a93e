"""The other commands: what is known, an old report, the schema, and what the package alone cannot answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest

from lab.stack.project import ROOT
from tests.cli.conftest import Command
from tests.cli.tables import Lake, data_files, exchange, orders, with_column
from xtable_audit import __version__
from xtable_audit.cli.forms import FORMS
from xtable_audit.cli.main import cli


def test_an_old_report_is_shown_as_it_was(lake: Lake, command: Command) -> None:
    exchange(
        data_files(lake.table("orders", orders()))[0], with_column("id", lambda ids: ids.cast("int64").take([0] * 20))
    )
    first = command("check", lake.root("orders"))
    [report] = Path("out").glob("*/audit.json")
    again = command("report", report)
    assert (first.status, again.status, again.out) == (0, 0, first.out)


def test_an_old_report_becomes_junit(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    command("check", lake.root("orders"))
    [report] = Path("out").glob("*/audit.json")
    assert command("report", report, "--as", "junit").out.startswith("<?xml")


def test_what_is_no_report_ends_with_4(command: Command) -> None:
    Path("x.json").write_text("{}")
    ran = command("report", "x.json")
    assert (ran.status, "name the audit.json of a run" in ran.err) == (4, True)


def test_the_schema_is_that_of_the_checkout(command: Command) -> None:
    assert json.loads(command("schema").out) == json.loads((ROOT / "audit.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("words", ["version", "--version"])
def test_the_version_is_told(command: Command, words: str) -> None:
    assert __version__ in command(words).out


def test_the_gate_says_what_it_needs(command: Command) -> None:
    ran = command("gate", "0.3.0", "0.4.0")
    assert (ran.status, "needs a checkout of the project" in ran.err, "[build]" in ran.err) == (4, True, True)


def test_the_gate_of_a_checkout_is_run(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    seen: list[list[str]] = []

    def started(words: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        seen.append(words)
        return subprocess.CompletedProcess(words, 1)

    monkeypatch.setattr(subprocess, "run", started)
    assert command("gate", "0.3.0", "0.4.0", "-k", "good_layout").status == 1
    assert seen == [[sys.executable, "-m", "tools.gate", "0.3.0", "0.4.0", "-k", "good_layout"]]


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_has_help(command: Command, name: str) -> None:
    ran = command(name, "--help")
    assert (ran.status, ran.out.startswith(f"Usage: xtable-audit {name}")) == (0, True)


@pytest.mark.parametrize("name", ["check", "gate", "known", "report", "schema"])
def test_help_has_an_example(command: Command, name: str) -> None:
    assert f"\n  xtable-audit {name}" in command(name, "--help").out.replace("    xtable", "  xtable")


def test_a_command_that_is_not_there_ends_with_4(command: Command) -> None:
    assert command("chekc").status == 4


def test_help_loads_nothing_that_reads_tables() -> None:
    code = (
        "import sys; from xtable_audit.cli.main import run; run(['check', '--help']); print('pyarrow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_hostile_writers_name_damages_no_report(lake: Lake, command: Command) -> None:
    """Every form of it is made, and none has a control character."""
    [file] = data_files(lake.table("orders", orders()))
    exchange(file, with_column("id", lambda ids: pc.add(ids, 1000)))
    for metadata in (lake.root("orders") / "metadata").glob("*.metadata.json"):
        content = json.loads(metadata.read_text())
        for snapshot in content.get("snapshots", ()):
            snapshot["summary"] |= {"engine-name": "evil\nname\x1b[31m" + "x" * 3000}
        metadata.write_text(json.dumps(content))
    assert command("check", lake.root("orders")).status == 1
    [report] = Path("out").glob("*/audit.json")
    for form in FORMS:
        ran = command("report", report, "--as", form)
        assert (ran.status, "\x1b" in ran.out) == (0, False), (form, ran.err)
