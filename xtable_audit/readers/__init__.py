"""Query engines as readers of Iceberg tables: one adapter an engine, each in a process of its own."""
