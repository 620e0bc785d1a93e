"""Makes `write.py` of a folder of Parquet files: data and steps alone, on the kit's `folder.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, Placed, Step

RUN = 80
"""A string of so many times the same character is written as a product."""
_NAMES = {"bool": "bool_", "double": "float64", "float": "float32", "date32[day]": "date32"}
_USED = {"datetime.": "import datetime\n", "Decimal(": "from decimal import Decimal\n"}


def placed(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the folder in."""
    steps = "\n".join(line for number, step in enumerate(table.steps, start=1) for line in _step(number, step))
    spec = f", spec={table.partition_spec!r}" if table.partition_spec else ""
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(steps)}'
        f"import pyarrow as pa\nfrom folder import Folder\n\n"
        f"folder = Folder({table.name!r}{spec})\n{steps}\n\nfolder.close()\n"
    )


def _step(number: int, step: Step) -> Iterator[str]:
    assert isinstance(step.action, Placed), f"{step.words} is no step of a folder"
    action = step.action
    yield f"\n# {number}. {step.words}"
    yield f"folder.put(\n    {action.minute},\n    pa.schema(["
    yield from (f"        {_field(field)}," for field in action.schema)
    yield "    ]),\n    {"
    for path, rows in action.by_path.items():
        if rows is None:
            yield f"        {path!r}: None,"
            continue
        yield f"        {path!r}: {{"
        yield from (f"            {field.name!r}: {values_of(rows.columns[field.name])}," for field in action.schema)
        yield "        },"
    yield "    },"
    yield from (f"    {name}={value!r}," for name, value in action.options.items())
    yield ")"
    if step.staged:
        yield "folder.sync()"


def _field(field: pa.Field) -> str:
    described = f"{field.name!r}, {arrow_type(field.type)}"
    return f"({described})" if field.nullable else f"pa.field({described}, nullable=False)"


def imports_of(steps: str) -> str:
    """The imports that values in these steps need."""
    return "".join(line for word, line in _USED.items() if word in steps)


def arrow_type(kind: pa.DataType) -> str:
    """The expression that makes the type, with `pa`."""
    if pa.types.is_list(kind):
        return f"pa.list_({arrow_type(kind.value_type)})"
    if pa.types.is_map(kind):
        return f"pa.map_({arrow_type(kind.key_type)}, {arrow_type(kind.item_type)})"
    if pa.types.is_struct(kind):
        return f"pa.struct([{', '.join(f'({field.name!r}, {arrow_type(field.type)})' for field in kind)}])"
    if pa.types.is_decimal(kind):
        return f"pa.decimal128({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return f"pa.timestamp({kind.unit!r}{f', tz={kind.tz!r}' if kind.tz else ''})"
    if pa.types.is_time(kind):
        return f"pa.time64({kind.unit!r})"
    if pa.types.is_fixed_size_binary(kind):
        return f"pa.binary({kind.byte_width})"
    return f"pa.{_NAMES.get(str(kind), str(kind))}()"


def values_of(values: Any) -> str:
    """The expression of the values of a column."""
    return f"[{', '.join(_value(value) for value in values)}]"


def _value(value: Any) -> str:
    if isinstance(value, str) and len(value) >= RUN and value == value[0] * len(value):
        return f"{value[0]!r} * {len(value)}"
    return repr(value)
