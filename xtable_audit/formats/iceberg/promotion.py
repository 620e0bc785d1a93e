"""Whether readers can read a Parquet type as an Iceberg type (Iceberg spec, Schema Evolution and Appendix A)."""

from __future__ import annotations

import pyarrow as pa
from pyiceberg import types
from pyiceberg.types import IcebergType

from xtable_audit.model.finding import Verdict


def misread(found: pa.DataType, wanted: IcebergType) -> Verdict | None:
    """None if readers see every value unchanged: the same type, a legal promotion, or a coarser unit of time.

    UNSOUND if a reader that trusts the schema reads other values, UNREADABLE if readers refuse the file.
    """
    found = _plain(found)
    match wanted:
        case types.DecimalType() if pa.types.is_decimal(found):
            if found.scale != wanted.scale:
                return Verdict.UNSOUND
            return None if found.precision <= wanted.precision else Verdict.UNREADABLE
        case types.IntegerType() | types.LongType() if pa.types.is_unsigned_integer(found):
            return None if found.bit_width < 32 else Verdict.UNSOUND  # read as signed ones
        case types.TimestampType() | types.TimestamptzType() if pa.types.is_timestamp(found):
            same_zone = (found.tz is not None) == isinstance(wanted, types.TimestamptzType)
            if found.unit == "ns":
                return Verdict.UNREADABLE
            return None if same_zone else Verdict.UNSOUND  # DuckDB reads them in the zone of its session
        case types.FixedType() | types.UUIDType() if pa.types.is_fixed_size_binary(found):
            length = 16 if isinstance(wanted, types.UUIDType) else wanted.root
            return None if found.byte_width == length else Verdict.UNREADABLE
    fits = next((test for kind, test in READ_FROM.items() if isinstance(wanted, kind)), None)
    return None if fits is None or pa.types.is_null(found) or fits(found) else Verdict.UNREADABLE


def _plain(found: pa.DataType) -> pa.DataType:
    if isinstance(found, pa.BaseExtensionType):
        found = found.storage_type
    return found.value_type if pa.types.is_dictionary(found) else found


def _is_int(found: pa.DataType) -> bool:
    return bool(pa.types.is_signed_integer(found) and found.bit_width <= 32)


def _is_text(found: pa.DataType) -> bool:
    """Old writers omit the annotation that distinguishes text from bytes, so readers accept either as the other."""
    return any(
        test(found)
        for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    )


READ_FROM = {
    types.BooleanType: pa.types.is_boolean,
    types.IntegerType: _is_int,
    types.LongType: pa.types.is_signed_integer,
    types.FloatType: pa.types.is_float32,
    types.DoubleType: lambda found: pa.types.is_float32(found) or pa.types.is_float64(found),
    types.DecimalType: pa.types.is_decimal,
    types.DateType: pa.types.is_date,
    types.TimeType: pa.types.is_time,
    types.TimestampType: pa.types.is_timestamp,
    types.TimestamptzType: pa.types.is_timestamp,
    types.StringType: _is_text,
    types.BinaryType: _is_text,
    types.FixedType: pa.types.is_fixed_size_binary,
    types.UUIDType: pa.types.is_fixed_size_binary,
    types.StructType: pa.types.is_struct,
    types.ListType: lambda found: pa.types.is_list(found) or pa.types.is_large_list(found),
    types.MapType: pa.types.is_map,
}
"""Types of later format versions are not judged: no release of XTable writes them."""
