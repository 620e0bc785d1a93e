"""A job that the suite starts ends with the suite, however that ends."""

from __future__ import annotations

import os

from lab.servers.ends_with_parent import end_with_parent

CHILD = "XTABLE_AUDIT_CHILD"


def die_with_parent() -> None:
    """As a child of the suite, ends this process when stdin reaches its end, which is when the parent is gone.

    The JVM follows: PySpark's gateway watches a pipe that this process holds.
    """
    if os.environ.get(CHILD) == "1":
        end_with_parent(3)
