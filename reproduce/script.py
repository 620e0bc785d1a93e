"""Makes `write.py`: the history of a table as a Spark script that stands alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from reproduce.sql_literals import literal, quoted, sql_type
from spark_jobs.battery import delta_table, hudi, session
from spark_jobs.battery.table import BatteryTable, File, Service, Statement, Step, Write
from stack.versions import delta, stack, stack_with_hudi

TEMPLATE = Path(__file__).with_name("kit") / "write.py.template"


def script(table: BatteryTable, title: str, folder: str) -> str:
    """The text of `write.py`, which writes the table into `folder`.

    Raises ValueError for a column of a type that Spark does not have.
    """
    row = stack_with_hudi(table.hudi) if table.hudi else stack()
    packages = delta().jars if table.format == "DELTA" else [jar for jar in row.jars if ":hudi-spark" in jar]
    options = dict(table.options) if table.format == "DELTA" else hudi.options(table, {})
    sessions = session.SETTINGS | (delta_table.SETTINGS if table.format == "DELTA" else {})
    values = {
        "TITLE": title,
        "DESCRIPTION": table.description,
        "NAME": table.name,
        "FOLDER": folder,
        "FORMAT": table.format,
        "PARTITION_BY": repr(list(table.partition_by)),
        "SPEC": repr(table.partition_spec),
        "PACKAGES": repr(",".join(packages)),
        "OPTIONS": _mapping(options),
        "SESSION": _mapping(sessions),
        "STEPS": "".join(_step(number, step) for number, step in enumerate(table.steps, start=1)),
        "COUNT": str(len(table.steps)),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def _mapping(options: Mapping[str, str]) -> str:
    return "{\n" + "".join(f"    {name!r}: {value!r},\n" for name, value in options.items()) + "}"


def _step(number: int, step: Step) -> str:
    lines = [f"\n\ndef step_{number}() -> None:", f'    """{step.words}"""', *_action(step)]
    if step.staged:
        flights = "".join(f"{earlier}, " for earlier in step.in_flight)
        lines.append(f"    sync(in_flight=({flights}))" if flights else "    sync()")
    return "\n".join(lines) + "\n"


def _action(step: Step) -> Iterator[str]:
    match step.action:
        case Write() as write:
            yield "    write("
            yield f"        {write.operation!r},"
            yield f"        {', '.join(f'{quoted(field.name)} {sql_type(field.type)}' for field in write.schema)!r},"
            yield "        ["
            for one in write.files:
                yield from _file(one, write)
            yield "        ],"
            yield f"        {dict(write.options)!r},"
            yield "    )"
        case Service() as service:
            yield f"    service({service.task!r}, {service.of}, {dict(service.options)!r})"
        case Statement() as statement:
            yield f"    statement({statement.sql!r})"
        case None:
            yield "    pass"


def _file(one: File, write: Write) -> Iterator[str]:
    yield "            # a data file"
    yield "            ["
    for place in range(one.rows):
        row = ", ".join(literal(one.columns[field.name][place], field.type) for field in write.schema)
        yield f"                {f'({row})'!r},"
    yield "            ],"
