"""Makes `write.py`: the history of a table as a Spark script, its values as Spark's SQL has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, Service, Statement, Step, Write

# Arrow values and types in Spark's SQL, exact for every value: what a script writes is what the battery writes.

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
        parts = (f"{_sql_text(field.name)}, {_cast(value.get(field.name), field.type)}" for field in kind)
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
        return _sql_text(scalar.as_py())
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


def _sql_text(text: str) -> str:
    """A string of SQL. A long run of one character becomes `repeat`."""
    run = re.search(r"(.)\1{79,}", text, re.DOTALL)
    if run is None:
        return _quoted_text(text)
    before, after = text[: run.start()], text[run.end() :]
    parts = [_quoted_text(before)] if before else []
    parts.append(f"repeat({_quoted_text(run[1])}, {len(run[0])})")
    parts += [_sql_text(after)] if after else []
    return parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"


def _quoted_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    escaped = re.sub(r"[\x00-\x1f]", lambda found: f"\\u{ord(found[0]):04x}", escaped.replace("\r", "\\r"))
    return f"'{escaped}'"


# Makes `write.py`: the history of a table as a Spark script, data and steps alone, on the kit's `history.py`.


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
