"""A table format of another package, which docs/extending.md shows whole, is checked as Iceberg and Delta are."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stack.project import ROOT
from xtable_audit.formats.registered import GROUP
from xtable_audit.report.document import Document

PACKAGE = ROOT / "tests" / "formats" / "ledger"
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
ENTRY_POINT = "tests.formats.ledger.format:LEDGER"
Ledger = dict[str, Any]


class Table:
    """A ledger of two files on this disk, and the command in a process where its format is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.packages = folder / "sales", folder / "packages"
        self.folder.mkdir()
        metadata = self.packages / "table_format_ledger-1.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: table-format-ledger\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nledger = {ENTRY_POINT}\n")
        files = [self._file(number) for number in range(2)]
        columns = {"id": "long", "price": "double", "city": "string", "day": "date"}
        self._write({"version": 7, "columns": columns, "files": files, "rows": 20})

    def _file(self, number: int) -> Ledger:
        path = self.folder / f"{number}.parquet"
        ids = list(range(number * 10, number * 10 + 10))
        day = f"2026-11-0{number + 1}"
        rows = {
            "id": ids,
            "price": [None, *(id / 2 for id in ids[1:])],
            "city": ["Oslo", *["Rome"] * 9],
            "day": pa.array([day] * 10).cast(pa.date32()),
        }
        pq.write_table(pa.table(rows), path)
        return {
            "path": path.name,
            "size": path.stat().st_size,
            "rows": 10,
            "min": {"id": ids[0], "price": ids[1] / 2, "city": "Oslo", "day": day},
            "max": {"id": ids[-1], "price": ids[-1] / 2, "city": "Rome", "day": day},
            "nulls": {"id": 0, "price": 1, "city": 0, "day": 0},
        }

    def change(self, change: Callable[[Ledger], object]) -> None:
        ledger = json.loads((self.folder / "ledger.json").read_text())
        change(ledger)
        self._write(ledger)

    def _write(self, ledger: Ledger) -> None:
        (self.folder / "ledger.json").write_text(json.dumps(ledger))

    def check(self, *options: str, location: str = "") -> subprocess.CompletedProcess[str]:
        where = {"PYTHONPATH": f"{self.packages}:{ROOT}", "XTABLE_AUDIT_CACHE": str(self.packages.parent / "cache")}
        command = [sys.executable, "-m", "xtable_audit", "check", location or f"ledger:{self.folder}", "--yes"]
        return subprocess.run(
            [*command, *options],
            cwd=self.packages,
            env={**os.environ, **where},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def findings(ran: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    """Claim and verdict of each."""
    found = (one.finding for one in Document.from_json(ran.stdout).claims)
    return [(one.claim, str(one.verdict)) for one in found if one is not None]


def test_a_healthy_table_has_no_finding(table: Table) -> None:
    ran = table.check()
    assert (ran.returncode, "NOTHING FOUND: every claim that applies holds" in ran.stdout) == (0, True), ran.stderr
    assert "sales · 2 files · 4 columns · version 7" in ran.stdout


def test_a_folder_is_recognised_and_a_condition_counts_its_files(table: Table) -> None:
    ran = table.check("--where", "day = DATE '2026-11-02'", location=str(table.folder))
    assert (ran.returncode, "it is checked as a Ledger table" in " ".join(ran.stdout.split())) == (0, True), ran.stderr
    assert "2 live · 1 planned · 1 matching file" in ran.stdout


FALSE: dict[str, tuple[Callable[[Ledger], object], str, str]] = {
    "a maximum below the values": (
        lambda ledger: ledger["files"][1]["max"].update(id=18),
        "bounds_contain_values",
        "UNSOUND",
    ),
    "a minimum that is no date": (
        lambda ledger: ledger["files"][0]["min"].update(day="yesterday"),
        "bounds_are_of_the_columns_type",
        "UNREADABLE",
    ),
    "a total of other rows": (lambda ledger: ledger.update(rows=21), "totals_are_of_all_files", "UNSOUND"),
    "a file that is not there": (
        lambda ledger: ledger["files"][0].update(path="gone.parquet"),
        "every_file_exists",
        "UNREADABLE",
    ),
}


@pytest.mark.parametrize(("change", "claim", "verdict"), FALSE.values(), ids=FALSE)
def test_a_false_ledger_is_a_finding(
    table: Table, change: Callable[[Ledger], object], claim: str, verdict: str
) -> None:
    table.change(change)
    ran = table.check("--json")
    assert (ran.returncode, findings(ran)) == (1, [(claim, verdict)]), ran.stderr


def test_a_finding_speaks_of_the_format_alone(table: Table) -> None:
    table.change(lambda ledger: ledger["files"][1].update(rows=9))
    screen = table.check().stdout
    assert "also      the ledger's rows are those of its files" in screen
    assert "rows is the number of rows of the file" in screen.lower()
    words = ("iceberg", "delta", "manifest", "snapshot", "record_count")
    assert not [word for word in words if word in screen.lower()], screen


@pytest.mark.parametrize("option", ["--snapshot", "--since"])
def test_an_older_state_is_refused(table: Table, option: str) -> None:
    ran = table.check(option, "6")
    why = "the newest version alone of a Ledger table can be read"
    assert (ran.returncode, option in ran.stderr, why in ran.stderr) == (4, True, True), ran.stderr


def test_a_broken_ledger_is_named(table: Table) -> None:
    table.change(lambda ledger: ledger["files"][0].update(rows="many"))
    ran = table.check()
    why = "ledger.json does not describe a file as its format does: 'many' is no number"
    assert (ran.returncode, why in ran.stderr) == (4, True), ran.stderr


def test_the_page_shows_the_whole_package() -> None:
    section = PAGE.partition("\n## A table format\n")[2].partition("\n## ")[0]
    shown = re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S)
    assert shown == [(PACKAGE / name).read_text(encoding="utf-8") for name in ("format.py", "check.py")]
    assert f'[project.entry-points."{GROUP}"]\nledger = "{ENTRY_POINT}"\n' in section
