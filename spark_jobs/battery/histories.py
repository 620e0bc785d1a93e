"""history_*: what happens to a COPY_ON_WRITE table after its first commit, one kind of event a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, Service, Step, file, service, write

SCHEMA = {"part": pa.string(), "i": pa.int32(), "s": pa.string()}
DROPPED = "hoodie.datasource.write.partitions.to.delete"
DROP_B = {DROPPED: "part=b"}
KEEP_ONE_VERSION = {
    "hoodie.cleaner.policy": "KEEP_LATEST_FILE_VERSIONS",
    "hoodie.cleaner.fileversions.retained": "1",
}


def rows(part: str, keys: Sequence[str], start: int) -> File:
    """Rows of one partition with these keys, whose values count up from `start`."""
    values = range(start, start + len(keys))
    return file(record_key=list(keys), part=part, i=values, s=[f"s{value:03d}" for value in values])


FIRST = write(
    "bulk_insert",
    SCHEMA,
    rows("a", ["a1", "a2", "a3"], 10),
    rows("b", ["b1", "b2"], 20),
    words="three rows in a, two in b",
)


def then(*steps: Step) -> tuple[Step, ...]:
    """Steps after the first commit."""
    return (FIRST, *steps)


def upsert(part: str, keys: Sequence[str], start: int) -> Step:
    return write("upsert", SCHEMA, rows(part, keys, start), words=f"upsert {', '.join(keys)} in {part}")


def insert(
    part: str,
    keys: Sequence[str],
    start: int,
    words: str = "",
    *,
    staged: bool = True,
    in_flight: tuple[int, ...] = (),
) -> Step:
    description = words or f"insert {', '.join(keys)} into {part}"
    return write("bulk_insert", SCHEMA, rows(part, keys, start), words=description, staged=staged, in_flight=in_flight)


def history(
    name: str,
    description: str,
    steps: tuple[Step, ...],
    options: Mapping[str, str] | None = None,
    *,
    alone: bool = False,
    twin: str = "",
) -> BatteryTable:
    return BatteryTable(
        f"history_{name}",
        description,
        steps,
        partition_by=("part",),
        partition_spec="part:VALUE",
        options=dict(options or {}),
        alone=alone,
        twin=twin,
    )


TABLES = (
    history("upsert", "Upserts of old and new keys.", then(upsert("a", ["a1", "a4"], 50), upsert("b", ["b2"], 60))),
    history(
        "delete",
        "Deletes of one row, then of all rows of a file.",
        then(
            write("delete", SCHEMA, rows("a", ["a2"], 11), words="delete a2"),
            write("delete", SCHEMA, rows("b", ["b1", "b2"], 20), words="delete all of b"),
        ),
    ),
    history(
        "overwrite_partition",
        "insert_overwrite of a partition, then of a new one.",
        then(
            write("insert_overwrite", SCHEMA, rows("a", ["a9"], 70), words="overwrite a"),
            write("insert_overwrite", SCHEMA, rows("c", ["c1"], 80), words="overwrite c, which is new"),
        ),
    ),
    history(
        "overwrite_table",
        "insert_overwrite_table with rows for a partition that was there and for a new one.",
        then(
            write(
                "insert_overwrite_table",
                SCHEMA,
                rows("a", ["a8", "a9"], 70),
                rows("c", ["c1", "c2"], 80),
                words="overwrite all with rows of a and c",
            ),
            upsert("a", ["a8"], 90),
        ),
    ),
    history(
        "drop_partition",
        "delete_partition, then rows in it again.",
        then(
            write("delete_partition", SCHEMA, rows("b", [], 0), words="drop b", options=DROP_B),
            write("insert", SCHEMA, rows("b", ["b7"], 70), words="insert into b"),
        ),
    ),
    history(
        "cluster",
        "Clustering of small files, then an upsert.",
        then(
            write("bulk_insert", SCHEMA, rows("a", ["a4", "a5"], 40), words="a second file in a"),
            service("cluster"),
            upsert("a", ["a4"], 90),
        ),
    ),
    history(
        "clean",
        "Upserts, and a cleaner that removes all old versions of the files.",
        then(upsert("a", ["a1"], 50), upsert("a", ["a2"], 60), service("clean"), upsert("b", ["b1"], 70)),
        KEEP_ONE_VERSION,
    ),
    history(
        "fresh_jvm",
        "A cleaner's work, met by a JVM that has translated nothing before: what it loads first decides.",
        then(upsert("a", ["a3"], 50), service("clean")),
        KEEP_ONE_VERSION,
        alone=True,
    ),
    history(
        "rollback",
        "A commit that others have seen is rolled back, then life goes on.",
        then(
            upsert("a", ["a1", "a4"], 50),
            service("rollback", of=2),
            upsert("a", ["a1"], 60),
        ),
    ),
    history(
        "restore",
        "Back to a savepoint over two commits, then life goes on.",
        then(
            service("savepoint", of=1),
            upsert("a", ["a1", "a4"], 50),
            upsert("b", ["b1", "b4"], 60),
            service("restore", of=1),
            upsert("a", ["a2"], 70),
        ),
    ),
    history(
        "late_commit",
        "A commit that begins first and completes last, with another commit and syncs in between.",
        then(
            insert("c", ["c1", "c2"], 30, "a commit to c begins", staged=False),
            insert("d", ["d1", "d2"], 40, "a commit to d completes while the one to c is in flight", in_flight=(2,)),
            Step("the commit to c completes", None),
            insert("e", ["e1", "e2"], 50),
        ),
    ),
    history(
        "late_cluster",
        "Clustering that begins before a commit and completes after it, with a sync in between.",
        then(
            insert("a", ["a4", "a5"], 40),
            Step("clustering begins", Service("cluster"), staged=False),
            insert("d", ["d1", "d2"], 40, "a commit to d completes while clustering is in flight", in_flight=(3,)),
            Step("clustering completes", None),
            insert("e", ["e1", "e2"], 50),
        ),
    ),
    history(
        "overwrites_at_once",
        "Three insert_overwrites of one partition that are seen at once.",
        then(
            *(
                write(
                    "insert_overwrite",
                    SCHEMA,
                    rows("a", [f"a{number}"], 10 * number),
                    words=f"overwrite a with a{number}",
                    staged=number == 9,
                )
                for number in (7, 8, 9)
            )
        ),
    ),
)
