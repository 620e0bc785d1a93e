"""Values of the log are read exactly, and a text that is no value of its type is reported as none."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from tests.of_each import of_each
from xtable_audit.formats.delta.schema import columns_in
from xtable_audit.formats.delta.statistics import LoggedNumber
from xtable_audit.formats.delta.table import NAMED, NUMBER, indexed
from xtable_audit.formats.delta.types import NoValue, array_of, arrow_of, in_partition, in_statistics

MOST = Decimal("12345678901234567890123456789012345678")
MIDNIGHT = dt.datetime(2024, 1, 1)
BOUNDS: dict[str, tuple[str, Any, Any]] = {
    "a long": ("long", LoggedNumber("-9223372036854775808"), -(2**63)),
    "a byte that lost its sign": ("byte", LoggedNumber("251"), 251),
    "a float": ("float", LoggedNumber("0.5"), 0.5),
    "an infinity": ("double", "-Infinity", float("-inf")),
    "a decimal of 38 digits": ("decimal(38,0)", LoggedNumber(str(MOST)), MOST),
    "a decimal with zeros behind": ("decimal(9,2)", LoggedNumber("12.5000"), Decimal("12.50")),
    "a decimal with an exponent": ("decimal(9,2)", LoggedNumber("1.25E+3"), Decimal("1250.00")),
    "a decimal of nothing": ("decimal(2,2)", LoggedNumber("0.00"), Decimal("0.00")),
    "a decimal as a text": ("decimal(9,2)", "12.5", Decimal("12.50")),
    "a text": ("string", "2024", "2024"),
    "a day": ("date", "1969-12-31", dt.date(1969, 12, 31)),
    "a timestamp in UTC": ("timestamp", "2024-01-01T00:00:00.000Z", MIDNIGHT.replace(tzinfo=dt.UTC)),
    "a timestamp in another zone": ("timestamp", "2024-01-01T05:30:00+05:30", MIDNIGHT.replace(tzinfo=dt.UTC)),
    "a timestamp west of UTC": ("timestamp", "2023-12-31T19:00:00-0500", MIDNIGHT.replace(tzinfo=dt.UTC)),
    "a timestamp without a zone": ("timestamp", "2024-01-01 00:00:00", MIDNIGHT.replace(tzinfo=dt.UTC)),
    "microseconds": ("timestamp_ntz", "2024-01-01T00:00:00.000001", MIDNIGHT.replace(microsecond=1)),
    "nanoseconds, cut": ("timestamp_ntz", "2024-01-01T00:00:00.000001999", MIDNIGHT.replace(microsecond=1)),
    "tenths": ("timestamp_ntz", "2024-01-01 00:00:00.5", MIDNIGHT.replace(microsecond=500_000)),
}


@of_each(("type", "said", "value"), BOUNDS.values(), ids=BOUNDS)
def test_a_bound_is_read_exactly(type: str, said: Any, value: Any) -> None:
    kind = arrow_of(type)
    assert kind is not None
    assert array_of([in_statistics(said, kind)], kind).to_pylist() == [value]


NO_BOUNDS: dict[str, tuple[str, Any]] = {
    "a fraction of an integer": ("integer", LoggedNumber("1.5")),
    "an integer beyond its type": ("integer", LoggedNumber("1099511627776")),
    "an integer in words": ("long", "5"),
    "a number for a text": ("string", LoggedNumber("5")),
    "a word for a number": ("double", "many"),
    "a bare NaN, which JSON has not": ("decimal(9,2)", LoggedNumber("NaN")),
    "too many digits behind the point": ("decimal(9,2)", LoggedNumber("1.255")),
    "too many digits before the point": ("decimal(9,2)", LoggedNumber("12345678.00")),
    "an exponent without end": ("decimal(9,2)", LoggedNumber("1E+999999")),
    "a day of no calendar": ("date", "2023-02-30"),
    "a day as a number": ("date", LoggedNumber("19723")),
    "a timestamp as a number": ("timestamp", LoggedNumber("1704067200000000")),
    "a timestamp in words": ("timestamp", "1672531200123006"),
    "an hour of no clock": ("timestamp", "2024-01-01T25:00:00Z"),
    "a list": ("long", [1]),
    "an object": ("long", {"a": 1}),
    "a truth for a number": ("long", True),
}


@of_each(("type", "said"), NO_BOUNDS.values(), ids=NO_BOUNDS)
def test_what_is_no_value_of_the_type_is_none(type: str, said: Any) -> None:
    kind = arrow_of(type)
    assert kind is not None
    with pytest.raises(NoValue):
        in_statistics(said, kind)


def test_years_beyond_pythons_are_read() -> None:
    found = array_of([in_statistics("+12024-02-29", pa.date32())], pa.date32())
    assert found.cast(pa.int32()).to_pylist() == [(dt.date(2024, 2, 29) - dt.date(1970, 1, 1)).days + 25 * 146_097]


TUPLES: dict[str, tuple[str, str, Any]] = {
    "a number": ("integer", "-7", -7),
    "a truth": ("boolean", "True", True),
    "a timestamp": ("timestamp", "1969-12-31 23:59:59.999999", dt.datetime(1969, 12, 31, 23, 59, 59, 999999, dt.UTC)),
    "a timestamp in ISO 8601": ("timestamp", "2024-01-01T00:00:00.000000Z", MIDNIGHT.replace(tzinfo=dt.UTC)),
    "bytes": ("binary", "\u0001\u0002", b"\x01\x02"),
    "Hive's name of null, which Delta takes for a text": ("string", "__HIVE_DEFAULT_PARTITION__", None),
}


@pytest.mark.parametrize(("type", "text", "value"), TUPLES.values(), ids=TUPLES)
def test_a_partition_value_is_read(type: str, text: str, value: Any) -> None:
    kind = arrow_of(type)
    assert kind is not None
    assert array_of([in_partition(text, kind)], kind).to_pylist() == [text if value is None else value]


COLUMNS = columns_in(
    '{"type":"struct","fields":['
    '{"name":"p","type":"string","nullable":true,"metadata":{}},'
    '{"name":"a","type":"long","nullable":true,"metadata":{}},'
    '{"name":"s","type":{"type":"struct","fields":[{"name":"b","type":"long","nullable":true,"metadata":{}},'
    '{"name":"c","type":"long","nullable":true,"metadata":{}}]},"nullable":true,"metadata":{}},'
    '{"name":"d,e","type":"long","nullable":true,"metadata":{}}]}'
)
SETTINGS: dict[str, tuple[dict[str, str], set[str]]] = {
    "all of few": ({}, {"a", "s.b", "s.c", "d,e"}),
    "all": ({NUMBER: "-1"}, {"a", "s.b", "s.c", "d,e"}),
    "none": ({NUMBER: "0"}, set()),
    "the first, without the partition column": ({NUMBER: "2"}, {"a", "s.b"}),
    "a number that is none": ({NUMBER: "some"}, {"a", "s.b", "s.c", "d,e"}),
    "by name": ({NAMED: "a"}, {"a"}),
    "a whole struct": ({NAMED: "s, a", NUMBER: "0"}, {"a", "s.b", "s.c"}),
    "a field of a struct in backquotes": ({NAMED: "`s`.`c`"}, {"s.c"}),
    "a name with a comma": ({NAMED: "`d,e`,a"}, {"d,e", "a"}),
}


@pytest.mark.parametrize(("settings", "kept"), SETTINGS.values(), ids=SETTINGS)
def test_columns_with_statistics_are_those_of_the_properties(settings: dict[str, str], kept: set[str]) -> None:
    assert {".".join(names) for names in indexed(COLUMNS, ["p"], settings)} == kept


@pytest.mark.parametrize(("name", "kept"), [("s.b", ("s", "b")), ("`s`.b", ("s", "b")), ("`s.b`", ("s.b",))])
def test_a_dot_in_backquotes_is_part_of_a_name(name: str, kept: tuple[str, ...]) -> None:
    inside = {"type": "struct", "fields": [{"name": "b", "type": "long", "nullable": True, "metadata": {}}]}
    both = [
        {"name": one, "type": kind, "nullable": True, "metadata": {}} for one, kind in (("s", inside), ("s.b", "long"))
    ]
    columns = columns_in(json.dumps({"type": "struct", "fields": both}))
    assert indexed(columns, (), {NAMED: name}) == {kept}
