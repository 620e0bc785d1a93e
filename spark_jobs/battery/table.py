"""What a table of the battery is: plain values that need no Spark, so that a test can draw a history too."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from spark_jobs.addresses import elsewhere

HERE = Path(__file__).parent
FRAMEWORK = (
    "delta_table.py",
    "hudi.py",
    "rows.py",
    "service.py",
    "session.py",
    "stages.py",
    "timeline.py",
    "write.py",
)
OF_RELEASES = ("indexed.py",)
"""Code that only concerns tables of a named release of Hudi."""
OF_LATE_INSTANTS = ("late.py",)
"""Code that only concerns those of them in which an instant is in flight at a stage."""
OF_ONE_SECOND = ("one_second.py",)
"""Code that only concerns Hudi tables whose commits are moved into one second."""
OF_TWO_VIEWS = ("optimized.py",)
"""Code that only concerns tables whose read-optimized view is another than their snapshot view."""
OF_FOLDERS = ("folder.py",)
"""All the code that writes a folder of Parquet files: no Spark does."""
OF_PAIMON = ("paimon_table.py",)
"""The same of a Paimon table."""
OF_ICEBERG = ("iceberg_table.py", "iceberg_in_spark.py", "folder.py")
"""The same of an Iceberg table that XTable reads."""
OF_DELTA_RS = ("delta_rs_table.py",)
"""The same of a Delta table that delta-rs writes."""
WRITTEN_HERE = {"PARQUET": OF_FOLDERS, "PAIMON": OF_PAIMON, "ICEBERG_SOURCE": OF_ICEBERG}
"""By format: those that Spark does not write."""
MERGE_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
KEY = "record_key"

Operation = Literal[
    # Hudi's
    "bulk_insert",
    "insert",
    "upsert",
    "delete",
    "insert_overwrite",
    "insert_overwrite_table",
    "delete_partition",
    # Delta's
    "append",
    "overwrite",
]
Task = Literal["cluster", "compact", "clean", "rollback", "savepoint", "restore", "drop_index"]


@dataclass(frozen=True)
class File:
    """The rows of one data file (or of one task of an upsert), column by column, all of one length."""

    columns: Mapping[str, tuple[Any, ...]]

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True)
class Write:
    """Rows handed to the writer, one Spark task a file. Columns that `schema` lacks are not in this write."""

    operation: Operation
    files: tuple[File, ...]
    schema: pa.Schema
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Service:
    """A table service. `of` is the step (from 1) that a rollback, savepoint or restore refers to."""

    task: Task
    of: int = 0
    options: Mapping[str, str] = field(default_factory=dict)


class Sql(str):
    """SQL in which `{table}` is the table, and `{elsewhere}` the address of another one.

    The other table lies in a folder of this one, so that its files come along wherever this one is uploaded or
    recorded, and has an address that does not begin with this one's: `s3a` instead of `s3`.
    """

    def format(self, *nothing: object, **named: object) -> str:
        own = str(named["table"]).removeprefix("delta.`").removesuffix("`")
        return super().format(*nothing, **named, elsewhere=elsewhere(own))


@dataclass(frozen=True)
class Statement:
    """A statement of Delta's SQL."""

    sql: Sql


