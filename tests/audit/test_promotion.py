"""What is read of which Parquet type, rule by rule."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyiceberg.types import (
    BinaryType,
    DecimalType,
    DoubleType,
    FixedType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    StringType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

from xtable_audit.formats.iceberg.promotion import misread
from xtable_audit.model.finding import Verdict

READ = [
    (pa.int8(), IntegerType()),
    (pa.int32(), LongType()),
    (pa.uint16(), IntegerType()),
    (pa.float32(), DoubleType()),
    (pa.decimal128(7, 2), DecimalType(9, 2)),
    (pa.timestamp("ms", "UTC"), TimestamptzType()),
    (pa.timestamp("us"), TimestampType()),
    (pa.dictionary(pa.int32(), pa.string()), StringType()),
    (pa.large_string(), StringType()),
    (pa.binary(), StringType()),
    (pa.binary(16), UUIDType()),
    (pa.uuid(), UUIDType()),
    (pa.binary(4), FixedType(4)),
    (pa.null(), LongType()),
    (pa.large_list(pa.int32()), ListType(1, IntegerType())),
    (pa.map_(pa.string(), pa.int32()), MapType(1, StringType(), 2, IntegerType())),
]
MISREAD = [
    (pa.uint32(), LongType(), Verdict.UNSOUND),
    (pa.uint64(), LongType(), Verdict.UNSOUND),
    (pa.decimal128(9, 3), DecimalType(9, 2), Verdict.UNSOUND),
    (pa.decimal128(9, 2), DecimalType(7, 2), Verdict.UNREADABLE),
    (pa.int64(), IntegerType(), Verdict.UNREADABLE),
    (pa.int64(), DoubleType(), Verdict.UNREADABLE),
    (pa.timestamp("us"), TimestamptzType(), Verdict.UNSOUND),
    (pa.timestamp("us", "UTC"), TimestampType(), Verdict.UNSOUND),
    (pa.timestamp("ns", "UTC"), TimestamptzType(), Verdict.UNREADABLE),
    (pa.binary(4), BinaryType(), Verdict.UNREADABLE),
    (pa.binary(4), FixedType(5), Verdict.UNREADABLE),
    (pa.string(), ListType(1, IntegerType()), Verdict.UNREADABLE),
]


@pytest.mark.parametrize(("found", "wanted"), READ, ids=str)
def test_value_is_read_as_it_is(found: pa.DataType, wanted: IcebergType) -> None:
    assert misread(found, wanted) is None


@pytest.mark.parametrize(("found", "wanted", "verdict"), MISREAD, ids=str)
def test_value_is_misread(found: pa.DataType, wanted: IcebergType, verdict: Verdict) -> None:
    assert misread(found, wanted) is verdict
