"""A Hudi table as a translator's output: what its timeline and its metadata table say of each data file."""