@dataclass(frozen=True)
class Placed:
    """Files of a folder of Parquet files, by their paths there: put there, or taken away if there are no rows.

    `minute` is when they were written, after a noon: their time of modification. `options` are those of Arrow's writer.
    """

    by_path: Mapping[str, File | None]
    schema: pa.Schema
    minute: int
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Called:
    """A method of the table as its library has it, called with these arguments: delta-rs's `delete` or
    `optimize.compact`, PyIceberg's `update_schema.add_column`."""

    method: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One event of a table's history. Without an action nothing is written: an instant in flight has completed.

    `staged` is whether the table is kept as it then is. `in_flight` names earlier steps (from 1) that
    are still in flight at this stage: the kept table lacks their completed instants.
    """

    words: str
    action: Write | Service | Statement | Placed | Called | None
    staged: bool = True
    in_flight: tuple[int, ...] = ()


@dataclass(frozen=True)
class ExpectedRefusal:
    """XTable must refuse the table, with this message, from this stage (from 1) on."""

    words: str
    since: int = 1


@dataclass(frozen=True)
class BatteryTable:
    """A source table and its history. `name` is what users type after `-k`.

    `partition_spec` is XTable's `field:VALUE|YEAR|MONTH|DAY|HOUR[:format],…`; a wrong one is a case too.
    `options` are the writer's, on top of the battery's own. `hudi` is the release of Hudi that writes the table; "" is
    the default stack's.
    """

    name: str
    description: str
    steps: tuple[Step, ...]
    format: Literal["HUDI", "DELTA", "PARQUET", "PAIMON", "ICEBERG_SOURCE"] = "HUDI"
    partition_by: tuple[str, ...] = ()
    partition_spec: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    hudi: str = ""
    refused: ExpectedRefusal | None = None
    by_delta_rs: bool = False
    """Of a Delta table: whether delta-rs writes it, not Spark."""
    alone: bool = False
    """Whether XTable translates it in a JVM of its own, with nothing preloaded."""
    twin: str = ""
    """Of a table that XTable makes nothing readable of, so that no claim holds: one like it without that fault."""
    without_index: str = ""
    """Of a table with Hudi's column statistics: the table with the same rows and without Hudi's metadata table."""
    in_one_second: bool = False
    """Whether its commits are in one second: Hudi's are moved there once written, Delta's get theirs in the store."""
    in_synced_second: int = 0
    """Of Delta: the stage, from 1, whose commits have the second of the last one that was synced; 0 for none. A store
    sets times itself, so such a table is synced on this disk, whatever a run's options say."""

    @property
    def stages(self) -> tuple[str, ...]:
        """The events before each stage that is kept, in words, in order."""
        words: list[str] = []
        kept: list[str] = []
        for step in self.steps:
            words.append(step.words)
            if step.staged:
                kept.append("; ".join(words))
                words = []
        return tuple(kept)

    def shares_second(self, step: Step) -> bool:
        """Whether the step is the last one before the stage `in_synced_second`."""
        kept = [one for one in self.steps if one.staged]
        return self.in_synced_second > 0 and step is kept[self.in_synced_second - 1]

    @property
    def has_two_views(self) -> bool:
        """Whether XTable translates its read-optimized view, which lacks what is in log files."""
        return not self.hudi and self.options.items() >= MERGE_ON_READ.items()

    @property
    def key(self) -> str:
        """A digest of the entry and of the code that writes it: the same key, the same table."""
        digest = hashlib.sha256()
        here = OF_DELTA_RS if self.by_delta_rs else WRITTEN_HERE.get(self.format)
        for part in here or self._by_spark:
            digest.update((HERE / part).read_bytes())
        digest.update(self.content.encode())
        return digest.hexdigest()[:16]

    @property
    def _by_spark(self) -> tuple[str, ...]:
        """The code that writes it with Spark."""
        late = OF_LATE_INSTANTS if any(step.in_flight for step in self.steps) else ()
        views = OF_TWO_VIEWS if self.has_two_views else ()
        second = OF_ONE_SECOND if self.in_one_second and self.format == "HUDI" else ()
        return FRAMEWORK + (OF_RELEASES + late if self.hudi else views) + second

    @property
    def content(self) -> str:
        """Everything in the entry that decides what is written, as text."""
        options = sorted(self.options.items())
        return repr((self.format, self.hudi, self.partition_by, self.partition_spec, options, self.steps))


def file(**columns: Any) -> File:
    """A file from its columns: lists, and single values that every row shares."""
    lengths = {len(values) for values in columns.values() if isinstance(values, (list, tuple, range))}
    if len(lengths) != 1:
        raise ValueError(
            f"the columns {', '.join(columns)} have {sorted(lengths)} values: all lists must be equally long"
        )
    rows = lengths.pop()
    return File(
        {
            name: tuple(values) if isinstance(values, (list, tuple, range)) else (values,) * rows
            for name, values in columns.items()
        }
    )


def keyed(files: Sequence[File], prefix: str) -> tuple[File, ...]:
    """The files, with a numbered record key in front if they have none."""
    done: list[File] = []
    number = 0
    for one in files:
        keys = tuple(f"{prefix}{number + row:04d}" for row in range(one.rows))
        done.append(one if KEY in one.columns else File({KEY: keys, **one.columns}))
        number += one.rows
    return tuple(done)


def write(
    operation: Operation,
    schema: Mapping[str, pa.DataType],
    *files: File,
    words: str = "",
    prefix: str = "k",
    staged: bool = True,
    in_flight: tuple[int, ...] = (),
    options: Mapping[str, str] | None = None,
) -> Step:
    """A step that writes. `schema` gives the columns' types beside the record key's."""
    whole = pa.schema([pa.field(KEY, pa.string()), *(pa.field(name, type_) for name, type_ in schema.items())])
    return Step(
        words or operation.replace("_", " "),
        Write(operation, keyed(files, prefix), whole, dict(options or {})),
        staged,
        in_flight,
    )


def service(task: Task, *, of: int = 0, words: str = "", options: Mapping[str, str] | None = None) -> Step:
    """A step that runs a table service."""
    return Step(words or (f"{task} of step {of}" if of else task), Service(task, of, dict(options or {})))


def sql(text: str, words: str, *, staged: bool = True) -> Step:
    """A step that runs a statement of Delta's SQL."""
    return Step(words, Statement(Sql(text)), staged)
