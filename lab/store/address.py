"""The address of a table: every step writes, records, translates and reads it there.

Hudi and Delta write absolute addresses into their metadata. A table that is moved after it was written lists files that
do not exist, and the fault would look like the translator's.
"""

from __future__ import annotations

TABLES = "tables"
"""The folder of all tables in a bucket."""


def root_of(bucket: str) -> str:
    """The address of the folder of all tables in that bucket."""
    return f"s3://{bucket}/{TABLES}"


def prefix_of(table: str) -> str:
    """The table's prefix in the run's bucket."""
    return f"{TABLES}/{table}"
