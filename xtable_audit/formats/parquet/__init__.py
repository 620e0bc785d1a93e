"""A folder of Parquet files, without a log."""
