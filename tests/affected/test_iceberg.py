"""`affected` of an Iceberg table: what its metadata.json and its manifests show of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from tests.formats.iceberg_by_pyiceberg import iceberg, rows
from tests.of_each import of_each
from tools.pages.affected import source
from xtable_audit.cli.main import run
from xtable_audit.formats.source import FactAnswer
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact

CHANGED, OLDER, BY_TIME = TableFact.SCHEMA_CHANGED, TableFact.OLDER_SPEC, TableFact.SPEC_BY_TIME
SHOWN = {
    "iceberg_nested": {TableFact.MAP, TableFact.LIST},
    "iceberg_by_moment": {TableFact.NO_URI_PATH},
    "iceberg_by_special": {TableFact.NO_URI_PATH},
    **{key: {BY_TIME} for key in ["iceberg_by_year", "iceberg_by_month", "iceberg_by_daily", "iceberg_by_hour"]},
    "iceberg_null_day": {BY_TIME, TableFact.NULL_BY_TIME},
    "iceberg_by_bucket": {TableFact.SPEC_BY_BUCKET},
    "iceberg_repartitioned": {OLDER, TableFact.FIELD_SINCE},
    "iceberg_unpartitioned_since": {OLDER},
    "iceberg_rolled_back": {TableFact.ROLLED_BACK},
    **{key: {CHANGED} for key in ["iceberg_add_column", "iceberg_added_column", "iceberg_drop_column"]},
    **{key: {CHANGED} for key in ["iceberg_widened_int", "iceberg_widened_float"]},
    **{key: {CHANGED, TableFact.RENAMED} for key in ["iceberg_rename_column", "iceberg_rename_rewritten"]},
    "iceberg_once_renamed": {CHANGED, TableFact.RENAMED, TableFact.SCHEMA_AHEAD},
    "iceberg_readded_column": {CHANGED, TableFact.ADDED_AGAIN},
    **{f"iceberg_{key}": {TableFact.DELETE_FILES} for key in ["position_deletes", "equality_deletes", "vectors"]},
}
"""What a recorded table shows beside the ids of its fields; every other table nothing."""


@of_each("name", ICEBERG_TABLES)
def test_each_recorded_table_shows_what_it_was_made_for(name: str) -> None:
    holding = {fact for fact, shown in source(name).facts.items() if shown.answer is FactAnswer.YES}
    assert holding == {TableFact.FIELD_IDS} | SHOWN.get(name, set())


def test_bounds_of_timestamps_are_read_from_the_manifests() -> None:
    found = {one.path: {*one.facts} for one in source("iceberg_micros").columns}
    assert found["z"] == found["n"] == {ColumnFact.MILLISECOND_PART, ColumnFact.BEFORE_1970}
    assert {*found} - {"z", "n"} == {"record_key"}
    assert found["record_key"] == set()


def test_a_column_of_an_identity_partition_is_a_partition_column() -> None:
    places = {one.path: one.places for one in source("iceberg_by_moment").columns}
    assert places["p"] == {ColumnPlace.PARTITION}
    assert {one.path: one.places for one in source("iceberg_by_daily").columns}["p"] == {ColumnPlace.TOP}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    with iceberg(tmp_path / "t") as made:
        made.append(rows(0))
    return str(tmp_path / "t")


def test_what_delta_kernel_makes_of_each_table_is_named(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["affected", "--source", f"iceberg:{folder}", "--target", "delta"]) == 1
    said = capsys.readouterr().out
    assert "MEETS  XTF-117" in said
    assert "MEETS" not in said.replace("MEETS  XTF-117", "")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "is an Iceberg table already; ask --target delta"),
        (["--target=delta", "--xtable=0.3.0"], "what XTable 0.3.0 makes of Iceberg tables is not registered; 0.4.0 is"),
    ],
)
def test_what_is_not_known_is_one_sentence(
    folder: str, capsys: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    assert run(["affected", "--source", f"iceberg:{folder}", *options]) == 4
    assert words in " ".join(capsys.readouterr().err.split())
