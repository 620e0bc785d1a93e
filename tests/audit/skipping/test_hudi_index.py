"""Bounds in Hudi's JSON become values of their column's type, and anything else is reported in one sentence."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from xtable_audit.formats.hudi.index import decode

UTC = dt.UTC
NOON = dt.datetime(2023, 1, 1, 12, 0, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("arrow", "text", "value"),
    [
        (pa.string(), '"10001"', "10001"),
        (pa.large_string(), '"\\ud83d\\ude00"', "😀"),
        (pa.int32(), "-5", -5),
        (pa.int64(), "9223372036854775807", 2**63 - 1),
        (pa.int16(), "7", 7),
        (pa.float32(), "1.1", pa.scalar(1.1, pa.float32()).as_py()),
        (pa.float64(), "1.1", 1.1),
        (pa.float64(), "5", 5.0),
        (pa.float64(), '"Infinity"', math.inf),
        (pa.float64(), '"-Infinity"', -math.inf),
        (pa.float64(), "1.0E-300", 1e-300),
        (pa.bool_(), "true", True),
        (pa.date32(), "-1", dt.date(1969, 12, 31)),
        (pa.date32(), '"2023-01-01"', dt.date(2023, 1, 1)),
        (pa.timestamp("us", "UTC"), "1672574400000005", NOON),
        (pa.timestamp("us", "UTC"), '"2023-01-01T12:00:00.000005Z"', NOON),
        (pa.timestamp("us", "UTC"), '"2023-01-01T13:00:00.000005+01:00"', NOON),
        (pa.timestamp("us"), '"2023-01-01T12:00:00.000005Z"', NOON.replace(tzinfo=None)),
        (pa.timestamp("us"), "-1", dt.datetime(1969, 12, 31, 23, 59, 59, 999999)),
        (pa.decimal128(10, 2), "1.500000000000000", Decimal("1.50")),
        (pa.decimal128(10, 2), '"1.50"', Decimal("1.50")),
        (pa.decimal128(10, 2), "7", Decimal("7.00")),
        (pa.decimal128(10, 2), '"/2o="', Decimal("-1.50")),
        (
            pa.decimal128(38, 10),
            "-1234567890123456789012345678.0123456789",
            Decimal("-1234567890123456789012345678.0123456789"),
        ),
        (pa.binary(), '"AP8="', b"\x00\xff"),
    ],
)
def test_bound_is_read(arrow: pa.DataType, text: str, value: Any) -> None:
    values, why = decode(pa.chunked_array([[text, None]]), arrow)
    assert (values.to_pylist(), why.to_pylist()) == ([value, None], [None, None])


def test_nan_is_read() -> None:
    [value, bare] = decode(pa.chunked_array([['"NaN"', "NaN"]]), pa.float64())[0].to_pylist()
    assert math.isnan(value)
    assert math.isnan(bare)


@pytest.mark.parametrize(
    ("arrow", "text"),
    [
        (pa.string(), "1"),
        (pa.int32(), "2147483648"),
        (pa.int32(), "1.5"),
        (pa.int32(), "1.0"),
        (pa.timestamp("us"), "1.5"),
        (pa.bool_(), "0"),
        (pa.float64(), "true"),
        (pa.date32(), '"1.1.2023"'),
        (pa.timestamp("us"), "{}"),
        (pa.decimal128(4, 2), "100.00"),
        (pa.decimal128(10, 2), "1.234"),
        (pa.binary(), '"not base64"'),
        (pa.list_(pa.int32()), "[1]"),
        (pa.int32(), "{"),
    ],
)
def test_anything_else_is_reported_in_one_sentence(arrow: pa.DataType, text: str) -> None:
    values, why = decode(pa.chunked_array([[text]]), arrow)
    assert (values.to_pylist(), why.to_pylist()) == ([None], [f"a bound that is no {arrow}: {text}"])
