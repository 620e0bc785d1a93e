"""Whose fault a finding is: of a Delta table that others may write to, and which known ones an unknown one may be."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    IcebergType,
    StringType,
    TimestamptzType,
)

from lab.stack.cache import Cache
from tests.tables.lake import by_delta_rs, change_add, configure, say_engine
from tests.xtable_audit.cli.conftest import Command, command
from tests.xtable_audit.cli.test_check_delta import findings, to
from xtable.replay import BATTERY_RECORDINGS, unpacked
from xtable_audit.check.recognise import candidates
from xtable_audit.formats.check_support import MetadataWriter
from xtable_audit.formats.delta.check.support import author_of
from xtable_audit.formats.delta.format import TARGET as LOG
from xtable_audit.formats.iceberg.format import TARGET as ICEBERG
from xtable_audit.model.finding import Blame, Finding, Impact, Verdict
from xtable_audit.register.bundled import bundled_register

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
HUDI = MetadataWriter("XTable", "0.4.0", ("0.4.0",), "hudi")
DELTA = MetadataWriter("XTable", "0.4.0", ("0.4.0",), "delta")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """As XTable would leave it, by its configuration and each commit."""
    table = by_delta_rs(tmp_path / "orders")
    configure(table, XTABLE_METADATA=to())
    for version in range(3):
        say_engine(table, version, KERNEL)
    return table


def finding(claim: str, verdict: Verdict = Verdict.UNSOUND, column: str | None = "c") -> Finding:
    columns = (column,) if column else ()
    nothing = Impact(0, 0, 0, 0)
    return Finding(claim, "…", verdict, "t", "…", "…", nothing, Blame.XTABLE, "…", column=column, columns=columns)


def stored(kind: IcebergType) -> Any:
    return SimpleNamespace(leaves=(SimpleNamespace(path="c", type=kind),))


# Whose fault a finding on a Delta table of XTable's is, which other engines may have written to since.


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


# An unknown finding on a table of XTable's names the known ones that it may be, and on others none.


@pytest.mark.parametrize(
    ("claim", "verdict", "kind", "writer", "entry"),
    [
        ("bounds_contain_values", Verdict.UNSOUND, DecimalType(38, 2), DELTA, "XTF-033"),
        ("bounds_contain_values", Verdict.UNSOUND, StringType(), DELTA, "XTF-034"),
        ("bounds_contain_values", Verdict.UNSOUND, TimestamptzType(), DELTA, "XTF-035"),
        ("bounds_contain_values", Verdict.UNSOUND, DateType(), HUDI, "XTF-005"),
        ("column_sizes_fit_the_file", Verdict.COSMETIC, StringType(), DELTA, "XTF-063"),
    ],
    ids=lambda one: str(getattr(one, "source", one)),
)
def test_the_one_known_finding_of_that_claim_type_and_source_is_named(
    claim: str, verdict: Verdict, kind: IcebergType, writer: MetadataWriter, entry: str
) -> None:
    assert candidates(ICEBERG, finding(claim, verdict), stored(kind), writer, bundled_register()) == (entry,)


@pytest.mark.parametrize(("writer", "named"), [(DELTA, True), (HUDI, False)], ids=["Delta", "Hudi"])
def test_what_is_known_of_a_source_is_named_of_its_tables_whatever_their_names(
    writer: MetadataWriter, named: bool
) -> None:
    """No table of either entry has a name that begins with its format's."""
    found = finding("no_row_is_missing", column=None)
    ids = candidates(ICEBERG, found, stored(StringType()), writer, bundled_register())
    assert {"XTF-065", "XTF-068"}.issubset(ids) is named


@pytest.mark.parametrize(("by", "named"), [("Delta Kernel", True), ("", False)], ids=["Kernel", "Standalone"])
def test_what_delta_kernel_alone_does_is_named_of_its_tables_alone(by: str, named: bool) -> None:
    writer, found = replace(HUDI, by=by), finding("bounds_contain_values")
    leaf: Any = SimpleNamespace(leaves=(SimpleNamespace(path="c", type="timestamp"),))
    assert ("XTF-072" in candidates(LOG, found, leaf, writer, bundled_register())) is named


def test_a_finding_about_the_whole_table_is_told_by_its_claim() -> None:
    found = finding("no_file_is_listed_twice", Verdict.DUPLICATE, column=None)
    assert candidates(ICEBERG, found, stored(StringType()), HUDI, bundled_register()) == ("XTF-028",)


@pytest.mark.parametrize("writer", [MetadataWriter("Spark", "3.5.9"), MetadataWriter()], ids=["Spark", "nobody known"])
def test_what_another_wrote_has_no_known_cause(writer: MetadataWriter) -> None:
    assert candidates(ICEBERG, finding("bounds_contain_values"), stored(DoubleType()), writer, bundled_register()) == ()


def test_a_finding_that_is_known_is_no_other() -> None:
    known = finding("bounds_contain_values").known_as("XTF-003")
    assert candidates(ICEBERG, known, stored(DoubleType()), HUDI, bundled_register()) == ()


def test_a_release_that_no_entry_covers_has_none() -> None:
    newer = MetadataWriter("XTable", "9.0.0", ("9.0.0",), "hudi")
    assert candidates(ICEBERG, finding("bounds_contain_values"), stored(DateType()), newer, bundled_register()) == ()
