"""Makes `write.py`: the history of a table as a Spark script, data and steps alone, on the kit's `history.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spark_jobs.battery.table import BatteryTable, File, Service, Statement, Step, Write
from tools.reproduce.sql_literals import literal, quoted, sql_type


def synced(table: BatteryTable, title: str) -> str:
    """The text of a script that XTable syncs the table in.

    Raises ValueError for a column of a type that Spark does not have.
    """
    again = ["", "# The next run finds no new commit.", "table.sync()"] if len(_stages(table)) > 1 else []
    return _text(_head(table, title), _table(table), *_steps(table), *again, "table.close()")


def skipped(table: BatteryTable, title: str, predicates: Sequence[str]) -> str:
    """The text of a script that keeps what Hudi's own indexes store, and asks its own reader. Raises as `synced`."""
    asked = ["index.ask(", *(f"    {predicate!r}," for predicate in predicates), ")"]
    return _text(
        _head(table, title, "from skipping import Index"),
        _table(table),
        "index = Index(table)",
        *_steps(table, indexed=True),
        "\n".join(asked) if predicates else "index.ask()",
        "table.close()",
    )


def _stages(table: BatteryTable) -> list[Step]:
    return [step for step in table.steps if step.staged]


def _text(*parts: str) -> str:
    return "\n".join(parts) + "\n"


def _head(table: BatteryTable, title: str, *imports: str) -> str:
    words = f'"""{title}\n\n{table.description} `../reproduce.sh` runs this.\n"""\n'
    return "\n".join([words, "from history import Table", *imports, ""])


def _table(table: BatteryTable) -> str:
    given: dict[str, object] = {
        "format": table.format if table.format != BatteryTable.format else None,
        "partition_by": list(table.partition_by),
        "spec": table.partition_spec,
        "hudi": table.hudi,
    }
    lines = [f"    {name}={value!r}," for name, value in given.items() if value]
    options = [f"    options={_mapping(table.options)},"] if table.options else []
    return "\n".join(["table = Table(", f"    {table.name!r},", *lines, *options, ")"])


def _mapping(options: Mapping[str, str]) -> str:
    return "{\n" + "".join(f"        {name!r}: {value!r},\n" for name, value in options.items()) + "    }"


def _steps(table: BatteryTable, *, indexed: bool = False) -> Iterator[str]:
    """Each step with its words; a commit that a later step names gets a name."""
    of = {step.action.of for step in table.steps if isinstance(step.action, Service)}
    named = of.union(*(step.in_flight for step in table.steps))
    for number, step in enumerate(table.steps, start=1):
        words = f"\n# {number}. {step.words}"
        action = list(_action(step))
        if action and number in named:
            action[0] = f"commit_{number} = {action[0]}"
        yield "\n".join([words, *action])
        if step.staged and indexed:
            yield f"index.keep({step.words!r})"
        elif step.staged:
            if table.shares_second(step):
                yield "table.share_second()"
            yield f"table.sync({_in_flight(step)})"


def _in_flight(step: Step) -> str:
    return f"in_flight=[{', '.join(f'commit_{number}' for number in step.in_flight)}]" if step.in_flight else ""


def _action(step: Step) -> Iterator[str]:
    match step.action:
        case Write() as write:
            yield "table.write("
            yield f"    {write.operation!r},"
            yield f"    {', '.join(f'{quoted(field.name)} {sql_type(field.type)}' for field in write.schema)!r},"
            yield "    ["
            for one in write.files:
                yield from _file(one, write)
            yield "    ],"
            if write.options:
                yield f"    {dict(write.options)!r},"
            yield ")"
        case Service() as service:
            of = f", commit_{service.of}" if service.of else ""
            options = f", options={dict(service.options)!r}" if service.options else ""
            yield f"table.service({service.task!r}{of}{options})"
        case Statement() as statement:
            yield f"table.statement({statement.sql!r})"


def _file(one: File, write: Write) -> Iterator[str]:
    yield "        [  # a data file"
    for place in range(one.rows):
        row = ", ".join(literal(one.columns[field.name][place], field.type) for field in write.schema)
        yield f"            {f'({row})'!r},"
    yield "        ],"
