"""XTF-125: Hudi's reader on Spark loses rows where a bound is NaN.

Needs `pip install pyspark==3.5.9` and Java 17, and neither Hudi nor XTable. Hudi's reader caches the statistics of all
files as a table of Spark's, and asks it which files may hold a value. Here are such statistics of one file, whose
greatest value is NaN: the same question before the table is cached, after it, and after it without Spark's pruning of
cached batches.

Ends with 10 if the cached table does not return the file, 0 if it does, 6 if it is not returned uncached either.
"""

import sys

from pyspark import __version__
from pyspark.sql import DataFrame, SparkSession

STATISTICS = [("part-0.parquet", 1.0, float("nan"))]
COLUMNS = "fileName string, d_minValue double, d_maxValue double"
MAY_HOLD = "d_minValue <= 1.0D AND 1.0D <= d_maxValue"
PRUNING = "spark.sql.inMemoryColumnarStorage.partitionPruning"
PRESENT, GONE, NOT_TRIED = 10, 0, 6


def main() -> int:
    spark = SparkSession.builder.master("local[1]").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    statistics = spark.createDataFrame(STATISTICS, COLUMNS)
    print(f"Spark {__version__}; files that may hold d = 1.0, of one whose bounds are 1.0 … NaN\n")
    plain = found(statistics)
    statistics.cache()
    cached = found(statistics)
    spark.conf.set(PRUNING, "false")
    unpruned = found(statistics)
    print(f"not cached: {plain}\ncached: {cached}\ncached, {PRUNING}=false: {unpruned}\n")
    spark.stop()
    if plain != 1:
        print("COULD NOT RUN: Spark does not find the file in a table that is not cached")
        return NOT_TRIED
    print("FAULT GONE: XTF-125" if cached == plain else "FAULT PRESENT: XTF-125")
    return GONE if cached == plain else PRESENT


def found(statistics: DataFrame) -> int:
    return statistics.where(MAY_HOLD).count()


if __name__ == "__main__":
    sys.exit(main())
