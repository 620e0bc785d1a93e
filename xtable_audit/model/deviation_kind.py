"""How a claim breaks, and the sign that all deviations of a finding share: blame, advice and the register ask."""

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


class Sign(StrEnum):
    """A sign holds of a finding only if it holds of each of its deviations, of bounds but for the last one."""

    ZERO_FOR_NULLS = "zero for nulls"
    """Both bounds are 0, false or the epoch, and every value of the column in the file is null."""
    ZERO_FOR_NAN = "zero for NaN"
    """A bound is 0, and the column holds NaN in the file."""
    THOUSANDTH = "a thousandth"
    """Both bounds are a timestamp's microseconds divided by a thousand."""
    KEPT_BESIDE = "kept beside"
    """The files are those of which the source keeps updates or deletes elsewhere: in log files or deletion vectors."""
