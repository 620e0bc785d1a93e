"""What a table of these tests is: rows and statements, handed in turn to the writer of an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from spark_jobs.battery.table import File, Write


@dataclass(frozen=True)
class DeleteByValue:
    """An equality delete file, by Iceberg's own library: no statement of Spark's writes one."""

    column: str
    values: tuple[int, ...]
    spec: int
    """Id of the partition spec that it is written under."""
    partition: tuple[str, ...] = ()
    """Its values of that spec's fields."""


@dataclass(frozen=True)
class AddWithDefault:
    """A column with an initial default, by Iceberg's own library: no statement of Spark's adds one."""

    name: str
    type: str
    """A type of Iceberg's, as its library names it: `LongType`."""
    default: int | str | float
    parent: str | None = None


@dataclass(frozen=True)
class PartitionStatistics:
    """A partition statistics file of the current snapshot, by Iceberg's own library."""


Step = Write | str | DeleteByValue | AddWithDefault | PartitionStatistics
"""Rows to be appended, one Spark task a file; or a statement of SQL, in which `{table}` is the table and
`{folder}` is one of its own for files; or a delete; or a column; or statistics."""


@dataclass(frozen=True)
class Entry:
    """A table and its history. The first step is rows: they make the table."""

    name: str
    steps: tuple[Step, ...]
    partitioned: tuple[tuple[str, str], ...] = ()
    """Source column and Iceberg's own name of the transform: `("word", "truncate[3]")`."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Iceberg's table properties, where the engine takes any."""

    repartitioned: tuple[tuple[str, str], ...] | None = None
    """The same in the end, where the history changes it."""

    @property
    def spec(self) -> str:
        """As `xtable_audit.subject.case.Source` has it."""
        fields = self.partitioned if self.repartitioned is None else self.repartitioned
        return ",".join(f"{column}:{transform}" for column, transform in fields)


@dataclass(frozen=True)
class Stage:
    """A table as it was after a step, by its writer's own account."""

    words: str
    metadata_location: str
    """Its metadata.json."""
    files: tuple[str, ...]
    """The data files that the engine reads."""
    rows: int


@dataclass(frozen=True)
class Written:
    """A table as its writer left it. `shown` is the rows that the writer's own engine shows, in the end."""

    name: str
    stages: tuple[Stage, ...]
    shown: pa.Table = field(repr=False)


def rows(schema: Mapping[str, pa.DataType], *files: File) -> Write:
    """A step that appends."""
    return Write("append", files, pa.schema([pa.field(name, kind) for name, kind in schema.items()]))


def described(step: Step) -> str:
    match step:
        case Write():
            return f"rows in {len(step.files)} tasks"
        case DeleteByValue():
            return f"{step.column} of {step.values} deleted under spec {step.spec}"
        case AddWithDefault():
            return f"{step.name} added with the default {step.default}"
        case PartitionStatistics():
            return "partition statistics"
    return step


def terms(entry: Entry, spelled: Mapping[str, str]) -> Sequence[str]:
    """The partition fields in an engine's SQL, which spells each transform like `bucket({width}, {column})`."""
    written = []
    for column, transform in entry.partitioned:
        kind, _, width = transform.rstrip("]").partition("[")
        written.append(spelled[kind].format(column=column, width=width))
    return written
