"""Lines of `write.py` that write rows and call methods of a table: alike for each library for Python."""

from __future__ import annotations

from collections.abc import Iterator

from spark_jobs.battery.iceberg_in_spark import is_icebergs
from spark_jobs.battery.iceberg_table import FILTER
from spark_jobs.battery.table import Called, Step, Write
from tools.reproduce.arrow_script import arrow_type, values_of


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
