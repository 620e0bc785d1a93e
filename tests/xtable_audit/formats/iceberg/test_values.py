"""Values: bytes of the spec's single-value form are read as PyIceberg writes them, any Arrow scalar is shown."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyiceberg import types as ice
from pyiceberg.conversions import to_bytes

from tests.of_each import of_each
from tests.tables.draft import Draft, Raw
from tests.xtable_audit.claims.mutate import actual
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.bounds import bounds_contain_values
from xtable_audit.formats.iceberg.columns import arrow_type
from xtable_audit.formats.iceberg.single_value import Undecodable, decode
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Compare
from xtable_audit.model.scalars import show
from xtable_audit.planning.selection import bounds_in_words

EPOCH = dt.datetime(1970, 1, 1)
MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31))
SIGN = {True: b"\xff", False: b"\0"}
YEAR_10000 = 253402300800


def _decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    most = 10**precision - 1
    return st.integers(-most, most).map(lambda n: Decimal(n).scaleb(-scale))


TYPES: dict[str, tuple[ice.PrimitiveType, st.SearchStrategy[Any]]] = {
    "boolean": (ice.BooleanType(), st.booleans()),
    "int": (ice.IntegerType(), st.integers(-(2**31), 2**31 - 1)),
    "long": (ice.LongType(), st.integers(-(2**63), 2**63 - 1)),
    "float": (ice.FloatType(), st.floats(width=32, allow_nan=False)),
    "double": (ice.DoubleType(), st.floats(allow_nan=False)),
    "decimal(1, 0)": (ice.DecimalType(1, 0), _decimals(1, 0)),
    "decimal(9, 2)": (ice.DecimalType(9, 2), _decimals(9, 2)),
    "decimal(18, 18)": (ice.DecimalType(18, 18), _decimals(18, 18)),
    "decimal(38, 10)": (ice.DecimalType(38, 10), st.integers(-(10**27), 10**27).map(lambda n: Decimal(n).scaleb(-10))),
    "date": (ice.DateType(), st.dates()),
    "time": (ice.TimeType(), st.times()),
    "timestamp": (ice.TimestampType(), MOMENTS),
    "timestamptz": (ice.TimestamptzType(), MOMENTS.map(lambda moment: moment.replace(tzinfo=dt.UTC))),
    "string": (ice.StringType(), st.text()),
    "binary": (ice.BinaryType(), st.binary()),
    "fixed(3)": (ice.FixedType(3), st.binary(min_size=3, max_size=3)),
}


def put_padded(draft: Draft, column: str, *, rightly: bool) -> None:
    """A lower bound of the first file, which is negative, in sixteen bytes: its sign repeated, or noughts."""
    least = actual(draft, 0, column, "min")
    scale = draft.leaf(column).arrow.scale
    unscaled = int(least.scaleb(scale))
    content = unscaled.to_bytes((unscaled + 1).bit_length() // 8 + 1, "big", signed=True)
    draft.put(0, "lower_bounds", column, Raw(content.rjust(16, SIGN[rightly])))


def broken(draft: Draft) -> dict[str, Verdict]:
    case = draft.case()
    return {id: claim.breaks for id, claim in CLAIMS.items() if claim.deviations(case)}


# Bytes of the spec's single-value form, decoded as PyIceberg encodes them.


@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=60)
@given(data=st.data())
def test_decoded_is_what_was_encoded(name: str, data: st.DataObject) -> None:
    """A column at a time, absent bounds in between."""
    type, strategy = TYPES[name]
    values = data.draw(st.lists(st.none() | strategy, max_size=6))
    decoded = decode(pa.array([None if v is None else to_bytes(type, v) for v in values], pa.binary()), type)
    assert decoded.type == arrow_type(type)
    assert decoded.to_pylist() == values


EDGES = [
    ("int", -(2**31)),
    ("int", 2**31 - 1),
    ("long", -(2**63)),
    ("long", 2**63 - 1),
    ("double", math.inf),
    ("double", -math.inf),
    ("double", 5e-324),
    ("float", -math.inf),
    ("decimal(9, 2)", Decimal("-0.01")),
    ("decimal(9, 2)", Decimal("1.28")),
    ("decimal(9, 2)", Decimal("-1.29")),
    ("decimal(9, 2)", Decimal("9999999.99")),
    ("date", dt.date(1, 1, 1)),
    ("date", dt.date(1969, 12, 31)),
    ("timestamp", EPOCH - dt.timedelta(microseconds=1)),
    ("time", dt.time(23, 59, 59, 999999)),
    ("string", ""),
    ("string", "\0"),
    ("string", "🙂é\U0010ffff"),
    ("binary", b""),
    ("binary", b"\xff" * 16),
]


@of_each(("name", "value"), EDGES, ids=[f"{name} {value!r}" for name, value in EDGES])
def test_edge_is_decoded_exactly(name: str, value: Any) -> None:
    type, _ = TYPES[name]
    assert decode(pa.array([to_bytes(type, value)], pa.binary()), type).to_pylist() == [value]


def test_minus_zero_keeps_its_sign() -> None:
    decoded = decode(pa.array([to_bytes(ice.DoubleType(), -0.0)], pa.binary()), ice.DoubleType())
    assert math.copysign(1, decoded[0].as_py()) == -1


def test_nan_stays_nan() -> None:
    decoded = decode(pa.array([to_bytes(ice.DoubleType(), math.nan)], pa.binary()), ice.DoubleType())
    assert math.isnan(decoded[0].as_py())


def test_uuid_is_its_bytes() -> None:
    value = uuid.UUID(int=2**127 + 1)
    decoded = decode(pa.array([to_bytes(ice.UUIDType(), value)], pa.binary()), ice.UUIDType())
    assert decoded.to_pylist() == [value.bytes]
    assert decoded.type == arrow_type(ice.UUIDType())


@given(value=st.integers(-(2**31), 2**31 - 1))
@example(value=-1)
@settings(max_examples=20)
def test_int_bound_of_a_column_promoted_to_long_is_read(value: int) -> None:
    mixed = [to_bytes(ice.IntegerType(), value), None, to_bytes(ice.LongType(), 2**40)]
    assert decode(pa.array(mixed, pa.binary()), ice.LongType()).to_pylist() == [value, None, 2**40]


def test_float_bound_of_a_column_promoted_to_double_is_read() -> None:
    mixed = [to_bytes(ice.FloatType(), 0.5), to_bytes(ice.DoubleType(), 0.1)]
    assert decode(pa.array(mixed, pa.binary()), ice.DoubleType()).to_pylist() == [0.5, 0.1]


@pytest.mark.parametrize("value", [Decimal("-0.01"), Decimal("-1.28"), Decimal("0.00"), Decimal("1.28")], ids=str)
@pytest.mark.parametrize("length", [4, 16])
def test_a_padded_decimal_is_read_as_every_reader_reads_it(value: Decimal, length: int) -> None:
    """The spec requires the fewest bytes that hold it. Its sign, repeated before it, changes no value."""
    type, _ = TYPES["decimal(9, 2)"]
    padded = to_bytes(type, value).rjust(length, b"\xff" if value < 0 else b"\0")
    assert decode(pa.array([padded], pa.binary()), type).to_pylist() == [value]


@of_each("name", TYPES)
@pytest.mark.parametrize("length", [0, 3])
def test_no_bounds_at_all_are_nulls(name: str, length: int) -> None:
    type, _ = TYPES[name]
    decoded = decode(pa.nulls(length, pa.binary()), type)
    assert decoded.type == arrow_type(type)
    assert decoded.to_pylist() == [None] * length


WRONG = [
    ("int", b"\1\2\3"),
    ("long", b"\1\2\3\4\5"),
    ("double", bytes(9)),
    ("boolean", b""),
    ("boolean", bytes(2)),
    ("date", bytes(8)),
    ("timestamptz", bytes(4)),
    ("decimal(9, 2)", b""),
    ("decimal(9, 2)", bytes(17)),
    ("string", b"\xc3"),
]


@pytest.mark.parametrize(("name", "content"), WRONG, ids=[f"{name} of {content!r}" for name, content in WRONG])
def test_bytes_that_are_no_value_are_refused(name: str, content: bytes) -> None:
    type, _ = TYPES[name]
    with pytest.raises(Undecodable, match=type.__class__.__name__.removesuffix("Type").lower()[:3]):
        decode(pa.array([None, content], pa.binary()), type)


# Decimal bounds in more bytes than they need: Iceberg requires the fewest, and readers read the others as well.


@pytest.mark.parametrize("column", ["decimal4", "decimal8"])
def test_a_bound_with_its_sign_repeated_breaks_no_claim(draft_of: DraftOf, column: str) -> None:
    draft = draft_of("typed")
    put_padded(draft, column, rightly=True)
    assert broken(draft) == {}


@pytest.mark.parametrize("column", ["decimal4", "decimal8"])
def test_a_negative_bound_behind_noughts_is_another_number(draft_of: DraftOf, column: str) -> None:
    draft = draft_of("typed")
    put_padded(draft, column, rightly=False)
    assert broken(draft) == {"bounds_contain_values": Verdict.UNSOUND}


# Every Arrow scalar can be shown, those that Python's calendar ends before too.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (pa.scalar(YEAR_10000, pa.timestamp("s")), "10000-01-01T00:00:00"),
        (pa.scalar(YEAR_10000 * 10**6, pa.timestamp("us", "UTC")), "10000-01-01T00:00:00.000000"),
        (pa.scalar(YEAR_10000 // 86400, pa.date32()), "10000-01-01"),
        (pa.scalar(-800_000, pa.date32()), "-221-09-04"),
        (pa.scalar(0, pa.date32()), "1970-01-01"),
        (pa.scalar("a"), "'a'"),
        (pa.scalar(None, pa.int32()), "nothing"),
        ("a" * 99, "'" + "a" * 56 + "…"),
        (None, "nothing"),
    ],
)
def test_a_value_is_shown(value: Any, words: str) -> None:
    assert show(value) == words


@pytest.mark.parametrize("column", ["date", "timestamp", "timestamptz"])
def test_a_bound_beyond_the_year_9999_is_shown_as_any_other(table_of: TableOf, column: str) -> None:
    """Of the claim, and of what a planner keeps."""
    case = table_of("typed").case
    stored = case.stored.columns[column]
    unit: Literal["D", "us"] = "D" if column == "date" else "us"
    late = pa.array([np.datetime64("10000-01-01", unit).astype(np.int64)] * stored.num_rows)
    raised = stored.set_column(
        0, "lower", late.cast(pa.int32() if unit == "D" else pa.int64()).cast(stored["lower"].type)
    )
    spoilt = replace(case, stored=replace(case.stored, columns={**case.stored.columns, column: raised}))
    [found] = bounds_contain_values.deviations(spoilt)
    assert found.saw.startswith("[10000-01-01")
    predicate = Compare(column, "=", stored["upper"][0].as_py())
    assert "10000-01-01" in bounds_in_words(spoilt.stored, case.stored.paths[0], predicate)
