"""Whose fault a finding on a Delta table of XTable's is, which other engines may have written to since."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lab.stack.cache import Cache
from tests.cli.conftest import Command, command
from tests.cli.delta_tables import by_delta_rs, change_add, configure, say_engine
from tests.cli.test_check_delta import findings, to
from xtable.archive import unpacked
from xtable.replay import BATTERY_RECORDINGS
from xtable_audit.formats.delta.check.writer import author_of

__all__ = ["command"]
KERNEL, STANDALONE = "Kernel-4.0.0/XTable Delta Sync", "Apache-Spark/3.4.2 Delta-Lake/2.4.0"
BY_STANDALONE = {"operationParameters": {"predicate": "[\"'xtable-delta-sync'\"]"}}
COMMITS: dict[str, tuple[str, dict[str, Any], str]] = {
    "of XTable by Delta Kernel": (KERNEL, {}, "xtable"),
    "of XTable by Delta Standalone": (STANDALONE, BY_STANDALONE, "xtable"),
    "of nobody named": ("", {}, "xtable"),
    "of Spark": (STANDALONE, {}, "writer Spark"),
    "of delta-rs": ("delta-rs:py-1.6.6", {}, "writer delta-rs"),
    "of Delta Kernel in another engine": ("Kernel-4.0.0/Flink", {}, "writer Delta Kernel"),
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """As XTable would leave it, by its configuration and each commit."""
    table = by_delta_rs(tmp_path / "orders")
    configure(table, XTABLE_METADATA=to())
    for version in range(3):
        say_engine(table, version, KERNEL)
    return table


@pytest.mark.parametrize(("engine", "more", "blame"), COMMITS.values(), ids=COMMITS)
def test_a_file_is_the_fault_of_the_commit_that_added_it(
    table: Path, command: Command, engine: str, more: dict[str, Any], blame: str
) -> None:
    change_add(table, 1, lambda add, said: said["minValues"].update(id=39))
    say_engine(table, 1, engine, **more)
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    assert (found.claim, found.blame) == ("bounds_contain_values", blame)
    assert any("write_deltalake" in words for words in found.advice) == (blame != "xtable")


def test_files_of_several_writers_are_the_fault_of_none_alone(table: Path, command: Command) -> None:
    say_engine(table, 1, "delta-rs:py-1.6.6")
    for version in (1, 2):
        change_add(table, version, lambda add, said: said.update(numRecords=7))
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    assert found.blame == "writer unknown"
    assert "name several: XTable, delta-rs" in found.because


def test_nobody_is_known_to_have_deleted_a_file_and_the_advice_is_as_elsewhere(table: Path, command: Command) -> None:
    os.remove(next(table.glob("*.parquet")))
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    assert (found.blame, found.because) == ("writer unknown", "the metadata does not say who deleted or moved it")
    assert found.advice[0].startswith("Restore the object at that address")
    assert found.advice[1].endswith(".repair()")


def test_every_commit_that_xtable_made_by_delta_kernel_tells_it() -> None:
    recordings = unpacked(BATTERY_RECORDINGS / "delta_by_kernel", Cache(), "0.4.0-incubating")
    lines = (line for file in recordings.glob("**/_delta_log/*.json") for line in file.read_text().splitlines())
    commits = [info for line in lines if (info := json.loads(line).get("commitInfo"))]
    assert {author_of(commit) for commit in commits} == {"XTable"}
