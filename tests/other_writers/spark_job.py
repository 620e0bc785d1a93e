"""`python -m tests.other_writers.spark_job FOLDER --entries FILE`: tables by Iceberg's own writer in Spark.

FOLDER is a mirror of the bucket that they are addressed in. Prints one line of JSON a table: its stages. The rows that
Spark shows in the end go to FOLDER/<table>.parquet.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from lab.stack.mount import Mount
from spark_jobs import child
from spark_jobs.arguments import paths
from spark_jobs.battery import session
from spark_jobs.battery.rows import handed_over, kept
from spark_jobs.job import only_ours
from tests.other_writers.entry import AddWithDefault, DeleteByValue, Entry, PartitionStatistics, Stage, described, terms
from tests.other_writers.written import account, shown_in
from tests.tables.mirror import Mirror
from xtable_audit.model.problem import Problem

CATALOG = "native"
SOURCE = "_file"
"""Iceberg's own column: the file that a row was read from."""
TRANSFORMS = {
    "identity": "{column}",
    "bucket": "bucket({width}, {column})",
    "truncate": "truncate({width}, {column})",
    "year": "years({column})",
    "month": "months({column})",
    "day": "days({column})",
    "hour": "hours({column})",
}
PROPERTIES = {
    "write.distribution-mode": "none",  # a file a task
    "write.spark.fanout.enabled": "true",  # the rows come in no order of partitions
    # A row group of each hundred rows, and each is looked at for its size.
    "write.parquet.row-group-size-bytes": "256",
    "write.parquet.row-group-check-min-record-count": "100",
    "write.parquet.row-group-check-max-record-count": "100",
}


def settings(warehouse: str) -> dict[str, str]:
    return {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.sources.partitionOverwriteMode": "dynamic",
        f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{CATALOG}.type": "hadoop",
        f"spark.sql.catalog.{CATALOG}.warehouse": warehouse,
    }


def main() -> None:
    child.die_with_parent()
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--entries", type=Path)
    parser.add_argument("--jars", type=paths)
    parser.add_argument("--java-home", type=Path)
    wanted = parser.parse_args()
    entries: tuple[Entry, ...] = pickle.loads(wanted.entries.read_bytes())
    stdout = only_ours()
    mirror = Mirror(wanted.folder.absolute())
    mount = Mount(mirror.uri(CATALOG), mirror.file(mirror.uri(CATALOG)))
    mount.folder.mkdir(parents=True)
    try:
        with (
            tempfile.TemporaryDirectory() as scratch,
            session.opened(wanted.jars, wanted.java_home, "1g", settings(mount.root), mount) as spark,
        ):
            for entry in entries:
                stages = list(write(spark, entry, Path(scratch) / entry.name))
                shown = shown_in(wanted.folder, entry.name)
                kept(spark.table(named(entry)), Path(scratch) / f"{entry.name}-shown", shown)
                stdout.write(json.dumps(account(entry.name, stages)) + "\n")
                stdout.flush()
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)


def write(spark: SparkSession, entry: Entry, scratch: Path) -> Iterator[Stage]:
    table = named(entry)
    for number, step in enumerate(entry.steps):
        if isinstance(step, str):
            folder = f"{spark.conf.get(f'spark.sql.catalog.{CATALOG}.warehouse')}/{entry.name}-files"
            spark.sql(step.format(table=table, name=table.partition(".")[2], folder=folder)).collect()
        elif isinstance(step, DeleteByValue):
            delete_by_value(spark, table, step)
        elif isinstance(step, AddWithDefault):
            add_with_default(spark, table, step)
        elif isinstance(step, PartitionStatistics):
            partition_statistics(spark, table)
        else:
            handed_over(spark, step, scratch / str(number)).createOrReplaceTempView("rows")
            spark.sql(f"{create(entry, table) if number == 0 else f'INSERT INTO {table}'} SELECT * FROM rows").collect()
        yield stage(spark, table, described(step))


def create(entry: Entry, table: str) -> str:
    fields = ", ".join(terms(entry, TRANSFORMS))
    properties = ", ".join(f"'{key}' = '{value}'" for key, value in (PROPERTIES | dict(entry.properties)).items())
    partitioned = f"PARTITIONED BY ({fields})" if fields else ""
    return f"CREATE TABLE {table} USING iceberg {partitioned} TBLPROPERTIES ({properties}) AS"


def named(entry: Entry) -> str:
    return f"{CATALOG}.tables.{entry.name}"


def loaded(spark: SparkSession, table: str) -> Any:
    jvm: Any = spark.sparkContext._jvm
    return jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)


def delete_by_value(spark: SparkSession, table: str, delete: DeleteByValue) -> None:
    jvm: Any = spark.sparkContext._jvm
    library, gateway = jvm.org.apache.iceberg, spark.sparkContext._gateway
    assert gateway is not None
    iceberg = loaded(spark, table)
    spec = iceberg.specs()[delete.spec]
    columns = gateway.new_array(jvm.String, 1)
    columns[0] = delete.column
    schema = iceberg.schema().select(columns)
    ids = gateway.new_array(jvm.int, 1)
    ids[0] = iceberg.schema().findField(delete.column).fieldId()
    values = library.PartitionData(spec.partitionType())
    for place, value in enumerate(delete.partition):
        values.set(place, value)
    parquet = library.FileFormat.PARQUET
    factory = library.data.GenericAppenderFactory(iceberg, iceberg.schema(), spec, {}, ids, schema, None)
    files = library.io.OutputFileFactory.builderFor(iceberg, 1, 1).format(parquet).build()
    writer = factory.newEqDeleteWriter(files.newOutputFile(spec, values), parquet, values)
    for key in delete.values:
        row = library.data.GenericRecord.create(schema)
        row.setField(delete.column, key)
        writer.write(row)
    writer.close()
    iceberg.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    spark.catalog.refreshTable(table)


def add_with_default(spark: SparkSession, table: str, column: AddWithDefault) -> None:
    jvm: Any = spark.sparkContext._jvm
    library = jvm.org.apache.iceberg
    kind = getattr(library.types.Types, column.type).get()
    default = library.expressions.Literal.of(column.default).to(kind)
    around = [] if column.parent is None else [column.parent]
    loaded(spark, table).updateSchema().addColumn(*around, column.name, kind, "", default).commit()
    spark.catalog.refreshTable(table)


def partition_statistics(spark: SparkSession, table: str) -> None:
    jvm: Any = spark.sparkContext._jvm
    iceberg = loaded(spark, table)
    file = jvm.org.apache.iceberg.data.PartitionStatsHandler.computeAndWriteStatsFile(iceberg)
    iceberg.updatePartitionStatistics().setPartitionStatistics(file).commit()
    spark.catalog.refreshTable(table)


def stage(spark: SparkSession, table: str, words: str) -> Stage:
    """What the table is now. Its files are those whose rows Spark reads."""
    iceberg = loaded(spark, table)
    location = str(iceberg.operations().current().metadataFileLocation())
    sources = [str(file) for (file,) in spark.table(table).select(SOURCE).collect()]
    return Stage(words, location, tuple(sorted(set(sources))), len(sources))


if __name__ == "__main__":
    main()
