"""What every planner raises about a table."""

from __future__ import annotations


class Refused(Exception):
    """A planner cannot plan this table. The text is the planner's message."""
