"""The Spark jobs that write the audited tables: one script a dataset, each run in a process of its own."""
