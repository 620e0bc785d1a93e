"""XTF-127: Spark answers min and max of an Iceberg column with a bound that only contains the values.

Needs `pip install pyspark==3.5.9 "pyiceberg[pyarrow,sql-sqlite]"` and Java 17, and neither Hudi nor XTable. PyIceberg
writes a table of one file, whose values are -5 to 7, and enters it with an upper bound of 251, as Iceberg's
specification allows: no value is above it. Spark is asked for the greatest value twice, as it is set by default and
with the read option aggregate-push-down-enabled=false. Iceberg's jar is downloaded, or among those of SPARK_JARS.

Ends with 10 if the two answers differ, 0 if both are 7, 6 if the second one is not.
"""

import os
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.conversions import to_bytes
from pyiceberg.types import LongType
from pyspark import __version__
from pyspark.sql import SparkSession

ROWS = pa.table({"floor": pa.array([-5, 0, 7], pa.int64())})
TRUE, BOUND = 7, 251
ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.9.2"
PRESENT, GONE, NOT_TRIED = 10, 0, 6


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        location = written(Path(folder))
        spark = session()
        print(f"Spark {__version__}; values from -5 to {TRUE}, an upper bound of {BOUND}\n")
        by_default, from_values = (greatest(spark, location, pushed) for pushed in ("true", "false"))
        spark.stop()
        print(f"max(floor): {by_default}\nmax(floor), aggregate-push-down-enabled=false: {from_values}\n")
        if from_values != TRUE:
            print("COULD NOT RUN: Spark does not find the greatest value in the file either")
            return NOT_TRIED
        print("FAULT GONE: XTF-127" if by_default == TRUE else "FAULT PRESENT: XTF-127")
        return GONE if by_default == TRUE else PRESENT


def written(folder: Path) -> str:
    """The location of the table's metadata."""
    catalog = SqlCatalog("here", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", ROWS.schema)
    table.append(ROWS)
    [task] = table.scan().plan_files()
    [column] = table.schema().fields
    with table.transaction() as transaction, transaction.update_snapshot().overwrite() as snapshot:
        snapshot.delete_data_file(task.file)
        task.file.upper_bounds[column.field_id] = to_bytes(LongType(), BOUND)
        snapshot.append_data_file(task.file)
    return catalog.load_table("n.t").metadata_location


def session() -> SparkSession:
    builder = SparkSession.builder.master("local[1]")
    for setting in ("spark.driver.bindAddress", "spark.driver.host"):
        builder = builder.config(setting, "127.0.0.1")
    if jars := os.environ.get("SPARK_JARS"):
        builder = builder.config("spark.jars", jars.replace(os.pathsep, ","))
    else:
        builder = builder.config("spark.jars.packages", ICEBERG)
    return builder.getOrCreate()


def greatest(spark: SparkSession, location: str, pushed: str) -> int:
    table = spark.read.format("iceberg").option("aggregate-push-down-enabled", pushed).load(location)
    return int(table.selectExpr("max(floor)").collect()[0][0])


if __name__ == "__main__":
    sys.exit(main())
