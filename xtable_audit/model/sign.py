"""Signs of a cause: what all deviations of a finding have in common, by which it is known on any table."""

from __future__ import annotations

from enum import StrEnum


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
