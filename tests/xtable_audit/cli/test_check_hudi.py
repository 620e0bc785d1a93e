"""`xtable-audit check hudi:…`: tables that Hudi itself wrote raise no alarm, and spoiled copies of them do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tables.hudi_metadata import Records, change
from tests.xtable_audit.cli.conftest import Command, Ran, command
from tools.pages.affected import recorded_sources
from xtable_audit.formats.hudi.metadata_table.records import ColumnRecord, MetadataTable
from xtable_audit.formats.hudi.target.stored import records_by_place
from xtable_audit.formats.hudi.target.table import LiveFile
from xtable_audit.model.outcome import Outcome

__all__ = ["command"]
HEALTHY = (
    *("types_ints_index", "types_strings_index", "types_decimal_index", "types_dates_index", "types_times_index"),
    *("types_nulls_index", "types_nested_index", "types_lists_index", "types_binary_index", "index_flat"),
    *("index_none", "index_second_thought", "v6_index_0150", "v6_index_102", "history_upsert", "history_delete"),
    *("history_overwrite_partition", "history_overwrite_table", "history_drop_partition", "history_cluster"),
    *(
        "history_clean",
        "partition_null",
        "partition_two_columns",
        "partition_int",
        "partition_by_day",
        "edge_many_commits",
    ),
)
"""Tables of Hudi 0.15 and 1.0, with column statistics, a listing of files alone, and no metadata table."""
INDEXED = "types_ints_index"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A copy of a healthy table, in three partitions, with column statistics."""
    return Path(shutil.copytree(recorded_sources() / INDEXED, tmp_path / "ints"))


def found(ran: Ran) -> set[tuple[str, str, str | None]]:
    """The failing claims, each with its verdict and column."""
    findings = (one.finding for one in ran.document.claims if one.finding is not None)
    return {(one.claim, one.verdict.name, one.column) for one in findings}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_table_by_hudi_has_no_finding(name: str, command: Command) -> None:
    ran = command("check", f"hudi:{recorded_sources() / name}", "--yes", "--json")
    assert (ran.status, found(ran)) == (0, set()), ran.out
    held = {one.claim for one in ran.document.claims if one.outcome is Outcome.HELD}
    assert {"every_file_exists", "record_counts_are_exact"} <= held


def test_of_files_of_one_name_no_statistics_are_known_to_be_whose() -> None:
    files = [LiveFile(folder, name, "1", 1) for folder, name in (("p=a", "f"), ("p=b", "f"), ("p=b", "g"))]
    records = {name.encode(): ColumnRecord(name, "i", None, None, 0, 1) for name in ("f", "g")}
    assert [*records_by_place(MetadataTable(statistics=records), files)] == [(2, "i")]


def test_bounds_of_hudi_that_lose_rows_are_found(command: Command) -> None:
    """Hudi's own fault with NaN (#18754), in its own table."""
    ran = command("check", f"hudi:{recorded_sources() / 'types_nan_index'}", "--yes", "--json")
    assert {("bounds_contain_values", "UNSOUND", "d"), ("bounds_contain_values", "UNSOUND", "f")} & found(ran)


def of_statistics(edit: Callable[[dict[str, Any]], None]) -> Callable[[Records], None]:
    """The edit, made to the statistics of one column of each file."""

    def edited(records: Records) -> None:
        for record in records.values():
            statistics = record["ColumnStatsMetadata"]
            if statistics and statistics["columnName"] == "i":
                edit(statistics)

    return edited


def cut(statistics: dict[str, Any]) -> None:
    name, wrapped = statistics["maxValue"]
    statistics["maxValue"] = (name, {"value": wrapped["value"] - 1})


def of_text(statistics: dict[str, Any]) -> None:
    for bound in ("minValue", "maxValue"):
        name, _ = statistics[bound]
        statistics[bound] = (name.replace("IntWrapper", "StringWrapper"), {"value": "many"})


def count(statistics: dict[str, Any]) -> None:
    statistics["nullCount"] += 1


def count_values(statistics: dict[str, Any]) -> None:
    statistics["valueCount"] += 1


