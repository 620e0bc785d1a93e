"""Each column of each data file: what the Iceberg metadata stores of it, and its actual values."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes
from pyiceberg.table import StaticTable
from pyiceberg.types import (
    DateType,
    IcebergType,
    NestedField,
    PrimitiveType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
)
from verdict import Fails  # type: ignore[import-not-found]

FIELD_ID = b"PARQUET:field_id"
UNSOUND = "UNSOUND"


@dataclass
class Column:
    """One column of one data file: stored metrics, None where absent, and actual ones."""

    file: str
    name: str
    kind: IcebergType
    lower: Any
    upper: Any
    least: Any
    greatest: Any
    nulls: int | None
    values: int | None
    actual_nulls: int
    actual_values: int


def leaves(fields: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], NestedField]]:
    for field in fields:
        if isinstance(field.field_type, StructType):
            yield from leaves(field.field_type.fields, (*path, field.name))
        elif isinstance(field.field_type, PrimitiveType):
            yield (*path, field.name), field


def measured(table: StaticTable, file: Any, path: Path) -> Iterator[Column]:
    rows = pq.read_table(path, partitioning=None, coerce_int96_timestamp_unit="us")
    for name, field in leaves(table.schema().fields):
        column = column_of(table.schema().find_field(name[0]), rows.schema)
        if column is None:
            continue
        values = rows.column(column).combine_chunks()
        for part in name[1:]:
            values = pc.struct_field(values, part)
        known = physical(values.drop_null())
        yield Column(
            file=path.name,
            name=".".join(name),
            kind=field.field_type,
            lower=bound(file.lower_bounds, field),
            upper=bound(file.upper_bounds, field),
            least=min(known, default=None),
            greatest=max(known, default=None),
            nulls=(file.null_value_counts or {}).get(field.field_id),
            values=(file.value_counts or {}).get(field.field_id),
            actual_nulls=values.null_count,
            actual_values=len(values),
        )


def column_of(field: NestedField, schema: pa.Schema) -> str | None:
    """The file's column of a field: by its id if the file has ids, else by its name."""
    ids = {int(one.metadata[FIELD_ID]): one.name for one in schema if one.metadata and FIELD_ID in one.metadata}
    if ids:
        return ids.get(field.field_id)
    return field.name if field.name in schema.names else None


def physical(values: pa.Array) -> list[Any]:
    """Values as bounds decode: days and microseconds as integers, texts as UTF-8; NaN has no place in bounds."""
    kind = values.type
    if pa.types.is_date(kind):
        values = values.cast(pa.int32())
    elif pa.types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
    elif pa.types.is_string(kind):
        values = values.cast(pa.binary())
    return [value for value in values.to_pylist() if value == value]


def from_physical(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def bound(stored: dict[int, bytes] | None, field: NestedField) -> Any:
    if not stored or field.field_id not in stored or not isinstance(field.field_type, PrimitiveType):
        return None
    value = from_bytes(field.field_type, stored[field.field_id])
    return value.encode() if isinstance(value, str) else value


def of_columns(columns: list[Column]) -> Iterator[Fails]:
    print("\nfile · column: stored [lower … upper], nulls of values; actual")
    for one in columns:
        if one.name.startswith("_hoodie_"):
            continue
        stored = (
            f"[{show(one.lower, one.kind)} … {show(one.upper, one.kind)}], {count(one.nulls)} of {count(one.values)}"
        )
        actual = (
            f"[{show(one.least, one.kind)} … {show(one.greatest, one.kind)}], {one.actual_nulls} of {one.actual_values}"
        )
        here = f"{one.file[:24]}… · {one.name}: stored {stored}; actual {actual}"
        fails = list(claims_of(one))
        print(("  ! " if fails else "    ") + here)
        for claim, verdict in fails:
            yield Fails(claim, here, one.name, verdict)


def claims_of(one: Column) -> Iterator[tuple[str, str]]:
    """The claims that the column breaks, each with its verdict where that is worse than usual."""
    nan = [bound for bound in (one.lower, one.upper) if isinstance(bound, float) and bound != bound]
    if nan:
        yield "no_bound_is_nan", ""
    elif one.least is None and (one.lower is not None or one.upper is not None):
        yield "bounds_are_of_values", ""
    elif one.least is not None:
        if one.lower is None and one.upper is None:
            yield "bounds_are_present", ""
            yield "points_skip_what_exact_bounds_would", ""
        elif (one.lower is not None and one.lower > one.least) or (one.upper is not None and one.upper < one.greatest):
            yield "bounds_contain_values", ""
        elif one.lower != one.least or (one.upper != one.greatest and not truncated(one)):
            yield "bounds_are_tight", ""
    no_values = one.nulls is not None and one.nulls == one.values and one.actual_nulls < one.actual_values
    no_nulls = one.nulls == 0 and one.actual_nulls > 0
    if one.nulls != one.actual_nulls:
        yield "null_counts_are_exact", UNSOUND if no_values or no_nulls else ""
    if one.values != one.actual_values:
        yield "value_counts_are_exact", UNSOUND if no_values else ""


def truncated(one: Column) -> bool:
    """An upper bound of text or bytes may be a prefix, counted up by one."""
    return isinstance(one.upper, bytes) and len(one.upper) < len(one.greatest) and one.upper > one.greatest


def count(stored: int | None) -> str:
    return "absent" if stored is None else str(stored)


def show(value: Any, kind: IcebergType) -> str:
    text = "absent" if value is None else str(value)
    if isinstance(value, bytes):
        text = repr(value.decode(errors="replace"))[1:-1] if isinstance(kind, StringType) else value.hex()
    if isinstance(value, int) and isinstance(kind, DateType | TimestampType | TimestamptzType):
        since = timedelta(days=value) if isinstance(kind, DateType) else timedelta(microseconds=value)
        try:
            text = f"{datetime(1970, 1, 1) + since}".removesuffix(" 00:00:00")
        except OverflowError:
            text = f"{value} since 1970"
    return text if len(text) <= 26 else f"{text[:21]}…"
