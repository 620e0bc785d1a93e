"""Statistics in Delta's log keep every digit, and are found by the columns' physical names."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.tables.hand_written import ADD, PLAIN, PROTOCOL, HandWritten, added, column, metadata, struct
from xtable_audit.formats.delta.log import read_log
from xtable_audit.formats.delta.statistics import FileStatistics, LoggedNumber, at, leaves_in, parsed_statistics


@pytest.mark.parametrize(
    "number",
    ["3900000000.0000000001", "9223372036854775807", "-9007199254740993", "1.0E10", "-0.0", "0.10", "1e-400"],
)
def test_a_number_keeps_every_digit(number: str) -> None:
    found = parsed_statistics(f'{{"numRecords":1,"minValues":{{"x":{number}}}}}').lower["x"]
    assert (found, type(found)) == (number, LoggedNumber)


@pytest.mark.parametrize("text", ["1", "NaN", "2023-01-01"])
def test_a_text_is_no_number(text: str) -> None:
    found = parsed_statistics(json.dumps({"maxValues": {"x": text}})).upper["x"]
    assert (found, type(found)) == (text, str)


def test_counts_and_bounds_of_structs_are_leaves() -> None:
    found = parsed_statistics('{"numRecords":3,"nullCount":{"a":{"b":1,"c":null},"d":0},"tightBounds":false}')
    assert dict(leaves_in(found.nulls)) == {("a", "b"): "1", ("d",): "0"}
    places = (("a", "b"), ("d", "e"), ("z",))
    assert [at(found.nulls, place) for place in places] == ["1", None, None]
    assert (found.rows, found.tight) == ("3", False)


def test_bounds_are_tight_unless_the_log_says_otherwise() -> None:
    assert parsed_statistics("{}") == FileStatistics(None, {}, {}, {}, True)


BROKEN = {
    "cut off": "{",
    "a list": "[]",
    "a number": "1",
    "bounds in a list": '{"minValues":[1]}',
    "a count of no column": '{"nullCount":3}',
    "rows in words": '{"numRecords":"3"}',
    "nested without end": '{"a":' * 3000,
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_broken_statistics_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"statistics|line 1"):
        parsed_statistics(text)


# Checkpoints

PARSED = {
    "numRecords": pa.int64(),
    "tightBounds": pa.bool_(),
    "minValues": pa.struct(
        {
            "m": pa.decimal128(38, 10),
            "l": pa.int64(),
            "d": pa.float64(),
            "day": pa.date32(),
            "at": pa.timestamp("us", "UTC"),
            "local": pa.timestamp("us"),
            "s": pa.string(),
            "none": pa.int32(),
            "st": pa.struct({"b": pa.bool_()}),
        }
    ),
    "maxValues": pa.struct({"d": pa.float64()}),
    "nullCount": pa.struct({"m": pa.int64()}),
}
BOUNDS = {
    "m": Decimal("3900000000.0000000001"),
    "l": 2**63 - 1,
    "d": 0.1,
    "day": dt.date(1582, 10, 4),
    "at": dt.datetime(2023, 1, 3, 11, 0, 0, 162, dt.UTC),
    "local": dt.datetime(2023, 1, 3, 11),
    "s": "ä",
    "none": None,
    "st": {"b": True},
}
LOGGED = {
    ("m",): "3900000000.0000000001",
    ("l",): "9223372036854775807",
    ("d",): "0.1",
    ("day",): "1582-10-04",
    ("at",): "2023-01-03T11:00:00.000162Z",
    ("local",): "2023-01-03T11:00:00",
    ("s",): "ä",
    ("st", "b"): True,
}


def checkpointed(root: Path, *, text: str | None, parsed: Any) -> FileStatistics | None:
    """The statistics of a file whose checkpoint has these."""
    table = HandWritten(root)
    add = pa.struct(ADD | {"stats_parsed": pa.struct(PARSED)})
    schema = PLAIN.set(PLAIN.get_field_index("add"), pa.field("add", add))
    table.checkpoint(1, ".parquet", [PROTOCOL, metadata(), added("a", stats=text, stats_parsed=parsed)], schema)
    return read_log(table.folder).adds["a"].statistics


def test_typed_statistics_of_a_checkpoint_are_read_where_there_is_no_text(tmp_path: Path) -> None:
    parsed = {
        "numRecords": 2,
        "tightBounds": False,
        "minValues": BOUNDS,
        "maxValues": {"d": float("nan")},
        "nullCount": {"m": 1},
    }
    found = checkpointed(tmp_path, text=None, parsed=parsed)
    assert found is not None
    assert dict(leaves_in(found.lower)) == LOGGED
    assert (found.rows, found.tight, found.upper, found.nulls) == ("2", False, {"d": "NaN"}, {"m": "1"})
    assert type(found.upper["d"]) is str


def test_the_text_of_a_checkpoint_counts_before_what_is_typed(tmp_path: Path) -> None:
    found = checkpointed(tmp_path, text='{"numRecords":7}', parsed={"numRecords": 2})
    assert found is not None
    assert found.rows == "7"


def test_a_file_without_statistics_has_none(tmp_path: Path) -> None:
    assert checkpointed(tmp_path, text=None, parsed=None) is None


# Column mapping


def mapped(id: int, name: str) -> dict[str, Any]:
    return {"delta.columnMapping.id": id, "delta.columnMapping.physicalName": name}


@pytest.mark.parametrize("mode", ["name", "id"])
def test_mapped_columns_have_their_names_their_physical_names_and_their_ids(mode: str, tmp_path: Path) -> None:
    inner = struct(column("city", "string", **mapped(3, "col-c")))
    columns = (column("n", "decimal(9,2)", **mapped(1, "col-a")), column("st", inner, **mapped(2, "col-b")))
    table = HandWritten(tmp_path)
    table.commit(0, PROTOCOL, metadata(*columns, **{"delta.columnMapping.mode": mode}))
    found = read_log(table.folder).metadata.columns
    assert [(one.path, one.stored, one.id, one.type) for one in found] == [
        ("n", ("col-a",), 1, "decimal(9,2)"),
        ("st", ("col-b",), 2, "struct"),
        ("st.city", ("col-b", "col-c"), 3, "string"),
    ]


def test_columns_without_mapping_are_stored_by_their_names(tmp_path: Path) -> None:
    table = HandWritten(tmp_path)
    array = {"type": "array", "elementType": "long", "containsNull": True}
    table.commit(0, PROTOCOL, metadata(column("xs", array), column("st", struct(column("x"))), column("v", "variant")))
    found = read_log(table.folder).metadata.columns
    assert [(one.path, one.stored, one.id, one.is_leaf) for one in found] == [
        ("xs", ("xs",), None, False),
        ("st", ("st",), None, False),
        ("st.x", ("st", "x"), None, True),
        ("v", ("v",), None, True),
    ]
