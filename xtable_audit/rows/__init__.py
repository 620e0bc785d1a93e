"""The rows of a source table, by another implementation of its format: hudi-rs and delta-rs, of the extra `rows`."""
