"""Why a claim was not judged, where anything depends on it: the words of a report are for people alone."""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """What kept a claim from being judged on a table."""

    FOLLOWS = "follows"
    """The table cannot be read: its result is the finding of another claim, which says so."""
    NOT_COMPARED = "not_compared"
    """The source that the user names does not show what the claim compares."""
    REFUSED = "refused"
    """The translator refuses the table, as it must: the table's version is one that it does not read."""
