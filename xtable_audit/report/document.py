"""audit.json: everything a run claims, saw and stood on. `audit.schema.json` is its contract."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from xtable_audit.model.finding import Answers

SCHEMA_VERSION = 6


class Outcome(StrEnum):
    """How one claim on one table ended."""

    HELD = "held"
    FINDING = "finding"
    """New, or another than the registered one."""
    KNOWN = "known"
    """A registered finding, still there."""
    GONE = "gone"
    """Registered, and the claim holds now: the entry must go."""
    INCONCLUSIVE = "inconclusive"
    """Selected, but could not run."""
    NOT_APPLICABLE = "not_applicable"
    """Nothing on the table to compare."""
    ERROR = "error"
    """The suite itself failed."""


class RunVerdict(StrEnum):
    CONFORMANT = "CONFORMANT"
    FINDINGS = "FINDINGS"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"


EXIT_INCONCLUSIVE = 6
"""pytest keeps 0 to 5 for itself."""


@dataclass(frozen=True)
class ClaimResult:
    """One test of the suites. `finding` is `Finding.as_dict()`, present where the outcome is finding or known."""

    test: str
    claim: str
    table: str | None
    reader: str | None
    outcome: Outcome
    seconds: float
    finding: dict[str, Any] | None = None
    reason: str | None = None
    """In words, for gone, inconclusive, not applicable and error."""


@dataclass(frozen=True)
class Reading:
    """One cell of the matrix: what one reader did with one table under one predicate. None where nobody can tell."""

    live: int | None
    """Live data files, by the reader's own word."""
    planned: int | None
    """Data files planned, by the reader's own word."""
    read: int | None
    """Data files fetched, by the store's request log."""
    rows: int | None
    refused: bool = False


@dataclass(frozen=True)
class SelectionRow:
    """A table under one predicate, by the judge and by each reader."""

    table: str
    mode: str
    """`live` or `recorded`."""
    question: str
    """The word that asks it; a question of several predicates has several rows."""
    predicate: str
    live: int
    planned: int
    matching: int
    rows_to_scan: int
    rows_returned: int
    rows_total: int
    readers: dict[str, Reading] = field(default_factory=dict)


@dataclass(frozen=True)
class LayerRow:
    """One of Hudi's own tables under one predicate: the base files that each layer of Hudi's skipping leaves.

    None where Hudi's reader does not say, or was not asked through that layer.
    """

    table: str
    mode: str
    """`live` or `recorded`."""
    predicate: str
    asked: str
    """`off`, `unlisted` (off, and without the metadata table) or `on`."""
    live: int | None
    after_partition_statistics: int | None
    after_column_statistics: int | None
    read: int | None
    """By the store's request log."""
    rows: int | None
    matching: int
    """Files that really hold a matching row."""
    seconds: float
    """Of one question, plan and all; benchmarks/ compares them as they should be compared."""


@dataclass(frozen=True)
class Document:
    """A whole run. `complete` is false where the run was cut short."""

    run: dict[str, Any]
    versions: dict[str, str]
    translation: dict[str, Any]
    """mode live | recorded | absent, release, reason."""
    steps: list[dict[str, Any]]
    """What was done before the claims: name, detail, seconds."""
    claims: list[ClaimResult]
    selections: list[SelectionRow]
    tightness: list[dict[str, Any]]
    trials: list[dict[str, Any]] = field(default_factory=list)
    """What each planner made of each table's grid of predicates: table, planner, predicates, losing, set_aside."""
    layers: list[LayerRow] = field(default_factory=list)
    """Hudi's own skipping over its own tables."""
    register: dict[str, str] = field(default_factory=dict)
    """Titles of the register's entries, by their ids."""
    complete: bool = True
    schema_version: int = SCHEMA_VERSION

    def count(self, *outcomes: Outcome) -> int:
        return sum(result.outcome in outcomes for result in self.claims)

    @property
    def verdict(self) -> RunVerdict:
        if self.count(Outcome.FINDING, Outcome.GONE):
            return RunVerdict.FINDINGS
        if self.count(Outcome.ERROR) or not self.complete:
            return RunVerdict.ERROR
        if self.count(Outcome.INCONCLUSIVE) or not self.count(Outcome.HELD, Outcome.KNOWN):
            return RunVerdict.INCONCLUSIVE
        return RunVerdict.CONFORMANT

    @property
    def answers(self) -> list[dict[str, Any]]:
        """What readers answer to the findings' example queries, each once; those most readers get wrong come first."""
        told = [r.finding["answers"] for r in self.claims if r.finding and r.finding.get("answers")]
        once = {(one["table"], one["predicate"]): one for one in told}
        return sorted(once.values(), key=lambda one: Answers(**one).wrong, reverse=True)

    def as_dict(self) -> dict[str, Any]:
        counts = {str(outcome): self.count(outcome) for outcome in Outcome}
        return asdict(self) | {
            "verdict": str(self.verdict),
            "counts": counts,
            "answers": self.answers,
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
