"""Writes rows as a Hudi 0.15 table: COPY_ON_WRITE, by one bulk_insert, exactly the files that Spark's tasks hold."""

from __future__ import annotations

import json

from pyspark.sql import DataFrame

from spark_jobs.job import CommitFacts

GIGABYTE = 1 << 30


def options(table: str, partition: str) -> dict[str, str]:
    """The write's options. No record key is named: taxi trips have none, and Hudi then numbers the rows itself."""
    return {
        "hoodie.table.name": table,
        "hoodie.datasource.write.table.type": "COPY_ON_WRITE",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.datasource.write.partitionpath.field": partition,
        "hoodie.datasource.write.hive_style_partitioning": "true",
        "hoodie.parquet.outputtimestamptype": "TIMESTAMP_MICROS",
        "hoodie.metadata.enable": "false",
        # A file for each of our tasks and partitions: no sorting, merging or rolling over of Hudi's own.
        "hoodie.bulkinsert.sort.mode": "NONE",
        "hoodie.parquet.max.file.size": str(8 * GIGABYTE),
        "hoodie.parquet.small.file.limit": "0",
        "hoodie.parquet.compression.codec": "zstd",  # Iceberg's default too; Hudi's gzip is larger and slower
        # Every base file carries a bloom filter of its record keys, 420 KB by default; nothing reads it here.
        "hoodie.index.bloom.num_entries": "10",
        "hoodie.index.bloom.fpp": "0.1",
        "hoodie.bloom.index.filter.type": "SIMPLE",
        # One writer and one commit: no timeline server, markers beside the files, nothing to clean or archive.
        "hoodie.embed.timeline.server": "false",
        "hoodie.write.markers.type": "DIRECT",
        "hoodie.clean.automatic": "false",
        "hoodie.archive.automatic": "false",
    }


def write(rows: DataFrame, target: str, table: str, partition: str) -> CommitFacts:
    """Writes the table at `target`; returns what its commit reports."""
    rows.write.format("hudi").options(**options(table, partition)).mode("errorifexists").save(target)
    commit = rows.sparkSession.read.text(f"{target}/.hoodie/*.commit", wholetext=True).first()
    assert commit is not None
    stats = [stat for files in json.loads(commit.value)["partitionToWriteStats"].values() for stat in files]
    return CommitFacts(rows=sum(stat["numWrites"] for stat in stats), files=len(stats))
