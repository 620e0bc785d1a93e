"""Facts about a Hudi table that only what XTable writes hangs on: instants, schemas, paths, footers, its indexes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from tests.of_each import of_each
from xtable_audit.formats.configuration import Configuration, parse_spec
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.footers import read_footer, shown
from xtable_audit.formats.hudi.facts import METADATA_TIMELINE, _added
from xtable_audit.formats.hudi.instants import instant_in
from xtable_audit.formats.hudi.partitions import Paths, spec_facts
from xtable_audit.formats.named_source import read_source
from xtable_audit.formats.source import FactAnswer, Lacking, ShownFact, SourceLeaf
from xtable_audit.model.objects import Objects
from xtable_audit.model.source_fact import ColumnFact, TableFact

AT, AFTER = "20240101000001000", "20240101000002000"
WITH_THE_TABLE, FIRST = "0" * 14, "20261124083922495"
LATER, LIKE_A_PARTITIONS = "20261124084000000", "20261124084129018"
"""The last one ends as the first instant of a partition does, by its milliseconds."""
PLAIN: Mapping[str, Any] = {"x": "int", "xs": {"type": "array", "items": "int"}}


def schema(columns: Mapping[str, Any], doc: str = "") -> str:
    fields = [{"name": name, "type": ["null", type], "doc": doc} for name, type in columns.items()]
    return json.dumps({"type": "record", "name": "t", "fields": fields})


def changed(root: Path, schemas: Sequence[str]) -> ShownFact:
    """Of a table without files, whose commits have these schemas."""
    (root / ".hoodie").mkdir()
    (root / ".hoodie" / "hoodie.properties").write_text("hoodie.table.version=6\n", encoding="utf-8")
    for day, text in enumerate(schemas, 1):
        commit = json.dumps({"extraMetadata": {"schema": text}})
        (root / ".hoodie" / f"2024010{day}000000000.commit").write_text(commit, encoding="utf-8")
    return read_source(f"hudi:{root}").facts[TableFact.SCHEMA_CHANGED]


# The name of a file on Hudi's timeline says which instant it is of, and whether that has completed.


@pytest.mark.parametrize(
    ("name", "action", "is_completed"),
    [
        (f"{AT}.commit", "commit", True),
        (f".hoodie/{AT}.replacecommit", "replacecommit", True),
        (f"{AT}_{AFTER}.deltacommit", "deltacommit", True),
        (f"{AT}.commit.requested", "commit", False),
        (f"{AT}.deltacommit.inflight", "deltacommit", False),
        (f"{AT}.inflight", "inflight", False),
    ],
)
def test_a_file_of_the_timeline_is_of_an_instant(name: str, action: str, is_completed: bool) -> None:
    found = instant_in(name)
    assert found is not None
    assert (found.time, found.action, found.name, found.is_completed) == (AT, action, name, is_completed)


@pytest.mark.parametrize("name", ["hoodie.properties", f".{AT}.commit.crc", f"{AT}.commit.tmp", f"x{AT}.commit"])
def test_another_file_is_of_none(name: str) -> None:
    assert instant_in(name) is None


# An index is added later if the metadata table's partitions were made at different times.


@pytest.mark.parametrize(
    ("instants", "answer"),
    [
        ([f"{WITH_THE_TABLE}010", f"{WITH_THE_TABLE}011", FIRST], FactAnswer.NO),
        ([f"{WITH_THE_TABLE}010", f"{WITH_THE_TABLE}011", FIRST, LIKE_A_PARTITIONS], FactAnswer.NO),
        ([f"{WITH_THE_TABLE}010", FIRST, f"{LATER}011", LATER], FactAnswer.YES),
        ([FIRST, LIKE_A_PARTITIONS], FactAnswer.OPEN),
    ],
    ids=["together", "together, and a commit whose milliseconds look like it", "one later", "archived"],
)
def test_the_index_is_added_later(tmp_path: Path, instants: list[str], answer: FactAnswer) -> None:
    timeline = tmp_path / METADATA_TIMELINE
    timeline.mkdir(parents=True)
    for instant in instants:
        (timeline / f"{instant}.deltacommit").touch()
    assert _added(TableFolder(str(tmp_path), Objects(fs.LocalFileSystem()))).answer == answer


# Facts about a Hudi table that only what XTable writes as Delta hangs on: schemas, paths, partitionSpec, footers.


@pytest.mark.parametrize(
    ("after", "by"),
    [
        ({**PLAIN, "y": "int"}, "changed: y"),
        ({"xs": PLAIN["xs"]}, "changed: x"),
        ({**PLAIN, "x": "long"}, "changed: x"),
        ({**PLAIN, "x": {"type": "int", "logicalType": "date"}}, "changed: x"),
        ({**PLAIN, "xs": {"type": "array", "items": "long"}}, "changed: xs"),
    ],
    ids=["added", "dropped", "widened", "another logical type", "widened in a list"],
)
def test_a_schema_has_changed(after: Mapping[str, Any], by: str, tmp_path: Path) -> None:
    assert changed(tmp_path, [schema(PLAIN), schema(PLAIN), schema(after)]) == ShownFact(FactAnswer.YES, by)


def test_a_column_that_came_and_went_has_changed_the_schema(tmp_path: Path) -> None:
    assert changed(tmp_path, [schema(PLAIN), schema({**PLAIN, "y": "int"}), schema(PLAIN)]).by == "changed: y"


@pytest.mark.parametrize("after", [schema(PLAIN), schema(PLAIN, "of the day"), ""], ids=["same", "words", "none"])
def test_a_schema_has_not_changed(after: str, tmp_path: Path) -> None:
    assert changed(tmp_path, [schema(PLAIN), after]).answer is FactAnswer.NO


def paths(*folders: str, fields: Sequence[str] = ("p",), **types: str) -> Paths:
    return Paths(tuple(fields), types, folders, {})


@of_each("folder", ["a b", "100%", "p=a%2Fb", "a#b", "a?b", 'a"b', "12:30", "plain/a b"])
def test_a_folder_that_a_uri_encodes(folder: str) -> None:
    facts = dict(paths("plain", folder).facts((), "/lake"))
    assert facts[TableFact.NO_URI_PATH] == ShownFact(FactAnswer.YES, f"paths such as {folder}")


@of_each("folder", ["", "p=a", "2024-01-01", "plain/12:30", "a+b&c=d", "a_b.c~d", "süd", "(1)'!*@,;$"])
def test_a_folder_that_a_uri_has_as_it_is(folder: str) -> None:
    assert dict(paths(folder).facts((), "/lake"))[TableFact.NO_URI_PATH].answer is FactAnswer.NO


SPECS = {
    "a day": (TableFact.SPEC_BY_TIME, "at:DAY:yyyy-MM-dd", "partitionSpec has at:DAY"),
    "a year": (TableFact.SPEC_BY_TIME, "p:VALUE,at:YEAR:yyyy", "partitionSpec has at:YEAR"),
    "a date as VALUE": (TableFact.SPEC_DATE_AS_VALUE, "day:VALUE", "day, a date, as VALUE"),
    "a field in a struct": (TableFact.SPEC_IN_STRUCT, "p:VALUE,st.p:VALUE", "partitionSpec has st.p"),
}

OTHER_SPECS = {"a day": "p:VALUE", "a year": "p:VALUE", "a date as VALUE": "day:DAY:yyyy-MM-dd",
               "a field in a struct": "p:VALUE,st.at:HOUR:yyyy-MM-dd-HH"}  # fmt: skip

OF_TABLE = paths("a", fields=("p", "day", "st.p"), p="string", day="date")


def of_spec(spec: str) -> Mapping[TableFact, ShownFact]:
    return dict(spec_facts(OF_TABLE, Configuration(parse_spec(spec))))


@pytest.mark.parametrize("what", SPECS)
def test_a_partition_spec_has(what: str) -> None:
    fact, spec, by = SPECS[what]
    assert of_spec(spec)[fact] == ShownFact(FactAnswer.YES, by)


@pytest.mark.parametrize("what", SPECS)
def test_another_partition_spec_has_not(what: str) -> None:
    assert of_spec(OTHER_SPECS[what])[SPECS[what][0]].answer is FactAnswer.NO


@pytest.mark.parametrize("fact", [*dict.fromkeys(fact for fact, *_ in SPECS.values()), TableFact.NO_SPEC])
def test_without_a_configuration_it_is_open_for_want_of_one(fact: TableFact) -> None:
    shown = dict(spec_facts(OF_TABLE, None))[fact]
    assert (shown.answer, shown.lacks) == (FactAnswer.OPEN, Lacking.CONFIGURATION)


@pytest.mark.parametrize("fact", [TableFact.SPEC_DATE_AS_VALUE, TableFact.SPEC_IN_STRUCT])
def test_without_a_configuration_nothing_is_open_that_no_column_can_have(fact: TableFact) -> None:
    assert dict(spec_facts(paths("a", p="string"), None))[fact].answer is FactAnswer.NO


EPOCH = datetime(1970, 1, 1)

MICROS, D10, D17 = pa.timestamp("us"), pa.decimal128(10, 2), pa.decimal128(17, 4)

BEFORE, DOUBLE, GROUP = ColumnFact.BEFORE_1970, ColumnFact.DOUBLE_DIGITS, ColumnFact.NULL_GROUP

COLUMNS: dict[str, tuple[ColumnFact, bool, str, pa.DataType, list[list[Any]]]] = {
    "within a second before 1970": (BEFORE, True, "timestamp", MICROS, [[EPOCH - timedelta(microseconds=1), EPOCH]]),
    "a whole second before 1970": (BEFORE, False, "timestamp", MICROS, [[EPOCH - timedelta(seconds=1), EPOCH]]),
    "within a second after 1970": (BEFORE, False, "timestamp", MICROS, [[EPOCH, EPOCH + timedelta(microseconds=1)]]),
    "between the bounds of a file": (BEFORE, False, "timestamp", MICROS,
                                     [[EPOCH - timedelta(seconds=9)], [EPOCH - timedelta(microseconds=1)], [EPOCH]]),
    "milliseconds": (BEFORE, False, "timestamp", pa.timestamp("ms"), [[EPOCH - timedelta(milliseconds=1)]]),
    "rounded up": (DOUBLE, True, "decimal", D17, [[Decimal("9999999999999.9999")]]),
    "rounded down": (DOUBLE, True, "decimal", D17, [[Decimal("-9999999999999.9999")]]),
    "as long, and not rounded up": (DOUBLE, False, "decimal", D17, [[Decimal("9999999999998.9999")]]),
    "exact": (DOUBLE, False, "decimal", D10, [[Decimal("99999999.99")]]),
    "of the largest type": (DOUBLE, True, "decimal", pa.decimal128(38, 10), [[Decimal("9" * 28 + "." + "9" * 10)]]),
    "nulls beside positive values": (GROUP, True, "int", pa.int32(), [[1], [None]]),
    "nulls beside negative values": (GROUP, True, "double", pa.float64(), [[-1.5], [None]]),
    "nulls beside both": (GROUP, False, "int", pa.int32(), [[-1, 1], [None]]),
    "nulls in the row group of values": (GROUP, False, "int", pa.int32(), [[1, None]]),
    "nothing but nulls": (GROUP, False, "int", pa.int32(), [[None], [None]]),
}  # fmt: skip


@pytest.mark.parametrize("what", COLUMNS)
def test_a_footer_shows(what: str, tmp_path: Path) -> None:
    fact, holds, word, type, groups = COLUMNS[what]
    file = tmp_path / "x.parquet"
    with pq.ParquetWriter(file, pa.schema({"x": type}), coerce_timestamps=None) as writer:
        for values in groups:
            writer.write_table(pa.table({"x": pa.array(values, type)}))
    footer = read_footer(Objects(fs.LocalFileSystem()), str(file))
    seen = shown(SourceLeaf(("x",), ("x",), word), [footer], all_read=True)
    assert seen.get(fact, FactAnswer.NO) is (FactAnswer.YES if holds else FactAnswer.NO)
