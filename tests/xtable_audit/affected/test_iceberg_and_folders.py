"""`affected` of an Iceberg table, and of a folder of Parquet files: what each shows of itself."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_jobs.battery.folder import write
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.parquet import FOLDERS
from tests.of_each import of_each
from tests.tables.iceberg_by_pyiceberg import iceberg, rows
from tools.pages.affected import source
from xtable_audit.cli.main import run
from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import FactAnswer, Lacking
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact

# An Iceberg table: what its metadata.json and its manifests show of it.

CHANGED, OLDER, BY_TIME = TableFact.SCHEMA_CHANGED, TableFact.OLDER_SPEC, TableFact.SPEC_BY_TIME
OTHER = TableFact.OTHER_FIELDS
SHOWN = {
    "iceberg_nested": {TableFact.MAP, TableFact.LIST},
    "iceberg_by_moment": {TableFact.NO_URI_PATH},
    "iceberg_by_special": {TableFact.NO_URI_PATH},
    **{key: {BY_TIME} for key in ["iceberg_by_year", "iceberg_by_month", "iceberg_by_daily", "iceberg_by_hour"]},
    "iceberg_null_day": {BY_TIME, TableFact.NULL_BY_TIME},
    "iceberg_by_bucket": {TableFact.SPEC_BY_BUCKET},
    "iceberg_by_truncated": {TableFact.SPEC_BY_TRUNCATE},
    "iceberg_spaced_name": {TableFact.NAME_REFUSED},
    "iceberg_repartitioned": {OLDER, TableFact.FIELD_SINCE, OTHER},
    "iceberg_unpartitioned_since": {OLDER, OTHER},
    "iceberg_respec_rewritten": {OTHER},
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


NO_BOUNDS, UNCOUNTED = ColumnFact.NO_BOUNDS, ColumnFact.NO_NULL_COUNT
OF_COLUMNS = {
    "iceberg_plain": {"st.x": {NO_BOUNDS}, "st.y": {NO_BOUNDS}},
    "iceberg_nested": {"st.x": {NO_BOUNDS}, "st.in.y": {NO_BOUNDS}},
    "iceberg_unmeasured": {"record_key": {NO_BOUNDS}, "i": {NO_BOUNDS}, "s": {NO_BOUNDS, UNCOUNTED}},
    "iceberg_strings": {"s": {ColumnFact.MANIFEST_CUT}},
    "iceberg_decimals": {"m18": {ColumnFact.DOUBLE_DIGITS}},
    "iceberg_bytes": {"b": {NO_BOUNDS}},
}
"""What columns of a recorded table show beside the times of timestamps; those of every other table nothing."""


@of_each("name", ICEBERG_TABLES)
def test_metrics_are_read_from_the_manifests(name: str) -> None:
    columns = [one for one in source(name).columns if not one.type.startswith("timestamp")]
    shown = {one.path: {fact for fact, answer in one.facts.items() if answer is FactAnswer.YES} for one in columns}
    assert {path: facts for path, facts in shown.items() if facts} == OF_COLUMNS.get(name, {})


@pytest.mark.parametrize("name", ["iceberg_add_column", "iceberg_added_column", "iceberg_readded_column"])
def test_a_file_without_metrics_of_a_column_that_came_later_decides_nothing(name: str) -> None:
    [shown] = [one.facts for one in source(name).columns if one.path == "s"]
    assert shown == dict.fromkeys((NO_BOUNDS, UNCOUNTED), FactAnswer.OPEN)


@pytest.mark.parametrize(
    ("mode", "facts"),
    [("truncate(2)", {ColumnFact.MANIFEST_CUT}), ("truncate(3)", set()), ("counts", {NO_BOUNDS}), ("full", set())],
)
def test_what_the_table_asks_to_be_kept_decides(tmp_path: Path, mode: str, facts: set[ColumnFact]) -> None:
    """Of texts of two characters."""
    with iceberg(tmp_path / "t", **{"write.metadata.metrics.column.s": mode}) as made:
        made.append(rows(0))
    table = read_source(f"iceberg:{tmp_path / 't'}")
    assert [{*one.facts} for one in table.columns if one.path == "s"] == [facts]


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


# A folder of Parquet files: what is not read, not configured, or of a release without such a source.


def folder_of(tmp_path: Path, name: str) -> str:
    (tmp_path / name).mkdir()
    stages = write(FOLDERS[f"parquet_{name}"], tmp_path / name)["stages"]
    return f"parquet:{tmp_path / name / str(len(stages))}"


def test_what_depends_on_the_configuration_is_open_without_one(tmp_path: Path) -> None:
    facts = read_source(folder_of(tmp_path, "in_paths")).facts
    for fact in (TableFact.PATH_ALONE, TableFact.SPEC_AS_VALUE):
        assert (facts[fact].answer, facts[fact].lacks) == (FactAnswer.OPEN, Lacking.CONFIGURATION)


def test_a_column_of_paths_that_files_hold_too_is_not_in_paths_alone(tmp_path: Path) -> None:
    facts = read_source(folder_of(tmp_path, "in_files"), Configuration()).facts
    assert facts[TableFact.PATH_ALONE].answer is FactAnswer.NO


def test_what_no_footer_shows_is_open_until_all_are_read(tmp_path: Path) -> None:
    named = folder_of(tmp_path, "plain")
    some, every = (read_source(named, footers=number) for number in (1, 2))
    assert some.facts[TableFact.REPEATED].lacks is Lacking.FOOTERS
    assert every.facts[TableFact.REPEATED].answer is FactAnswer.NO
    column = {one.path: one for one in some.columns}["i"]
    assert column.facts[ColumnFact.NO_NULL_COUNT] is FactAnswer.OPEN


NULLABLE, REQUIRED = pa.schema([pa.field("i", pa.int32())]), pa.schema([pa.field("i", pa.int32(), nullable=False)])


@pytest.mark.parametrize(
    ("files", "footers", "answer", "lacks"),
    [
        ((NULLABLE, NULLABLE), 2, FactAnswer.YES, None),
        ((REQUIRED, REQUIRED), 2, FactAnswer.NO, None),
        ((REQUIRED, NULLABLE), 2, FactAnswer.OPEN, None),
        ((REQUIRED, REQUIRED), 1, FactAnswer.OPEN, Lacking.FOOTERS),
    ],
    ids=["of all files", "of no file", "of one of two files", "of files that were not read"],
)
def test_a_nullable_column(
    files: tuple[pa.Schema, ...], footers: int, answer: FactAnswer, lacks: Lacking | None, tmp_path: Path
) -> None:
    for number, schema in enumerate(files):
        pq.write_table(pa.table({"i": [number]}, schema=schema), tmp_path / f"{number}.parquet")
    shown = read_source(f"parquet:{tmp_path}", footers=footers).facts[TableFact.NULLABLE]
    assert (shown.answer, shown.lacks) == (answer, lacks)


def test_a_folder_without_parquet_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="is no folder of Parquet files"):
        read_source(f"parquet:{tmp_path}")


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ((), 1, "MEETS  XTF-078"),
        (("--xtable", "0.3.0"), 1, "XTable 0.3.0 has no source of the format parquet; 0.4.0 is the first release"),
        (("--target", "delta"), 1, "MEETS  XTF-078"),
    ],
    ids=["by the newest release", "by one that reads no folders", "as Delta"],
)
def test_the_command_on_a_folder(
    options: tuple[str, ...], status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["affected", "--source", folder_of(tmp_path, "append"), *options]) == status
    said = capsys.readouterr()
    assert words in " ".join((said.out + said.err).split()).replace("MEETS XTF", "MEETS  XTF")
