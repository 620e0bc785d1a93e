"""Apache Hudi: one reader of the timeline, and a table of Hudi as a source."""
