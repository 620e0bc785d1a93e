"""How a claim breaks, where blame, advice or the register depends on it."""

from __future__ import annotations

from enum import StrEnum


class DeviationKind(StrEnum):
    ABSENT = "absent"
    """What is to be stored is not."""
    FALSE = "false"
    """What is stored is not so."""
    NO_OBJECT = "no object"
    """The object that the metadata names is not there."""
    NO_ROWS = "no rows"
    """A reader returns no row of a table that has some."""
    ANOTHER_TYPE = "another type"
    """A column of a data file has a type that no reader takes for the table's, such as text for numbers."""
    BEYOND_TYPE = "beyond the type"
    """A column of a data file holds a value that the table's type cannot."""
