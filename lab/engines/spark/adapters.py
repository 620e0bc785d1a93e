"""Iceberg and Delta on Spark, and Hudi on Spark as a baseline, declared without importing Spark."""

from __future__ import annotations

from xtable_audit.model.subject_id import DELTA
from xtable_audit.readers.adapter import Adapter, Capabilities

SPARK = Adapter(
    "lab.engines.spark.reader:SparkReader",
    "pyspark",
    "pyspark",
    Capabilities(live=True, planned="names", scanned=True),
    also="refuses a table that has a column of type time",
    s3="Hadoop S3A, path-style, one key a session",
    needs="needs Java 17 and Spark's jars, which are fetched",
    engine="spark",
)
SPARK_DELTA = Adapter(
    "lab.engines.spark.delta_reader:SparkDeltaReader",
    "pyspark",
    "pyspark",
    Capabilities(live=True, planned="names", scanned=True),
    s3="Hadoop S3A, path-style, one key a session",
    needs="needs Java 17, Spark's jars and Delta's, which are fetched",
    engine="spark_delta",
    formats=(DELTA,),
)
HUDI = Adapter(
    "lab.engines.spark.hudi_reader:HudiReader",
    "pyspark",
    "pyspark",
    Capabilities(live=True, planned="names", scanned=True),
    also="opens one more file for the schema; where it skips by its index it loses rows of LIKE 'p%'",
    s3="Hadoop S3A, path-style, one key a session",
    needs="needs Java 17 and Spark's jars, which are fetched",
    engine="spark",
)
"""Reads the source table, the baseline for a translation. Its location is a base path."""
SKIPPING = "#skipping"
"""Appended to a base path, it makes Hudi's reader skip data by the metadata table's indexes."""
