"""Planners by name, and what every one of them raises about a table."""

from __future__ import annotations

PLANNERS = JUDGE, PYICEBERG, JAVA, DELTALAKE = "judge", "pyiceberg", "java", "deltalake"


class Refused(Exception):
    """A planner cannot plan this table. The text is the planner's message."""
