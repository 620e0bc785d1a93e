"""shipping_address: the Hudi table of the published measurement of partition statistics, at any scale, on any master.

`python -m spark_jobs.shipping_address --help` says how it is run, on a cluster too; `spark_jobs.shipping.layout` which
file holds what. The same script writes the published 393,360 files where the master has executors enough: each file is
one task that makes its rows from their numbers, and TARGET is the one place that tasks share.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack_with_hudi
from spark_jobs import child
from spark_jobs.arguments import store_of
from spark_jobs.job import only_ours, versions_of
from spark_jobs.place import demand_empty_folder, demand_empty_prefix
from spark_jobs.shipping import facts, session, table
from spark_jobs.shipping.arguments import ShippingArguments, parse
from spark_jobs.shipping.layout import HIT_STATE
from spark_jobs.shipping.variant import NAMES, Variant
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem


def main() -> None:
    """Writes the tables; exit code 2 and one sentence for whatever the user can put right."""
    child.die_with_parent()
    stdout = None
    try:
        wanted = parse()
        stdout = only_ours()
        for table_facts in run(wanted):
            stdout.write(json.dumps(table_facts) + "\n")
            stdout.flush()
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)


def run(wanted: ShippingArguments) -> Iterator[dict[str, Any]]:
    """Writes the requested tables; yields the facts of each as soon as it is written."""
    began = time.monotonic()
    for target in wanted.tables:
        demand_empty_folder(target)
    stack = stack_with_hudi(wanted.hudi.version)
    jars, java_home = wanted.jars or resolve_spark_jars(stack), wanted.java_home or find_java(stack.java)
    rows = wanted.files * wanted.rows_per_file
    with session.opened(wanted.master, jars, java_home, store(wanted), wanted.memory, rows) as spark:
        for target in wanted.tables:
            demand_empty_prefix(spark, target)
        start = time.monotonic() - began
        versions = versions_of(spark, "HUDI")
        for target, variant in wanted.tables.items():
            yield write(spark, target, variant, wanted) | {"start_seconds": round(start, 2), "versions": versions}


def store(wanted: ShippingArguments) -> S3 | None:
    """The store of an s3:// target; on a cluster without credentials of ours, its own settings hold."""
    if session.cores_of(wanted.master) is None and "AWS_ACCESS_KEY_ID" not in os.environ:
        return None
    return store_of(next(iter(wanted.tables)))


def write(spark: SparkSession, target: str, variant: Variant, wanted: ShippingArguments) -> dict[str, Any]:
    """One table, and what its own commit and properties say of it."""
    began = time.monotonic()
    options = table.options(variant.indexes, wanted.table_version)
    rows = table.rows(spark, wanted.layout(variant))
    rows.write.format("hudi").options(**options).mode("errorifexists").save(target)
    written = time.monotonic()
    indexed = demand_indexes(spark, target, variant)
    number, files = facts.commit(spark, target)
    return {
        "dataset": table.NAME,
        "target": target,
        "zips": variant.zips,
        "rows": number,
        "files": sum(files.values()),
        "files_of_hit_state": files[HIT_STATE],
        "files_by_state": files,
        "indexes": indexed,
        "table_version": int(facts.properties(spark, target)["hoodie.table.version"]),
        "seconds": {"write": round(written - began, 2), "indexes": round(time.monotonic() - written, 2)},
    }


def demand_indexes(spark: SparkSession, target: str, variant: Variant) -> tuple[str, ...]:
    """The table's indexes, which are those wanted: partition statistics that were not requested are dropped."""
    wanted = NAMES[variant.indexes]
    found = facts.indexes(spark, target)
    if facts.PARTITION_STATISTICS in found and facts.PARTITION_STATISTICS not in wanted:
        facts.drop_partition_statistics(spark, target, table.NAME)
        found = facts.indexes(spark, target)
    if found != wanted:
        raise RuntimeError(f"{target} has the indexes {', '.join(found)}; {', '.join(wanted)} were requested")
    return found


if __name__ == "__main__":
    main()
