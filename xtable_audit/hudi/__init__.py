"""Judges Hudi's own data skipping: its indexes, and the files that its reader skips by them."""