@pytest.mark.parametrize(
    ("edit", "claim"),
    [
        (cut, ("bounds_contain_values", "UNSOUND", "i")),
        (of_text, ("bounds_are_of_the_columns_type", "UNREADABLE", "i")),
        (count, ("null_counts_are_exact", "UNSOUND", "i")),
        (count_values, ("value_counts_are_exact", "COSMETIC", "i")),
    ],
)
def test_false_statistics_are_found(
    edit: Callable[[dict[str, Any]], None], claim: tuple[str, str, str], table: Path, command: Command
) -> None:
    assert change(table, "column_stats", of_statistics(edit))
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert claim in found(ran), ran.out


def test_records_that_are_written_anew_unchanged_raise_no_alarm(table: Path, command: Command) -> None:
    for partition in ("column_stats", "files"):
        assert change(table, partition, lambda records: None) == 0
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert (ran.status, found(ran)) == (0, set()), ran.out


def first_commit(table: Path) -> Path:
    return min((table / ".hoodie").glob("*.commit"))


def test_a_file_that_the_listing_lacks_is_found(table: Path, command: Command) -> None:
    def without_a_file(records: Records) -> None:
        lists = [record for record in records.values() if record["type"] == 2]
        if lists:
            lists[0]["filesystemMetadata"] = {}

    assert change(table, "files", without_a_file)
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert (ran.status, found(ran)) == (1, {("listing_is_that_of_the_timeline", "UNSOUND", None)}), ran.out


def test_a_file_that_the_timeline_lacks_is_found(table: Path, command: Command) -> None:
    commit = first_commit(table)
    content = json.loads(commit.read_text(encoding="utf-8"))
    content["partitionToWriteStats"].popitem()
    commit.write_text(json.dumps(content), encoding="utf-8")
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert ("listing_is_that_of_the_timeline", "STALE", None) in found(ran), ran.out


def test_a_wrong_number_of_rows_loses_none(table: Path, command: Command) -> None:
    """No reader of Hudi leaves out a file by the number of rows that its commit wrote."""
    commit = first_commit(table)
    content = json.loads(commit.read_text(encoding="utf-8"))
    for written in content["partitionToWriteStats"].values():
        for one in written:
            one["numWrites"] = 0
    commit.write_text(json.dumps(content), encoding="utf-8")
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert found(ran) == {("record_counts_are_exact", "COSMETIC", None)}, ran.out


def test_a_wrong_partition_path_is_found(table: Path, command: Command) -> None:
    """The files lie where the metadata says, and their rows have another value."""
    folder = next(one for one in sorted(table.glob("part=*")) if one.is_dir())
    other = folder.with_name("part=elsewhere")
    folder.rename(other)

    def renamed(records: Records) -> None:
        key = folder.name.encode()
        if key in records:
            records[other.name.encode()] = records.pop(key)

    assert change(table, "files", renamed)
    commit = first_commit(table)
    commit.write_text(commit.read_text(encoding="utf-8").replace(folder.name, other.name), encoding="utf-8")
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert ("tuples_equal_every_row", "UNSOUND", "part") in found(ran), ran.out


def test_a_missing_data_file_is_found(table: Path, command: Command) -> None:
    min(table.rglob("*.parquet")).unlink()
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert ran.status == 1, ran.out
    assert "every_file_exists" in {claim for claim, _, _ in found(ran)}


@pytest.mark.parametrize("place", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("partition", ["files", "column_stats"])
def test_a_metadata_table_that_is_cut_off_is_malformed(
    partition: str, place: float, table: Path, command: Command
) -> None:
    logs = [one for one in (table / ".hoodie/metadata" / partition).glob(".*.log.*") if one.suffix != ".crc"]
    log = max(logs, key=lambda one: one.stat().st_size)
    content = log.read_bytes()
    log.write_bytes(content[: int(len(content) * place)])
    ran = command("check", f"hudi:{table}", "--yes", "--json")
    assert (ran.status, "is not a file of Hudi's metadata table" in ran.out + ran.err) == (1, True), ran.out + ran.err


def test_a_table_of_hudi_is_checked_where_its_format_is_named_alone(table: Path, command: Command) -> None:
    ran = command("check", table, "--yes", "--json")
    assert ran.status == 4
    assert "Hudi" not in ran.out


def test_a_folder_without_a_table_is_one_sentence(tmp_path: Path, command: Command) -> None:
    ran = command("check", f"hudi:{tmp_path}", "--yes", "--json")
    assert (ran.status, "is no Hudi table: it has no .hoodie/hoodie.properties" in ran.err) == (4, True), ran.err
