"""Arrow values and types in Spark's SQL, exact for every value: what a script writes is what the battery writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

SMALL = 1 << 31
DAYS, MICROS = (-719_162, 2_932_896), (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""Days and microseconds since 1970 of the years that SQL's literals are written with here, 1 to 9999."""
_FLOATS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
_NAMES = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "STRING",
    pa.binary(): "BINARY",
    pa.date32(): "DATE",
}


def sql_type(kind: pa.DataType) -> str:
    """The type's name. Raises ValueError for one that Spark does not read from Parquet."""
    if kind in _NAMES:
        return _NAMES[kind]
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP" if kind.tz else "TIMESTAMP_NTZ"
    if pa.types.is_list(kind):
        return f"ARRAY<{sql_type(kind.value_type)}>"
    if pa.types.is_map(kind):
        return f"MAP<{sql_type(kind.key_type)}, {sql_type(kind.item_type)}>"
    if pa.types.is_struct(kind):
        return f"STRUCT<{', '.join(f'{quoted(field.name)}: {sql_type(field.type)}' for field in kind)}>"
    raise ValueError(f"Spark has no {kind}")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def literal(value: Any, kind: pa.DataType) -> str:
    """The value as an expression of that type. `value` is as `pyarrow.array` takes it."""
    if value is None:
        return "NULL"
    if pa.types.is_list(kind):
        return f"array({', '.join(literal(one, kind.value_type) for one in value)})"
    if pa.types.is_map(kind):
        pairs = value.items() if isinstance(value, Mapping) else value
        return f"map({', '.join(f'{literal(k, kind.key_type)}, {literal(v, kind.item_type)}' for k, v in pairs)})"
    if pa.types.is_struct(kind):
        parts = (f"{_text(field.name)}, {_cast(value.get(field.name), field.type)}" for field in kind)
        return f"named_struct({', '.join(parts)})"
    return _plain(pa.scalar(value, kind))


def _cast(value: Any, kind: pa.DataType) -> str:
    return f"CAST({literal(value, kind)} AS {sql_type(kind)})"


def _plain(scalar: pa.Scalar) -> str:
    kind = scalar.type
    if pa.types.is_boolean(kind):
        return str(scalar.as_py()).lower()
    if pa.types.is_integer(kind):
        number = scalar.as_py()
        return str(number) if -SMALL < number < SMALL else f"CAST('{number}' AS BIGINT)"
    if pa.types.is_floating(kind):
        return f"CAST('{_FLOATS.get(text := repr(scalar.as_py()), text)}' AS {sql_type(kind)})"
    if pa.types.is_decimal(kind):
        return f"CAST('{scalar.as_py():f}' AS {sql_type(kind)})"
    if pa.types.is_string(kind):
        return _text(scalar.as_py())
    if pa.types.is_binary(kind):
        return f"X'{scalar.as_py().hex()}'"
    if pa.types.is_date(kind):
        days = scalar.cast(pa.int32()).as_py()
        return f"DATE '{scalar.as_py()}'" if DAYS[0] <= days <= DAYS[1] else f"date_from_unix_date({days})"
    return _timestamp(scalar)


def _timestamp(scalar: pa.Scalar) -> str:
    micros = scalar.cast(pa.timestamp("us", scalar.type.tz)).cast(pa.int64()).as_py()
    known = MICROS[0] <= micros <= MICROS[1]
    if not scalar.type.tz:
        return f"TIMESTAMP_NTZ '{scalar.as_py()}'" if known else f"CAST(timestamp_micros({micros}) AS TIMESTAMP_NTZ)"
    if not known:
        return f"timestamp_micros({micros})"
    # `%Y` pads no year before 1000, and Spark reads four digits alone.
    return f"TIMESTAMP '{scalar.as_py().replace(tzinfo=None).isoformat(' ', 'microseconds')} UTC'"


def _text(text: str) -> str:
    """A string of SQL. A long run of one character becomes `repeat`."""
    run = re.search(r"(.)\1{79,}", text, re.DOTALL)
    if run is None:
        return _quoted_text(text)
    before, after = text[: run.start()], text[run.end() :]
    parts = [_quoted_text(before)] if before else []
    parts.append(f"repeat({_quoted_text(run[1])}, {len(run[0])})")
    parts += [_text(after)] if after else []
    return parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"


def _quoted_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    escaped = re.sub(r"[\x00-\x1f]", lambda found: f"\\u{ord(found[0]):04x}", escaped.replace("\r", "\\r"))
    return f"'{escaped}'"
