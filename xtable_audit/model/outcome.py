"""The outcome of one claim, why it was not judged, the verdict of a whole run, and its exit status."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """The outcome of one claim on one table."""

    HELD = "held"
    FINDING = "finding"
    """A new finding, or one that differs from the registered one."""
    KNOWN = "known"
    """A registered finding that is still present."""
    GONE = "gone"
    """Registered, but the claim holds: the entry must be removed."""
    INCONCLUSIVE = "inconclusive"
    """Selected, but could not run."""
    NOT_APPLICABLE = "not_applicable"
    """The table has nothing to compare."""
    ERROR = "error"
    """The suite itself failed."""


FAILS = (Outcome.FINDING, Outcome.KNOWN)
"""Outcomes with a finding."""
EXPLAINED = (Outcome.GONE, Outcome.INCONCLUSIVE, Outcome.NOT_APPLICABLE, Outcome.ERROR)
"""Outcomes with a reason."""


class RunVerdict(StrEnum):
    """The result of a whole run."""

    CONFORMANT = "CONFORMANT"
    """No claim fails."""
    KNOWN_DEFECTS = "KNOWN_DEFECTS"
    """Claims fail, and the register lists each of them."""
    ADVICE = "ADVICE"
    """Of a user's own table: what fails is below --fail-on, accepted or ignored."""
    FINDINGS = "FINDINGS"
    """Findings are new, differ from the registered ones, or are registered and gone."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """Something selected could not run."""
    ERROR = "ERROR"
    """The suite itself failed, or was cut short."""


EXIT_FAILS = 1
EXIT_INCONCLUSIVE = 6
"""pytest reserves 0 to 5."""


class Cause(StrEnum):
    """What kept a claim from being judged on a table."""

    FOLLOWS = "follows"
    """The table cannot be read: its result is the finding of another claim, which says so."""
    NOT_COMPARED = "not_compared"
    """The source that the user names does not show what the claim compares."""
    REFUSED = "refused"
    """The translator refuses the table, as it must: the table's version is one that it does not read."""
