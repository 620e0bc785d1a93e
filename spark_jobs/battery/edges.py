"""edge_*: numbers and values at the edges: no file and a thousand, many commits at once, blanks, equal sizes."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from spark_jobs.battery.delta import NO_VECTORS
from spark_jobs.battery.table import BatteryTable, File, Operation, Step, file, sql, write

PARTED = {"part": pa.string(), "i": pa.int32(), "s": pa.string()}
FILES = 1001
"""In one partition: a thousand and one."""
COMMITS = 12
"""Delta writes a checkpoint of its log at every tenth."""
ARCHIVE = {
    "hoodie.archive.automatic": "true",
    "hoodie.clean.automatic": "true",
    "hoodie.cleaner.commits.retained": "2",
    "hoodie.keep.min.commits": "4",
    "hoodie.keep.max.commits": "5",
}
"""Hudi moves all but the newest five commits to its archive."""
BLANK = (" in front", "behind ", " both ", " ", "none")
BROKEN = (*BLANK[:3], "\tafter a tab", "new line\n")
"""The strings beside them. As partition values tabs and line ends would be in the keys of objects."""


def rows(part: str, start: int, count: int = 1) -> File:
    """Rows whose values, all of one length, count up from `start`."""
    values = range(start, start + count)
    return file(record_key=[f"k{value:04d}" for value in values], part=part, i=values, s=[f"s{v:04d}" for v in values])


def edge(
    name: str, description: str, *steps: Step, options: Mapping[str, str] | None = None, hudi: str = "", twin: str = ""
) -> BatteryTable:
    """A Hudi table, partitioned by `part`."""
    return BatteryTable(
        f"edge_{name}",
        description,
        steps,
        partition_by=("part",),
        partition_spec="part:VALUE",
        options=dict(options or {}),
        hudi=hudi,
        twin=twin,
    )


def delta_edge(
    name: str,
    description: str,
    *steps: Step,
    options: Mapping[str, str] = NO_VECTORS,
    partition_by: tuple[str, ...] = (),
) -> BatteryTable:
    return BatteryTable(
        f"edge_delta_{name}", description, steps, format="DELTA", partition_by=partition_by, options=options
    )


def many(operation: Operation) -> tuple[Step, ...]:
    """One commit that is synced, then many that are seen at once."""
    steps = [
        write(operation, PARTED, rows("ab"[number % 2], number), words=f"row {number}", staged=number in (0, COMMITS))
        for number in range(COMMITS + 1)
    ]
    return tuple(steps)


TABLES = (
    edge(
        "no_rows",
        "A commit without a row, then one with rows, then all of a partition deleted.",
        write("bulk_insert", PARTED, rows("a", 0, 0), words="no row"),
        write("bulk_insert", PARTED, rows("a", 0, 2), rows("b", 10, 2), words="two rows in a, two in b"),
        write("delete", PARTED, rows("a", 0, 2), words="delete all of a"),
    ),
    delta_edge(
        "no_rows",
        "A commit without a row, then one with rows, then all of a partition and all of the table deleted.",
        write("append", PARTED, rows("a", 0, 0), words="no row"),
        write("append", PARTED, rows("a", 0, 2), rows("b", 10, 2), words="two rows in a, two in b"),
        sql("DELETE FROM {table} WHERE part = 'a'", "delete all of a"),
        sql("DELETE FROM {table}", "delete all"),
        partition_by=("part",),
    ),
    delta_edge(
        "many_files",
        f"{FILES} files in one partition, one in another.",
        write(
            "append",
            {"part": pa.string(), "i": pa.int32()},
            file(part="a", i=range(FILES)),
            file(part="b", i=[FILES]),
            options={"maxRecordsPerFile": "1"},
        ),
        partition_by=("part",),
    ),
    edge("many_commits", f"{COMMITS} commits between two syncs.", *many("bulk_insert")),
    edge(
        "archived",
        f"{COMMITS} commits between two syncs, after which Hudi's timeline has only the newest.",
        *many("bulk_insert"),
        options=ARCHIVE,
    ),
    delta_edge(
        "many_commits",
        f"{COMMITS} commits between two syncs, with checkpoints of Delta's log.",
        *many("append"),
        partition_by=("part",),
    ),
    edge(
        "blanks",
        "Blanks at either end of partition values; blanks, tabs and line ends at those of strings.",
        write(
            "bulk_insert",
            PARTED,
            *(file(part=part, i=[number], s=[s]) for number, (part, s) in enumerate(zip(BLANK, BROKEN, strict=True))),
        ),
    ),
    delta_edge(
        "blanks",
        "Blanks at either end of partition values; blanks, tabs and line ends at those of strings.",
        write(
            "append",
            PARTED,
            *(file(part=part, i=[number], s=[s]) for number, (part, s) in enumerate(zip(BLANK, BROKEN, strict=True))),
        ),
        partition_by=("part",),
    ),
    delta_edge(
        "equal_sizes",
        "Files of one size: those of a commit, and one that replaces another.",
        write("append", PARTED, rows("a", 10), rows("a", 20), rows("b", 30)),
        sql("UPDATE {table} SET i = 25 WHERE i = 20", "a row gets another value"),
        write("append", PARTED, rows("b", 40), words="a file as large"),
        partition_by=("part",),
    ),
)
