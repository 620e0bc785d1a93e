"""The one address of a table: it is written, cached, recorded, translated and read there.

Hudi and Delta write absolute addresses into their own metadata. A table that is moved after it was written names files
that are not there, and whoever translates it looks guilty of what the move did.
"""

from __future__ import annotations

TABLES = "tables"
"""The folder of a bucket in which every table lies."""


def root_of(bucket: str) -> str:
    """The address below which every table of that bucket lies."""
    return f"s3://{bucket}/{TABLES}"


def prefix_of(table: str) -> str:
    """Where the table lies in the bucket of the run."""
    return f"{TABLES}/{table}"
