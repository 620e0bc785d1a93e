"""mor_*: MERGE_ON_READ tables, whose log files Iceberg's metadata cannot see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spark_jobs.battery.histories import FIRST, SCHEMA, insert, rows, upsert
from spark_jobs.battery.table import MERGE_ON_READ, BatteryTable, Service, Step, service, write
from spark_jobs.battery.variants import INDEX

COMPACTED_BY_HAND = MERGE_ON_READ | {
    "hoodie.compact.inline": "false",
    "hoodie.compact.inline.max.delta.commits": "1",
}
# With an index that covers the rows of log files, new keys go into logs too.
LOGS_ONLY = {
    "hoodie.index.type": "BUCKET",
    "hoodie.index.bucket.engine": "SIMPLE",
    "hoodie.bucket.index.num.buckets": "1",
    "hoodie.storage.layout.type": "BUCKET",
    "hoodie.storage.layout.partitioner.class": "org.apache.hudi.table.action.commit.SparkBucketIndexPartitioner",
}


def mor(name: str, description: str, *steps: Step, options: Mapping[str, str] | None = None) -> BatteryTable:
    return BatteryTable(
        f"mor_{name}",
        description,
        steps,
        partition_by=("part",),
        partition_spec="part:VALUE",
        options=COMPACTED_BY_HAND | dict(options or {}),
    )


TABLES = (
    mor("updated", "Updates in a log file, then compaction.", FIRST, upsert("a", ["a1"], 50), service("compact")),
    mor(
        "deleted",
        "Deletes in a log file, then compaction.",
        FIRST,
        write("delete", SCHEMA, rows("a", ["a2"], 11), words="delete a2"),
        service("compact"),
    ),
    mor(
        "only_logs",
        "File groups without a base file, then compaction.",
        write("upsert", SCHEMA, rows("a", ["a1", "a2"], 10), rows("b", ["b1"], 20), words="rows in logs alone"),
        write("upsert", SCHEMA, rows("a", ["a1", "a3"], 50), words="an update and a row, in logs too"),
        service("compact"),
        options=LOGS_ONLY,
    ),
    mor(
        "indexed",
        "Updates in a log file, with Hudi's column index, then compaction.",
        FIRST,
        upsert("a", ["a1"], 50),
        service("compact"),
        options=INDEX,
    ),
    mor(
        "late_compaction",
        "Compaction that begins before an upsert and completes after it, with a sync in between.",
        FIRST,
        upsert("a", ["a1"], 50),
        Step("compaction begins", Service("compact"), staged=False),
        replace(insert("d", ["d1"], 40), in_flight=(3,), words="a commit to d completes while compaction is in flight"),
        Step("compaction completes", None),
        upsert("a", ["a2"], 60),
    ),
    mor(
        "clustered",
        "Updates in a log file, then clustering of two file groups.",
        FIRST,
        insert("a", ["a4", "a5"], 40),
        upsert("a", ["a1"], 50),
        service("cluster"),
    ),
    mor(
        "base_and_log",
        "Updates and deletes in log files before the first sync, then a row and compaction.",
        replace(FIRST, staged=False),
        replace(upsert("a", ["a1"], 50), staged=False),
        write("delete", SCHEMA, rows("b", ["b2"], 21), words="delete b2"),
        insert("c", ["c1", "c2"], 40),
        service("compact"),
    ),
    mor("base_only", "Base files alone, no log yet.", FIRST),
)
