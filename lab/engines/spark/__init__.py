"""Spark: its jars and Java, and the readers on it: Iceberg, and Hudi over its own table."""
