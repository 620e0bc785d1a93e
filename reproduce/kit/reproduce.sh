#!/bin/sh
# Writes the table with Spark, syncs it after each step, and compares what is stored with the values of the files.
# Needs Java 17 and `pip install pyspark==3.5.* pyiceberg[pyarrow] duckdb`, and XTABLE_JAR or XTABLE_CLASSPATH (sync.sh).
# Ends with 1 if the fault is there, 0 if it is gone, 6 if it could not be tried.
cd "$(dirname "$0")/${1:?name a finding: ./reproduce.sh XTF-004}" || exit 6
python3 write.py || { echo "COULD NOT RUN: Spark did not write the table"; exit 6; }
python3 ../check.py
