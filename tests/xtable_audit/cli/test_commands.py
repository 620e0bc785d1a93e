"""The other commands: what is known, an old report, the schema, and what the package alone cannot answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest

from lab.stack.project import ROOT
from tests.of_each import of_each
from tests.tables.lake import Lake, data_files, exchange, orders, with_column
from tests.xtable_audit.cli.conftest import Command
from xtable_audit import __version__
from xtable_audit.address import page_of
from xtable_audit.cli.main import cli
from xtable_audit.cli.report import FORMS
from xtable_audit.register.bundled import bundled_register, page
from xtable_audit.register.entry import NONE_KNOWN, Entry

REGISTER = bundled_register()
EACH = of_each("entry", REGISTER, ids=lambda entry: entry.id)
UNTOLD = "no remedy is known"


def remedy(entry: Entry) -> str:
    return UNTOLD if entry.remedy == NONE_KNOWN else entry.remedy


# The other commands: what is known, an old report, the schema, and what the package alone cannot answer.


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


# `xtable-audit known`: the list, one finding, its page.


def test_a_pipe_gets_one_whole_line_for_each_finding(command: Command) -> None:
    rows = [line.split("\t") for line in command("known").out.splitlines()]
    assert [(id, title, do) for id, _, _, title, do in rows] == [(one.id, one.title, remedy(one)) for one in REGISTER]


def test_a_line_says_the_worst_effect_and_the_releases(command: Command) -> None:
    [row] = [line.split("\t") for line in command("known").out.splitlines() if line.startswith("XTF-004")]
    assert row[1:3] == ["wrong results (UNSOUND)", "xtable 0.2.0, 0.3.0, 0.4.0"]


def test_a_release_lists_what_it_has(command: Command) -> None:
    has = [one.id for one in REGISTER if any(w.component == "xtable" and w.covers("0.4.0") for w in one.where)]
    told = [line.partition("\t")[0] for line in command("known", "--release", "0.4.0").out.splitlines()]
    assert told == has
    assert len(has) < len(REGISTER)


def test_a_terminal_gets_it_folded_and_nothing_is_cut(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    out = command("known").out
    assert max(map(len, out.splitlines())) <= 80
    assert [one.id for one in REGISTER if f"{one.title} do: {remedy(one)}" not in " ".join(out.split())] == []
    assert out.endswith(f"{len(REGISTER)} known findings. More of one: xtable-audit known {REGISTER[0].id}\n")


@EACH
def test_it_tells_the_remedy_and_how_to_get_the_page(command: Command, entry: Entry) -> None:
    ran = command("known", entry.id.lower())
    assert (ran.status, remedy(entry) in " ".join(ran.out.split())) == (0, True)
    assert ran.out.splitlines()[-1].split() == ["more", "xtable-audit", "known", entry.id, "--page"]


@EACH
def test_the_page_is_that_of_docs_findings(command: Command, entry: Entry) -> None:
    made, _, text = (ROOT / "docs" / "findings" / f"{entry.id}.md").read_text(encoding="utf-8").partition("\n")
    assert (made.startswith("<!--"), page(entry.id)) == (True, text)
    assert command("known", entry.id, "--page").out == text


def test_a_public_address_has_the_page_too() -> None:
    assert (page_of("XTF-004", ""), page_of("XTF-004", "https://x/y")) == (
        "",
        "https://x/y/blob/main/docs/findings/XTF-004.md",
    )


@pytest.mark.parametrize(
    ("id", "words"), [("XTF-009", "has become part of XTF-003"), ("XTF-999", "There is no finding")]
)
def test_a_finding_that_is_not_there_ends_with_4(command: Command, id: str, words: str) -> None:
    ran = command("known", id)
    assert (ran.status, words in ran.err) == (4, True), ran.err


@pytest.mark.parametrize("words", [("--page",), ("--release", "newest")], ids=["a page of none", "no release"])
def test_what_cannot_be_told_ends_with_4(command: Command, words: tuple[str, ...]) -> None:
    assert command("known", *words).status == 4
