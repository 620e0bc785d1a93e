"""Describes how to build a dataset without this suite: rows by file, options, XTable's configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from lab.provision.plan import SMALL_TABLES
from lab.provision.sources.every_source import FORMATS
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.battery.table import BatteryTable, Called, File, Placed, Service, Statement, Write
from spark_jobs.launch import SHIPS
from spark_jobs.recipes import RECIPES
from spark_jobs.shipping.arguments import PROGRAM
from xtable.bundled import dataset_yaml
from xtable.writer import ICEBERG, WRITERS, Writer
from xtable_audit.model.subject_id import SubjectId

ROWS = 12
"""Rows shown of each write."""
COLUMNS = 60
"""Columns shown of each write."""
LONGEST = 40
"""Characters; longer strings and bytes are cut."""


def in_words(table: str) -> str:
    """The description of the dataset of a table, and of XTable's configuration for that table, as Markdown."""
    subject = SubjectId.parse(table)
    dataset, writer = subject.dataset, WRITERS.get(subject.translator, ICEBERG)
    if dataset in RECIPES:
        recipe = RECIPES[dataset]
        return f"{recipe.description} It is written by `python -m {recipe.module}`.\n"
    if dataset in SHIPS:
        return f"shipping_address, written by `python -m {PROGRAM} TARGET --variant {SHIPS[dataset]}={dataset}`.\n"
    if dataset in LAB:
        return "\n".join(_lines(LAB[dataset])) + "\n"
    entry = SMALL_TABLES[dataset]
    return "\n".join([*_lines(entry, synced=True), *_configuration(entry, writer)]) + "\n"


def _lines(table: BatteryTable, *, synced: bool = False) -> Iterator[str]:
    source = FORMATS[table.format]
    by = f", partitioned by {', '.join(f'`{column}`' for column in table.partition_by)}" if table.partition_by else ""
    kind = "folder of Parquet files" if table.name in FOLDERS else f"{source.title} table"
    article = "An" if kind.startswith("I") else "A"
    yield f"{article} {kind}{by}{' that delta-rs writes' if table.by_delta_rs else ''}. {table.description}"
    if source.written_with:
        yield f"Written with these options: {source.written_with}; unless stated otherwise here."
    for name, value in table.options.items():
        yield f"- `{name}` = `{value}`"
    for number, step in enumerate(table.steps, start=1):
        yield ""
        later = f"; steps {', '.join(map(str, step.in_flight))} are still in flight" if step.in_flight else ""
        shared = " The new commits get the time of the last one that was synced." if table.shares_second(step) else ""
        sync = f"{shared} Then XTable syncs." if synced and step.staged else ""
        yield f"{number}. **{step.words}**{later}.{sync}"
        match step.action:
            case Write() as write:
                yield from _write(write)
            case Service() as service:
                of = f" of step {service.of}" if service.of else ""
                yield f"   `{service.task}`{of}" + "".join(f", `{k}` = `{v}`" for k, v in service.options.items())
            case Statement() as statement:
                yield f"   `{statement.sql}`"
            case Called(method, arguments):
                yield f"   `{method}`" + "".join(f", `{name}` = `{value}`" for name, value in arguments.items())
            case Placed() as placed:
                yield from _placed(placed)


def _configuration(table: BatteryTable, writer: Writer) -> Iterator[str]:
    yield ""
    if table.name in FOLDERS:
        if table.partition_spec:
            yield f"The source's xtable.parquet.source.partition_field_spec_config is `{table.partition_spec}`."
        return
    if not writer.by_command_line:
        spec = f" Partitions are given to its source as `{table.partition_spec}`." if table.partition_spec else ""
        yield f"{writer.by_no_command_line}{spec}"
        return
    yield "XTable's configuration:"
    yield ""
    yield "```yaml"
    yield dataset_yaml(table.format, f"/tmp/{table.name}", table.name, table.partition_spec, writer.target)
    yield "```"


def _write(write: Write) -> Iterator[str]:
    every = list(dict.fromkeys(name for file in write.files for name in file.columns))
    names = every[:COLUMNS]
    yield ""
    yield f"   `{write.operation}`" + "".join(f", `{name}` = `{value}`" for name, value in write.options.items())
    yield ""
    yield "   | file | " + " | ".join(f"{name}: {_type(write, name)}" for name in names) + " |"
    yield "   |" + "---|" * (len(names) + 1)
    yield from _rows({str(number): file for number, file in enumerate(write.files, start=1)}, names)
    if len(every) > COLUMNS:
        yield f"\n   … and {len(every) - COLUMNS} more columns, {len(every)} in all, to {every[-1]}"


def _placed(placed: Placed) -> Iterator[str]:
    """The files that are put into the folder, and those that are deleted from it."""
    deleted = [path for path, rows in placed.by_path.items() if rows is None]
    if deleted:
        yield f"   Deleted: {', '.join(f'`{path}`' for path in deleted)}"
    files = {f"`{path}`": rows for path, rows in placed.by_path.items() if rows is not None}
    if not files:
        return
    options = "".join(f", `{name}` = `{value}`" for name, value in placed.options.items())
    yield f"   By Arrow, last modified at minute {placed.minute}{options}"
    yield ""
    yield "   | file | " + " | ".join(_column(field) for field in placed.schema) + " |"
    yield "   |" + "---|" * (len(placed.schema) + 1)
    yield from _rows(files, placed.schema.names)


def _column(field: pa.Field) -> str:
    return f"{field.name}: {field.type}{'' if field.nullable else ', required'}"


def _rows(files: Mapping[str, File], names: Sequence[str]) -> Iterator[str]:
    """The first rows of the files, by what stands for each."""
    rows = [
        (label, [file.columns[name][place] if name in file.columns else None for name in names])
        for label, file in files.items()
        for place in range(file.rows)
    ]
    for label, values in rows[:ROWS]:
        yield f"   | {label} | " + " | ".join(map(_value, values)) + " |"
    if len(rows) > ROWS:
        yield f"\n   … and {len(rows) - ROWS} more rows, {len(rows)} in {len(files)} files"


def _type(write: Write, name: str) -> str:
    return str(write.schema.field(name).type) if name in write.schema.names else "string"


def _value(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str | bytes) and len(value) > LONGEST:
        return f"`{value[: LONGEST // 2]!r}` … ({len(value)} {'characters' if isinstance(value, str) else 'bytes'})"
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    return text.replace("|", "\\|").replace("\n", " ")
