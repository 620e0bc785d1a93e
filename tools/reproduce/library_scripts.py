"""Makes `write.py` of a table that a library for Python writes: data and steps alone, on the kit's module for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from spark_jobs.battery.iceberg_in_spark import is_icebergs
from spark_jobs.battery.iceberg_table import FILTER, fields_at_first
from spark_jobs.battery.paimon import PRIMARY_KEY
from spark_jobs.battery.table import BatteryTable, Called, Step, Write
from tools.reproduce.arrow_script import arrow_type, imports_of, values_of


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
