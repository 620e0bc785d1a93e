"""What the README shows of a command is what the command prints. `…` stands for what differs from run to run."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lab.stack.project import ROOT
from tests.tables.lake import Lake, data_files, exchange, orders, with_column

README = (ROOT / "README.md").read_text(encoding="utf-8")
NAME = re.compile(r"\b\d{5}-\d-[0-9a-f]{8}-(?=…)|(?<=snapshot )\d{4}(?=…)")
"""Names of files and ids that each run draws anew."""


def sample(first: str) -> list[str]:
    """The lines of the README's block that begins so."""
    [block] = [one for one in re.findall(r"^```\n(.*?)^```$", README, re.M | re.S) if one.startswith(first)]
    return list(filter(None, block.splitlines()))


def missing(lines: Iterable[str], printed: str) -> list[str]:
    """The lines that the command does not print, in this order and wherever they are folded."""
    told, place, absent = " ".join(printed.split()), 0, []
    for line in lines:
        parts = NAME.sub("", " ".join(line.split())).split("…")
        found = re.compile(".*?".join(map(re.escape, parts))).search(told, place)
        if found is None:
            absent.append(line)
        else:
            place = found.end()
    return absent


def ran(*command: str, folder: Path = ROOT) -> str:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    ).stdout


def test_a_line_that_is_not_printed_is_missing() -> None:
    assert missing(["a … c", "d e"], "a b\n c d\n e") == []
    assert missing(["d e", "a"], "a b\n c d\n e") == ["a"]


def test_the_screen_of_the_first_audit(tmp_path: Path) -> None:
    lines = sample("XTable 0.4.0-incubating")
    printed = ran("pytest", "-n", "0", "--recorded", "-k", "good_layout", f"--out={tmp_path / 'out'}")
    assert missing([line for line in lines if not line.startswith("Report: ")], printed) == []
    assert f"Report: {tmp_path}"[:60] in printed


def test_the_finding_of_milliseconds(tmp_path: Path) -> None:
    options = ["--recorded", "--findings=/dev/null", f"--out={tmp_path / 'out'}"]
    printed = ran("pytest", "suites/bounds", "-n", "0", *options, "-k", "types_millis_plain-xtable and contain")
    assert missing(sample("FINDING  UNSOUND · new · types_millis_plain"), printed) == []


def test_the_check_of_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    lake = Lake.at(tmp_path)
    table = lake.table("orders", orders(0), orders(1))
    [second] = [file for file in data_files(table) if pq.read_table(file)["id"][0].as_py() == 20]
    exchange(second, with_column("id", lambda ids: pc.add(ids, 1000)))
    lake.catalog.close()
    printed = ran("xtable_audit", "check", str(lake.root("orders")), folder=tmp_path)
    assert missing(sample("orders · 2 files"), printed) == []
