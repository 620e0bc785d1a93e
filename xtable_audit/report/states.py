"""How each claim ended in one run, as its audit.json tells it, made fit to be held against another run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from xtable_audit.model.finding import Verdict
from xtable_audit.model.fingerprint import shape, steady

Found = Mapping[str, Any]
"""`Finding.as_dict()`."""


class How(StrEnum):
    HELD = "held"
    FOUND = "found"
    REFUSED = "refused"
    """Not judged, because a finding says that there is no such table."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class State:
    """How one claim ended in one run."""

    how: How
    finding: Found | None = None
    why: str = ""


class Results:
    """The claims of one run, by test id."""

    def __init__(self, name: str, document: Mapping[str, Any]) -> None:
        self.name = name
        self.claims = {claim["test"]: claim for claim in document["claims"]}
        self._release = document["translation"]["release"]
        self._no_table = {
            (claim["table"], claim["finding"]["saw"])
            for claim in document["claims"]
            if claim["reader"] is None and _refuses(claim)
        }

    def state(self, test: str) -> State:
        claim = self.claims.get(test)
        if claim is None:
            return State(How.UNKNOWN, why=f"{self.name}: it was not asked")
        match claim["outcome"]:
            case "known" if follows(claim):
                return State(How.REFUSED)
            case "finding" | "known":
                return State(How.FOUND, claim["finding"])
            case "held" | "gone" | "not_applicable":
                return State(How.HELD)
        reason = str(claim["reason"]).removeprefix("Skipped: ").removeprefix("inconclusive: ")
        if any(table == claim["table"] and reason.endswith(saw) for table, saw in self._no_table):
            return State(How.REFUSED)
        return State(How.UNKNOWN, why=f"{self.name}: {reason}")

    def gone(self, test: str) -> str:
        """Why its entry has to go; nothing where it has not."""
        claim = self.claims.get(test)
        return str(claim["reason"]) if claim and claim["outcome"] == "gone" else ""

    def words(self, finding: Found) -> str:
        """What was seen, without what changes from run to run and from release to release."""
        return steady(self._unnamed(finding["saw"]))

    def kind(self, finding: Found) -> tuple[object, ...]:
        """What makes it a finding of the same kind in another run, and under another release, whatever the column."""
        same = tuple(finding[field] for field in ("claim", "verdict", "blame", "reader"))
        return (*same, shape(self._unnamed(finding["saw"])))

    def _unnamed(self, text: str) -> str:
        return text.replace(self._release, "XTable")


def follows(claim: Mapping[str, Any]) -> bool:
    """Whether its finding is another test's, from which it follows that this one could not be tried."""
    return claim["finding"] is not None and claim["test"] not in claim["finding"]["again"]


def _refuses(claim: Mapping[str, Any]) -> bool:
    return claim["finding"] is not None and not follows(claim) and claim["finding"]["verdict"] in ABSENT


ABSENT = {Verdict.UNREADABLE, Verdict.FAILED_SILENTLY}


def cost(finding: Found) -> tuple[int, int, int]:
    impact = finding["impact"]
    return impact["files"], impact["rows"], impact["unlisted"]


def columns(finding: Found) -> frozenset[str]:
    """Those that deviate. None of a finding that tells an example of a query: its columns are those of queries."""
    return frozenset() if finding.get("example") else frozenset(finding["columns"])
