"""Makes `write.py` of a Delta table that delta-rs writes: data and steps alone, on the kit's `delta_rs.py`."""

from __future__ import annotations

from collections.abc import Iterator

from spark_jobs.battery.table import BatteryTable, Called, Step, Write
from tools.reproduce.arrow_script import arrow_type, imports_of, values_of


def by_delta_rs(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in. Raises ValueError for a step that is none of delta-rs."""
    steps = "\n".join(line for number, step in enumerate(table.steps, start=1) for line in _step(number, step))
    given = {"partition_by": [*table.partition_by], "options": dict(table.options)}
    how = "".join(f", {name}={value!r}" for name, value in given.items() if value)
    return (
        f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n\n{imports_of(steps)}'
        "import pyarrow as pa\nfrom delta_rs import Written\n\n"
        f"table = Written({table.name!r}{how})\n{steps}\n\ntable.close()\n"
    )


def _step(number: int, step: Step) -> Iterator[str]:
    yield f"\n# {number}. {step.words}"
    match step.action:
        case Called(method, arguments):
            yield f"table.call({', '.join([repr(method), *(f'{k}={v!r}' for k, v in arguments.items())])})"
        case Write() as action:
            yield from _write(action)
        case _:
            raise ValueError(f"{step.words}: delta-rs does not do that")
    if step.staged:
        yield "table.sync()"


def _write(action: Write) -> Iterator[str]:
    yield "table.write(\n    pa.schema(["
    yield from (f"        ({field.name!r}, {arrow_type(field.type)})," for field in action.schema)
    yield "    ]),\n    ["
    for one in action.files:
        yield "        {  # a commit"
        yield from (f"            {field.name!r}: {values_of(one.columns[field.name])}," for field in action.schema)
        yield "        },"
    yield "    ],"
    if action.operation == "overwrite":
        yield "    overwrite=True,"
    yield ")"
