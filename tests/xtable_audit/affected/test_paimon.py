"""`affected` of a Paimon table: what its schemas, and the statistics in its manifests, show of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tables.paimon_by_hand import A, B, Change, Paimon, appended, rows, statistics
from xtable_audit.cli.main import run
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.paimon.manifests import BinaryRow
from xtable_audit.formats.source import FactAnswer, SourceTable
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact

N = rows(0)
BOTH = Change(A, N, statistics=statistics(0, "row 0"))
"""A file with statistics of its two columns that name none."""


def source(table: Paimon) -> SourceTable:
    return read_source(f"paimon:{table.root}")


def of(root: Path, *changes: Change, **facts: Any) -> SourceTable:
    """A table of one commit."""
    table = Paimon(root, **facts)
    table.commit(*changes)
    return source(table)


def holding(table: SourceTable) -> set[TableFact]:
    """But for the ids of fields, which each table has."""
    found = {fact for fact, shown in table.facts.items() if shown.answer is FactAnswer.YES}
    assert TableFact.FIELD_IDS in found
    return found - {TableFact.FIELD_IDS}


def facts_of(table: SourceTable, column: str) -> set[ColumnFact]:
    [found] = [one for one in table.columns if one.path == column]
    assert {*found.facts.values()} <= {FactAnswer.YES}
    return {*found.facts}


@pytest.mark.parametrize(
    ("type", "leaf"),
    {
        "TINYINT": "byte", "SMALLINT NOT NULL": "short", "INT": "int", "BIGINT": "long", "DOUBLE": "double",
        "DECIMAL(9, 2)": "decimal", "VARCHAR(20)": "string", "STRING NOT NULL": "string", "BYTES": "bytes",
        "VARBINARY(3)": "bytes", "DATE": "date", "TIMESTAMP(6)": "timestamp_ntz", "TIMESTAMP": "timestamp_ntz",
        "TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL": "timestamp", "TIMESTAMP_LTZ(6)": "timestamp", "TIME(0)": "time",
        "VARIANT": "other",
    }.items(),
)  # fmt: skip
def test_a_type_of_paimons_has_the_word_of_the_register(type: str, leaf: str, tmp_path: Path) -> None:
    assert [one.type for one in of(tmp_path, BOTH, columns={0: ("n", type)}).columns] == [leaf]


@pytest.mark.parametrize(("type", "shows"), [("TIMESTAMP(3)", True), ("TIMESTAMP(0)", True), ("TIMESTAMP(6)", False)])
def test_milliseconds_are_seen_by_the_precision(type: str, shows: bool, tmp_path: Path) -> None:
    table = of(tmp_path, BOTH, columns={0: ("n", type), 1: ("s", "STRING")})
    assert (ColumnFact.MILLISECONDS in facts_of(table, "n")) == shows


def test_leaves_of_structs_are_columns_and_what_is_in_lists_is_none(tmp_path: Path) -> None:
    struct = {"type": "ROW NOT NULL", "fields": [{"id": 2, "name": "x", "type": "INT"}]}
    columns = {0: ("st", struct), 1: ("ls", {"type": "ARRAY", "element": "INT"})}
    table = of(tmp_path, BOTH, columns=columns)
    assert [(one.path, {*one.places}) for one in table.columns] == [("st.x", {ColumnPlace.STRUCT})]
    assert TableFact.NESTED_STATS in holding(table)


def test_a_struct_beside_statistics_that_name_their_columns_shows_nothing(tmp_path: Path) -> None:
    columns: dict[int, tuple[str, object]] = {0: ("n", "BIGINT"), 1: ("ls", {"type": "ARRAY", "element": "INT"})}
    named = replace(BOTH, statistics=statistics(0, names=("n",)))
    assert holding(of(tmp_path, named, columns=columns)) == {TableFact.STATS_IN_MANIFESTS}


@pytest.mark.parametrize(
    ("type", "minimum", "shows"),
    [
        ("TINYINT", -1, True),
        ("TINYINT", 0, False),
        ("SMALLINT", -300, True),
        ("SMALLINT", 256, False),
        ("INT", -1, False),
    ],
)
def test_a_minimum_below_zero_counts_where_paimon_keeps_less_than_an_int(
    type: str, minimum: int, shows: bool, tmp_path: Path
) -> None:
    table = of(
        tmp_path, Change(A, N, statistics=statistics(minimum, "a")), columns={0: ("n", type), 1: ("s", "STRING")}
    )
    assert (ColumnFact.MANIFEST_BELOW_ZERO in facts_of(table, "n")) == shows


def test_a_column_without_a_minimum_is_one_that_is_counted(tmp_path: Path) -> None:
    table = of(tmp_path, Change(A, N, statistics=statistics(None, "a")))
    assert facts_of(table, "n") == {ColumnFact.MANIFEST_COUNTED, ColumnFact.MANIFEST_NO_MINIMUM}
    assert facts_of(table, "s") == {ColumnFact.MANIFEST_COUNTED}


def test_a_file_without_statistics_counts_no_column(tmp_path: Path) -> None:
    table = of(tmp_path, Change(A, N))
    assert (holding(table), facts_of(table, "n")) == ({TableFact.NO_STATS_IN_MANIFESTS}, set())


@pytest.mark.parametrize(
    ("columns", "shows"),
    [
        ({0: ("n", "BIGINT"), 1: ("s", "STRING"), 2: ("m", "INT")}, TableFact.STATS_OF_MORE),
        ({0: ("n", "BIGINT")}, TableFact.STATS_OF_MORE),
        ({0: ("n", "BIGINT"), 2: ("m", "STRING")}, TableFact.STATS_OF_OTHERS),
        ({0: ("n", "BIGINT"), 1: ("renamed", "STRING")}, None),
    ],
    ids=["a column more", "a column less", "another column", "another name"],
)
def test_statistics_are_of_the_schema_that_their_file_was_written_by(
    columns: dict[int, tuple[str, object]], shows: TableFact | None, tmp_path: Path
) -> None:
    table = Paimon(tmp_path)
    table.commit(BOTH)
    table.alter(columns)
    table.commit(Change(B, N, statistics=statistics(*range(len(columns)))))
    of_statistics = holding(source(table)) - {TableFact.STATS_IN_MANIFESTS, TableFact.SCHEMA_CHANGED}
    assert of_statistics == ({shows} if shows else set())


def test_a_file_that_is_gone_shows_nothing(tmp_path: Path) -> None:
    table = Paimon(tmp_path)
    table.commit(BOTH)
    table.alter({0: ("n", "BIGINT")})
    table.commit(Change(A), Change(B, N, statistics=statistics(0)))
    assert holding(source(table)) == {TableFact.STATS_IN_MANIFESTS, TableFact.SCHEMA_CHANGED}


@pytest.mark.parametrize(
    ("columns", "changed"),
    [
        ({0: ("n", "BIGINT"), 1: ("s", "STRING"), 2: ("m", "INT")}, "m"),
        ({0: ("n", "BIGINT")}, "s"),
        ({0: ("n", "STRING"), 1: ("s", "STRING")}, "n"),
        ({0: ("n", "BIGINT"), 1: ("s", "STRING NOT NULL")}, ""),
    ],
    ids=["a column more", "a column less", "another type", "no more nulls"],
)
def test_a_changed_schema_is_seen_in_those_that_the_table_keeps(
    columns: dict[int, tuple[str, object]], changed: str, tmp_path: Path
) -> None:
    table = Paimon(tmp_path)
    table.commit(Change(A, N))
    table.alter(columns)
    table.commit(Change(B, N))
    assert source(table).facts[TableFact.SCHEMA_CHANGED].by == changed


def test_of_a_table_with_a_key_compacted_files_alone_are_looked_at(tmp_path: Path) -> None:
    low = Change(A, N, statistics=statistics(None, "a"))
    table = of(tmp_path, low, Change(B, N, level=5, statistics=statistics(1, "a")), primary_keys=("n",))
    assert holding(table) == {TableFact.UNCOMPACTED, TableFact.STATS_IN_MANIFESTS}
    assert (table.files, facts_of(table, "n")) == (1, {ColumnFact.MANIFEST_COUNTED})


def test_a_partition_that_paimon_escapes_is_seen_in_its_path(tmp_path: Path) -> None:
    escaped = Change("s=a%2Fb/bucket-0/data-a-0.parquet", N)
    assert TableFact.ENCODED_PATH in holding(of(tmp_path, escaped, partition_keys=("s",)))


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("s=a b", "s=a b/bucket-0"),
        ("s=50%25", "s=50%/bucket-0"),
        ("s=12%3A00", "s=12:00/bucket-0"),
        ("s=a%2Fb", ""),
        ("s=a%3Db", ""),
    ],
)
def test_a_path_that_a_uri_encodes_is_the_one_that_xtable_writes(folder: str, path: str, tmp_path: Path) -> None:
    there = Change(f"{folder}/bucket-0/data-a-0.parquet", N)
    shown = of(tmp_path, there, partition_keys=("s",)).facts[TableFact.NO_URI_PATH]
    assert shown.by == (f"paths such as {path}" if path else "")


def test_a_null_in_a_partition_is_seen_in_the_manifest(tmp_path: Path) -> None:
    null = replace(BOTH, partition=statistics(None).minima.content)
    there = replace(BOTH, partition=statistics("x").minima.content)
    assert TableFact.NULL_PARTITION in holding(of(tmp_path / "null", null, partition_keys=("s",)))
    assert TableFact.NULL_PARTITION not in holding(of(tmp_path / "there", there, partition_keys=("s",)))


def test_statistics_that_end_before_their_last_column_are_one_sentence(tmp_path: Path) -> None:
    whole = statistics(0, "a")
    short = replace(whole, minima=BinaryRow(whole.minima.content[:4]))
    with pytest.raises((Malformed, Problem), match="statistics cannot be read: a row of 2 fields has 4 bytes"):
        of(tmp_path, replace(BOTH, statistics=short))


@pytest.mark.parametrize("value", [-128, -1, 0, 127])
def test_a_small_integer_is_read_as_it_is_kept(value: int) -> None:
    assert statistics(None, value).minima.integer(1, 1) == value


def test_a_row_of_many_fields_has_more_words_of_nulls() -> None:
    """56 fields fit beside the header into the first word."""
    row = statistics(*range(56), None, 7).minima
    assert (row.is_null(56), row.is_null(57), row.integer(57, 2)) == (True, False, 7)


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ((), 0, "ADVICE meets XTF-103"),
        (("--xtable", "0.3.0"), 1, "XTable 0.3.0 has no source of the format paimon; 0.4.0 is the first release"),
        (("--target", "delta"), 1, "MEETS XTF-117 "),
    ],
    ids=["by the newest release", "by one that reads none", "as Delta"],
)
def test_the_command_on_a_paimon_table(
    options: tuple[str, ...], status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["affected", "--source", f"paimon:{appended(tmp_path).root}", *options]) == status
    said = capsys.readouterr()
    assert words in " ".join((said.out + said.err).split())
