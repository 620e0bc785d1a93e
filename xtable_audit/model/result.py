"""What a run records of a table in audit.json: the result of a claim, whose bug its finding is, parts not judged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from xtable_audit.model.figures import Seconds
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.model.outcome import EXPLAINED, FAILS, Cause, Outcome
from xtable_audit.model.printable import make_printable, printable


@dataclass(frozen=True)
class SetAside:
    """A column, a partition field or a data file that claims do not apply to."""

    reason: str
    column: str | None = None
    path: str | None = None

    def __str__(self) -> str:
        return printable(f"{self.column or self.path}: {self.reason}")


STRICT: dict[str, Any] = {
    "extra": "forbid",
    "strict": True,
    "allow_inf_nan": False,
    "ser_json_inf_nan": "constants",
    "use_attribute_docstrings": True,
    "json_schema_serialization_defaults_required": True,
}
"""Pydantic's configuration for a document; nested types inherit it."""

NOT_COMPARED = "not compared with the source"
"""In words, `Cause.NOT_COMPARED`: starts the reason why a claim that needs the source could not be checked."""

READABLE = "metadata_and_data_files_can_be_read"
"""The claim without which others are not judged."""

REFUSES = "XTable refuses the table, as it must"
"""In words, `Cause.REFUSED`: starts the reason why a claim does not apply to such a table."""


@dataclass(frozen=True)
class ClaimResult:
    """One test of the suites. Raises ValueError if the finding or the reason does not fit the outcome."""

    __pydantic_config__ = STRICT | {
        "json_schema_extra": {
            "allOf": [
                {
                    "if": {"properties": {"outcome": {"enum": list(FAILS)}}},
                    "then": {"properties": {"finding": {"type": "object"}}},
                    "else": {"properties": {"finding": {"type": "null"}}},
                },
                {
                    "if": {"properties": {"outcome": {"enum": list(EXPLAINED)}}},
                    "then": {"properties": {"reason": {"type": "string"}}},
                },
            ]
        }
    }

    test: str
    """pytest's node id."""
    claim: str
    """The id of the claim that the test checks."""
    sentence: str
    """What the claim says."""
    table: str | None
    reader: str | None
    outcome: Outcome
    seconds: Seconds
    finding: Finding | None = None
    """Present if the outcome is finding or known."""
    reason: str | None = None
    """Present if the outcome is gone, inconclusive, not applicable or error."""
    cause: Cause | None = None
    """What kept the claim from being judged, if a comparison of runs or a verdict depends on it."""

    def __post_init__(self) -> None:
        make_printable(self, lines=("reason",))
        if (self.finding is None) == (self.outcome in FAILS):
            raise ValueError(f"the outcome {self.outcome} has {'no' if self.finding is None else 'a'} finding")
        if self.reason is None and self.outcome in EXPLAINED:
            raise ValueError(f"the outcome {self.outcome} has no reason")

    @property
    def why(self) -> str:
        """Its reason without the words by which pytest marks it; "" without a reason."""
        return (self.reason or "").removeprefix("Skipped: ").removeprefix("inconclusive: ")

    @property
    def follows(self) -> bool:
        """Whether its finding belongs to another test and prevents this one from running."""
        return self.cause is Cause.FOLLOWS


class Owner(StrEnum):
    """In the order in which reports name them."""

    XTABLE = "XTable"
    HUDI = "Hudi"
    DELTA = "Delta"
    READERS = "Readers"
    WRITER = "Writer"
    OTHERS = "Others"


_BY_COMPONENT: Final = {"xtable": Owner.XTABLE, "hudi": Owner.HUDI, "delta": Owner.DELTA}
_BY_KIND: Final = {"reader": Owner.READERS, "writer": Owner.WRITER}


def owner(blame: Blame) -> Owner:
    """Whose fault a blame says it is."""
    return _BY_COMPONENT.get(blame.owner) or _BY_KIND.get(blame.partition(" ")[0], Owner.OTHERS)
