"""Makes `write.py` of an Iceberg table as a source: data and steps alone, on the kit's `iceberg_source.py`."""

from __future__ import annotations

from collections.abc import Iterator

from spark_jobs.battery.iceberg_table import FILTER, fields_at_first
from spark_jobs.battery.table import BatteryTable, Called, Step, Write
from tools.reproduce.arrow_script import arrow_type, imports_of, values_of


def by_pyiceberg(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a statement, which is Spark's."""
    steps = "\n".join(line for number, step in enumerate(table.steps, start=1) for line in _step(number, step))
    fields, options = fields_at_first(table)
    given = {"partition_by": fields, "options": options}
    how = "".join(f", {name}={value!r}" for name, value in given.items() if value)
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(steps)}'
        f"import pyarrow as pa\nfrom iceberg_source import Lake\n\nlake = Lake({table.name!r}{how})\n"
        f"{steps}\n\nlake.close()\n"
    )


def _step(number: int, step: Step) -> Iterator[str]:
    yield f"\n# {number}. {step.words}"
    match step.action:
        case Called(method, arguments):
            yield f"lake.call({', '.join([repr(method), *(f'{k}={v!r}' for k, v in arguments.items())])})"
        case Write() as action:
            yield from _write(action)
        case _:
            raise ValueError(f"{step.words}: PyIceberg does not do that")
    if step.staged:
        yield "lake.sync()"


def _write(action: Write) -> Iterator[str]:
    yield "lake.write(\n    pa.schema(["
    yield from (f"        ({field.name!r}, {arrow_type(field.type)})," for field in action.schema)
    yield "    ]),\n    ["
    for one in action.files:
        yield "        {  # a commit"
        yield from (f"            {field.name!r}: {values_of(one.columns[field.name])}," for field in action.schema)
        yield "        },"
    yield "    ],"
    if action.operation == "overwrite":
        yield "    overwrite=True,"
    if FILTER in action.options:
        yield f"    where={action.options[FILTER]!r},"
    yield ")"
