"""What a table of the battery tries, by its definition: rows, partitions, files, commits, and the values in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Any

import pyarrow as pa

from spark_jobs.battery.table import MERGE_ON_READ, BatteryTable, Statement, Step, Write
from spark_jobs.battery.values import EPOCH

Tried = Callable[[BatteryTable], bool]
OfType = Callable[[pa.DataType], bool]
ADDING = ("bulk_insert", "append")
"""Operations that write their rows into new files: one for each of ours and each partition."""
UPDATING = ("upsert", "delete")
BEGINNING = 16
"""Values of more bytes are cut to as many by Iceberg's own writers."""


def writes(table: BatteryTable) -> Iterator[Write]:
    return (step.action for step in table.steps if isinstance(step.action, Write))


def files(table: BatteryTable) -> Iterator[tuple[str, int]]:
    """The partition and the rows of each file that is added."""
    for action in writes(table):
        if action.operation in ADDING:
            for one in action.files:
                columns = [one.columns[name.partition(".")[0]] for name in table.partition_by]
                rows = Counter(map(repr, zip(*columns, strict=True))) if columns else Counter({"": one.rows})
                single = action.options.get("maxRecordsPerFile") == "1"
                yield from ((part, 1 if single else n) for part, n in rows.items() for _ in range(n if single else 1))


def syncs(table: BatteryTable) -> Iterator[tuple[Step, ...]]:
    """The steps that each sync sees for the first time."""
    seen: list[Step] = []
    for step in table.steps:
        seen.append(step)
        if step.staged:
            yield tuple(seen)
            seen = []


def rows_in(step: Step) -> int:
    return sum(one.rows for one in step.action.files) if isinstance(step.action, Write) else 0


def has_rows(count: int) -> Tried:
    return lambda table: any(rows == count for _, rows in files(table))


def has_partitions(more_than: int) -> Tried:
    return lambda table: bool(table.partition_by) and len({part for part, _ in files(table)}) > more_than


def has_files(more_than: int) -> Tried:
    return lambda table: max(Counter(part for part, _ in files(table)).values(), default=0) > more_than


def has_commits(more_than: int) -> Tried:
    return lambda table: any(len(steps) > more_than for steps in syncs(table))


def is_synced_within_a_second(table: BatteryTable) -> bool:
    """Whether a sync comes between commits of one second."""
    return len(table.stages) > 1 if table.in_one_second and table.format == "HUDI" else table.in_synced_second > 0


def is_without_files(step: Step) -> bool:
    """Whether the commit neither adds a file nor removes one."""
    if isinstance(step.action, Statement):
        return "SET TBLPROPERTIES" in step.action.sql
    return isinstance(step.action, Write) and step.action.operation in ADDING and rows_in(step) == 0


def has_nothing_between(*, seen_alone: bool) -> Tried:
    """A commit without a file, with rows written before and after it, that a sync sees alone or with the next one."""

    def tried(table: BatteryTable) -> bool:
        with_rows = [number for number, step in enumerate(table.steps) if rows_in(step)]
        return any(
            is_without_files(step) and step.staged is seen_alone and with_rows[0] < number < with_rows[-1]
            for number, step in enumerate(table.steps)
        )

    return tried


def begins_with_base_and_log(table: BatteryTable) -> bool:
    """Whether the first sync of a MERGE_ON_READ table sees base files, and logs over them."""
    first = {step.action.operation for step in next(syncs(table)) if isinstance(step.action, Write)}
    return table.options.items() >= MERGE_ON_READ.items() and bool(first & {*ADDING}) and bool(first & {*UPDATING})


def columns(step: Step, of_type: OfType) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Of each file that the step writes, the name and the values of each column of such a type."""
    if isinstance(step.action, Write):
        names = [field.name for field in step.action.schema if of_type(field.type)]
        yield from ((name, one.columns[name]) for name in names for one in step.action.files)


def some_file(table: BatteryTable, of_type: OfType, has: Callable[[Sequence[object]], bool]) -> bool:
    """Whether the values of a column of such a type, null apart, have it in some file."""
    return any(
        has([value for value in values if value is not None])
        for step in table.steps
        for _, values in columns(step, of_type)
    )


def has_both_signs(of_type: OfType) -> Tried:
    return lambda table: some_file(table, of_type, lambda found: {*map(sign, found)} >= {-1, 1})


def sign(value: Any) -> int:
    """-1, 0, 1 by the side of zero or of 1970; 0 for NaN too."""
    zero: Any = 0
    if isinstance(value, datetime):
        zero = EPOCH.replace(tzinfo=value.tzinfo)
    elif isinstance(value, date):
        zero = EPOCH.date()
    return int(value > zero) - int(value < zero)


def has_length(of_type: OfType, length: int) -> Tried:
    return lambda table: some_file(table, of_type, lambda found: length in map(len, map(in_bytes, found)))


def has_equal_beginnings(of_type: OfType) -> Tried:
    """Several values in a file, longer than what is kept of them, that differ after it."""

    def equal(found: Sequence[object]) -> bool:
        long = {text for text in map(in_bytes, found) if len(text) > BEGINNING}
        return len(long) > 1 and len({text[:BEGINNING] for text in long}) == 1

    return lambda table: some_file(table, of_type, equal)


def in_bytes(value: object) -> bytes:
    """Of a string or binary value."""
    assert isinstance(value, (str, bytes))
    return value.encode() if isinstance(value, str) else value


def has_first_null(of_type: OfType) -> Tried:
    """A column that has no null up to a sync, and then a file with nulls beside values."""

    def tried(table: BatteryTable) -> bool:
        without: set[str] = set()
        had: set[str] = set()
        for steps in syncs(table):
            found = [column for step in steps for column in columns(step, of_type)]
            if any(None in values and {*values} != {None} for name, values in found if name in without - had):
                return True
            had |= {name for name, values in found if None in values}
            without |= {name for name, values in found if values} - had
        return False

    return tried


def drops_and_adds(table: BatteryTable) -> bool:
    """Whether a write lacks a column of the one before, a later one has a new one, and no column changes its type."""
    schemas = [action.schema for action in writes(table)]
    names = [set(schema.names) for schema in schemas]
    types = {(field.name, field.type) for schema in schemas for field in schema}
    drops = [n for n in range(1, len(names)) if names[n - 1] - names[n]]
    adds = [n for n in range(1, len(names)) if names[n] - set().union(*names[:n])]
    return bool(drops and adds) and len({name for name, _ in types}) == len(types)
