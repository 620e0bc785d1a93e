"""Makes `write.py` of a table that a library for Python writes: data and steps alone, on the kit's module for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa

from spark_jobs.battery.iceberg_in_spark import is_icebergs
from spark_jobs.battery.iceberg_table import FILTER, fields_at_first
from spark_jobs.battery.paimon import PRIMARY_KEY
from spark_jobs.battery.table import BatteryTable, Called, Placed, Step, Write

# Makes `write.py` of a folder of Parquet files: data and steps alone, on the kit's `folder.py`.

RUN = 80
"""A string of so many times the same character is written as a product."""
_NAMES = {"bool": "bool_", "double": "float64", "float": "float32", "date32[day]": "date32"}
_USED = {"datetime.": "import datetime\n", "Decimal(": "from decimal import Decimal\n"}


def placed(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the folder in."""
    steps = "\n".join(line for number, step in enumerate(table.steps, start=1) for line in _arrow_step(number, step))
    spec = f", spec={table.partition_spec!r}" if table.partition_spec else ""
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(steps)}'
        f"import pyarrow as pa\nfrom folder import Folder\n\n"
        f"folder = Folder({table.name!r}{spec})\n{steps}\n\nfolder.close()\n"
    )


def _arrow_step(number: int, step: Step) -> Iterator[str]:
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


# Makes `write.py` of a table that a library for Python writes: data and steps alone, on the kit's module for it.


def step_lines(number: int, step: Step, table: str, library: str) -> Iterator[str]:
    """`table` is its variable in the script. Raises ValueError for a step that is none of the library."""
    yield f"\n# {number}. {step.words}"
    match step.action:
        case Called(method, arguments) if not is_icebergs(step.action):
            yield f"{table}.call({', '.join([repr(method), *(f'{k}={v!r}' for k, v in arguments.items())])})"
        case Write() as action:
            yield from write_lines(action, table)
        case _:
            raise ValueError(f"{step.words}: {library} does not do that")
    if step.staged:
        yield f"{table}.sync()"


def write_lines(action: Write, table: str, each: str = "a commit") -> Iterator[str]:
    """`each` is what the rows of a file become."""
    yield f"{table}.write(\n    pa.schema(["
    yield from (f"        ({field.name!r}, {arrow_type(field.type)})," for field in action.schema)
    yield "    ]),\n    ["
    for one in action.files:
        yield f"        {{  # {each}"
        yield from (f"            {field.name!r}: {values_of(one.columns[field.name])}," for field in action.schema)
        yield "        },"
    yield "    ],"
    if action.operation == "overwrite":
        yield "    overwrite=True,"
    if FILTER in action.options:
        yield f"    where={action.options[FILTER]!r},"
    yield ")"


def delta_rs_script(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a step that is none of delta-rs."""
    given = {"partition_by": [*table.partition_by], "options": dict(table.options)}
    steps = (step_lines(number, step, "table", "delta-rs") for number, step in enumerate(table.steps, start=1))
    return _script(table, title, ("delta_rs", "Written", "table"), given, steps)


def iceberg_script(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a statement, which is Spark's."""
    fields, options = fields_at_first(table)
    steps = (step_lines(number, step, "lake", "PyIceberg") for number, step in enumerate(table.steps, start=1))
    return _script(
        table, title, ("iceberg_source", "Lake", "lake"), {"partition_by": fields, "options": options}, steps
    )


def paimon_script(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a step that is no write."""
    options = dict(table.options)
    keys = [one for one in options.pop(PRIMARY_KEY, "").split(",") if one]
    given = {"partition_by": [*table.partition_by], "keys": keys, "options": options}
    steps = (_step(number, step) for number, step in enumerate(table.steps, start=1))
    return _script(table, title, ("lake", "Lake", "lake"), given, steps)


def _script(
    table: BatteryTable,
    title: str,
    kit: tuple[str, str, str],
    given: Mapping[str, object],
    steps: Iterable[Iterable[str]],
) -> str:
    """`kit`: the module of the kit, its class, and the script's variable for the table. `given`: its arguments."""
    module, kind, variable = kit
    lines = "\n".join(chain.from_iterable(steps))
    how = "".join(f", {name}={value!r}" for name, value in given.items() if value)
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(lines)}'
        f"import pyarrow as pa\nfrom {module} import {kind}\n\n{variable} = {kind}({table.name!r}{how})\n"
        f"{lines}\n\n{variable}.close()\n"
    )


def _step(number: int, step: Step) -> Iterator[str]:
    action = step.action
    if not isinstance(action, Write):
        raise ValueError(f"{step.words}: the library for Python does not do that")
    yield f"\n# {number}. {step.words}"
    yield from write_lines(action, "lake", "a data file")
    if step.staged:
        yield "lake.sync()"
