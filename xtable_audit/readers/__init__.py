"""Query engines as readers of Iceberg and Delta tables: one adapter an engine, each in a process of its own."""
