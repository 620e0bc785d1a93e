"""A table format of another package, which docs/extending.md shows whole, is checked as Iceberg and Delta are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lab.stack.project import ROOT
from xtable_audit.formats.installed import GROUP
from xtable_audit.report.document import Document

PACKAGE = ROOT / "tests" / "xtable_audit" / "formats" / "ledger"
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
ENTRY_POINT = "tests.xtable_audit.formats.ledger.format:LEDGER"
COMMANDS = """
import contextlib, io, json, sys
from xtable_audit.cli.main import run
def ran(words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(words)
    return status, out.getvalue(), err.getvalue()
json.dump([ran(words) for words in json.load(sys.stdin)], sys.stdout)
"""
"""Runs commands in one process, in which the package is installed: what it registers, no other test sees."""
Ledger = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A check of the healthy table, or of one that is changed."""

    change: Callable[[Ledger], object] = lambda ledger: None
    options: tuple[str, ...] = ()
    prefix: str = "ledger:"


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def findings(self) -> list[tuple[str, str]]:
        """Claim and verdict of each, by the document."""
        found = (one.finding for one in Document.from_json(self.out).claims)
        return [(one.claim, str(one.verdict)) for one in found if one is not None]

    @property
    def screen(self) -> str:
        return " ".join(self.out.split())


def first(ledger: Ledger) -> Ledger:
    entry: Ledger = ledger["files"][0]
    return entry


JSON = ("--json",)
FALSE: dict[str, tuple[Asked, str, str]] = {
    "a maximum below the values": (
        Asked(lambda ledger: first(ledger)["max"].update(id=8), JSON),
        "bounds_contain_values",
        "UNSOUND",
    ),
    "a minimum that is no date": (
        Asked(lambda ledger: first(ledger)["min"].update(day="yesterday"), JSON),
        "bounds_are_of_the_columns_type",
        "UNREADABLE",
    ),
    "a total of other rows": (
        Asked(lambda ledger: ledger.update(rows=21), JSON),
        "totals_are_of_all_files",
        "UNSOUND",
    ),
    "a file that is not there": (
        Asked(lambda ledger: first(ledger).update(path="gone.parquet"), JSON),
        "every_file_exists",
        "UNREADABLE",
    ),
}
ASKED = {name: asked for name, (asked, _, _) in FALSE.items()} | {
    "healthy": Asked(),
    "by its folder": Asked(options=("--where", "day = DATE '2026-11-02'"), prefix=""),
    "a false bound": Asked(lambda ledger: first(ledger)["max"].update(id=8)),
    "false rows": Asked(lambda ledger: first(ledger).update(rows=9)),
    "rows in words": Asked(lambda ledger: first(ledger).update(rows="many")),
    "--snapshot": Asked(options=("--snapshot", "6")),
    "--since": Asked(options=("--since", "6")),
}


def made(folder: Path, change: Callable[[Ledger], object]) -> Path:
    """A ledger of two files, with what it says changed."""
    folder.mkdir(parents=True)
    columns = {"id": "long", "price": "double", "city": "string", "day": "date"}
    ledger = {"version": 7, "columns": columns, "files": [entry(folder, number) for number in range(2)], "rows": 20}
    change(ledger)
    (folder / "ledger.json").write_text(json.dumps(ledger))
    return folder


def entry(folder: Path, number: int) -> Ledger:
    """Of a new file."""
    path, day = folder / f"{number}.parquet", f"2026-11-0{number + 1}"
    ids = list(range(number * 10, number * 10 + 10))
    prices = [None, *(id / 2 for id in ids[1:])]
    days = pa.array([day] * 10).cast(pa.date32())
    pq.write_table(pa.table({"id": ids, "price": prices, "city": ["Oslo", *["Rome"] * 9], "day": days}), path)
    return {
        "path": path.name,
        "size": path.stat().st_size,
        "rows": 10,
        "min": {"id": ids[0], "price": prices[1], "city": "Oslo", "day": day},
        "max": {"id": ids[-1], "price": prices[-1], "city": "Rome", "day": day},
        "nulls": {"id": 0, "price": 1, "city": 0, "day": 0},
    }


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Ran]:
    """How each check ended, where the format is installed."""
    home = tmp_path_factory.mktemp("ledgers")
    metadata = home / "packages" / "table_format_ledger-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: table-format-ledger\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nledger = {ENTRY_POINT}\n")
    commands = []
    for number, asked in enumerate(ASKED.values()):
        folder = made(home / str(number) / "sales", asked.change)
        commands.append(["check", f"{asked.prefix}{folder}", "--yes", *asked.options])
    where = {"PYTHONPATH": f"{metadata.parent}:{ROOT}", "XTABLE_AUDIT_CACHE": str(home / "cache")}
    printed = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        input=json.dumps(commands),
        cwd=home,
        env={**os.environ, **where},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    return {name: Ran(*one) for name, one in zip(ASKED, json.loads(printed), strict=True)}


def test_a_healthy_table_has_no_finding(ran: Mapping[str, Ran]) -> None:
    healthy = ran["healthy"]
    assert (healthy.status, "NOTHING FOUND: every claim that applies holds" in healthy.out) == (0, True), healthy.err
    assert "sales · 2 files · 4 columns · version 7" in healthy.out


def test_a_folder_is_recognised_and_a_condition_counts_its_files(ran: Mapping[str, Ran]) -> None:
    found = ran["by its folder"]
    assert (found.status, "it is checked as a Ledger table" in found.screen) == (0, True), found.err
    assert "2 live · 1 planned · 1 matching file" in found.out


@pytest.mark.parametrize("name", FALSE)
def test_a_false_ledger_is_a_finding(ran: Mapping[str, Ran], name: str) -> None:
    _, claim, verdict = FALSE[name]
    assert (ran[name].status, ran[name].findings) == (1, [(claim, verdict)]), ran[name].err


def test_a_false_bound_is_a_wrong_result_on_the_screen(ran: Mapping[str, Ran]) -> None:
    assert "FINDING wrong results (UNSOUND)" in ran["a false bound"].screen


def test_a_finding_speaks_of_the_format_alone(ran: Mapping[str, Ran]) -> None:
    screen = ran["false rows"].screen.lower()
    assert "claim rows is the number of rows of the file" in screen
    assert "also fails: the ledger's rows are those of its files" in screen
    words = ("iceberg", "delta", "manifest", "snapshot", "record_count")
    assert not [word for word in words if word in screen], screen


@pytest.mark.parametrize("option", ["--snapshot", "--since"])
def test_an_older_state_is_refused(ran: Mapping[str, Ran], option: str) -> None:
    why = "the newest version alone of a Ledger table can be read"
    assert (ran[option].status, option in ran[option].err, why in ran[option].err) == (4, True, True), ran[option].err


def test_a_broken_ledger_is_named(ran: Mapping[str, Ran]) -> None:
    broken = ran["rows in words"]
    why = "ledger.json does not describe a file as its format does: 'many' is no number"
    assert (broken.status, why in " ".join(broken.err.split())) == (4, True), broken.err


def test_the_page_shows_the_whole_package() -> None:
    section = PAGE.partition("\n## A table format\n")[2].partition("\n## ")[0]
    shown = re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S)
    assert shown == [(PACKAGE / name).read_text(encoding="utf-8") for name in ("format.py", "check.py")]
    assert f'[project.entry-points."{GROUP}"]\nledger = "{ENTRY_POINT}"\n' in section
