"""Delta Lake: one reader of the transaction log, and a table of Delta as a source."""
