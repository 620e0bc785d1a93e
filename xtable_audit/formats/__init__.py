"""Table formats, one folder each: how a table is found and read, from its own log alone, without Spark and Java."""
