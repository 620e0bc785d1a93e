"""audit.json: everything a run claims, saw and stood on, both ways. `audit.schema.json` is made from these types."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from xtable_audit.model.figures import Count, Ratio, Seconds, Share, Within
from xtable_audit.model.finding import Answers, Finding

SCHEMA_VERSION: Final = 6
"""Raised whenever a key of audit.json comes, goes or changes its meaning."""

STRICT: dict[str, Any] = {
    "extra": "forbid",
    "strict": True,
    "allow_inf_nan": False,
    "ser_json_inf_nan": "constants",
    "use_attribute_docstrings": True,
    "json_schema_serialization_defaults_required": True,
}
"""How pydantic reads and writes a document; the types below it inherit this."""
Mode = Literal["live", "recorded"]


class UnreadableDocument(ValueError):
    """A text is no audit.json of this schema version: what is wrong with it and what to do, in one sentence."""


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


FAILS = (Outcome.FINDING, Outcome.KNOWN)
"""Outcomes that have a finding."""
EXPLAINED = (Outcome.GONE, Outcome.INCONCLUSIVE, Outcome.NOT_APPLICABLE, Outcome.ERROR)
"""Outcomes that have a reason in words."""


class RunVerdict(StrEnum):
    CONFORMANT = "CONFORMANT"
    FINDINGS = "FINDINGS"
    INCONCLUSIVE = "INCONCLUSIVE"
    ERROR = "ERROR"


EXIT_INCONCLUSIVE = 6
"""pytest keeps 0 to 5 for itself."""


@dataclass(frozen=True)
class RunFacts:
    """Which run it was, and with which options."""

    id: str
    command: str
    started: datetime
    finished: datetime
    seconds: Seconds
    python: str
    system: str
    store: str
    scale: Annotated[float, Within()]
    seed: int
    recorded: bool
    upgrade_from: str | None = None
    """Release of each table's first syncs, for an upgrade in place."""


@dataclass(frozen=True)
class Translation:
    """Where XTable's metadata comes from."""

    mode: Literal["live", "recorded", "absent"]
    """Only live answers a gate."""
    release: str
    reason: str = ""
    """Why it is not live, in a clause."""
    datasets: tuple[str, ...] | None = None
    """Those that a recording of an upgrade in place holds; null where nothing is left out."""


@dataclass(frozen=True)
class Step:
    """One piece of long work before the claims."""

    name: str
    detail: str
    seconds: Seconds
    ok: bool


@dataclass(frozen=True)
class ClaimResult:
    """One test of the suites. Raises ValueError where the outcome lacks its finding or reason, or has another's."""

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
    table: str | None
    reader: str | None
    outcome: Outcome
    seconds: Seconds
    finding: Finding | None = None
    """Present where the outcome is finding or known."""
    reason: str | None = None
    """In words, for gone, inconclusive, not applicable and error."""

    def __post_init__(self) -> None:
        if (self.finding is None) == (self.outcome in FAILS):
            raise ValueError(f"the outcome {self.outcome} has {'no' if self.finding is None else 'a'} finding")
        if self.reason is None and self.outcome in EXPLAINED:
            raise ValueError(f"the outcome {self.outcome} has no reason")

    @property
    def follows(self) -> bool:
        """Whether its finding is another test's, from which it follows that this one could not be tried."""
        return self.finding is not None and self.test not in self.finding.again


@dataclass(frozen=True)
class Reading:
    """One cell of the matrix: what one reader did with one table under one predicate. None where nobody can tell."""

    live: Count | None
    """Live data files, by the reader's own word."""
    planned: Count | None
    """Data files planned, by the reader's own word."""
    read: Count | None
    """Data files fetched, by the store's request log."""
    rows: Count | None
    refused: bool = False
    """The reader refuses the table."""


@dataclass(frozen=True)
class SelectionRow:
    """A table under one predicate, by the judge and by each reader."""

    table: str
    mode: Mode
    question: str
    """The word that asks it; a question of several predicates has several rows."""
    predicate: str
    live: Count
    planned: Count
    matching: Count
    rows_to_scan: Count
    rows_returned: Count
    rows_total: Count
    readers: dict[str, Reading] = field(default_factory=dict)
    """Reader id to what it did."""


@dataclass(frozen=True)
class TightnessRow:
    """Of the files that exact bounds let a point predicate skip, how many the stored ones do, for one column."""

    table: str
    column: str
    recorded: Share
    ideal: Share
    score: Ratio | None
    """`recorded` as a share of `ideal`; null where even exact bounds could skip nothing."""


@dataclass(frozen=True)
class TrialRow:
    """What one planner made of one table's grid of predicates."""

    table: str
    planner: Literal["judge", "pyiceberg", "java"]
    predicates: Count
    """Predicates that the planner planned."""
    losing: Count
    """Predicates under which it drops a file with matching rows."""
    set_aside: dict[str, Count]
    """Losses that are known of the planner and say nothing of the metadata: why, and how many."""


@dataclass(frozen=True)
class LayerRow:
    """One of Hudi's own tables under one predicate: the base files that each layer of Hudi's skipping leaves.

    None where Hudi's reader does not say, or was not asked through that layer.
    """

    table: str
    mode: Mode
    predicate: str
    asked: Literal["off", "unlisted", "on"]
    """Skipping off; off, and without the metadata table; or on."""
    live: Count | None
    after_partition_statistics: Count | None
    after_column_statistics: Count | None
    read: Count | None
    """By the store's request log."""
    rows: Count | None
    matching: Count
    """Files that really hold a matching row."""
    seconds: Seconds
    """Of one question, plan and all; benchmarks/ compares them as they should be compared."""


@dataclass(frozen=True)
class Counts:
    """How many claims ended how."""

    held: Count
    finding: Count
    known: Count
    gone: Count
    inconclusive: Count
    not_applicable: Count
    error: Count


@dataclass(frozen=True)
class Summary:
    """What follows from a document; audit.json has it for those who read the file without this package."""

    __pydantic_config__ = STRICT

    verdict: RunVerdict
    counts: Counts
    answers: tuple[Answers, ...]
    """What readers answer to the example queries of findings, worst first."""


@dataclass(frozen=True)
class Document:
    """A whole run, and what follows from it."""

    __pydantic_config__ = STRICT | {
        "title": "audit.json of the XTable conformance audit",
        "json_schema_extra": {"allOf": [{"properties": {"versions": {"required": ["suite", "xtable"]}}}]},
    }

    run: RunFacts
    versions: dict[str, str]
    """What the run stands on, by name."""
    translation: Translation
    steps: tuple[Step, ...]
    """What was done before the claims."""
    claims: tuple[ClaimResult, ...]
    selections: tuple[SelectionRow, ...] = ()
    tightness: tuple[TightnessRow, ...] = ()
    trials: tuple[TrialRow, ...] = ()
    """What each planner made of each table's grid of predicates."""
    layers: tuple[LayerRow, ...] = ()
    """Hudi's own skipping over its own tables."""
    register: dict[str, str] = field(default_factory=dict)
    """Titles of the register's entries, by their ids."""
    complete: bool = True
    """False where the run was cut short: its verdict is then ERROR, or FINDINGS."""
    schema_version: Literal[6] = SCHEMA_VERSION

    def count(self, *outcomes: Outcome) -> int:
        return sum(result.outcome in outcomes for result in self.claims)

    @property
    def counts(self) -> Counts:
        return Counts(**{str(outcome): self.count(outcome) for outcome in Outcome})

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
    def answers(self) -> tuple[Answers, ...]:
        """What readers answer to the findings' example queries, each once; those most readers get wrong come first."""
        told = [result.finding.answers for result in self.claims if result.finding and result.finding.answers]
        once = {(one.table, one.predicate): one for one in told}
        return tuple(sorted(once.values(), key=lambda one: one.wrong, reverse=True))

    @property
    def summary(self) -> Summary:
        return Summary(self.verdict, self.counts, self.answers)

    def to_json(self) -> str:
        from xtable_audit.report.document_json import write

        return write(self)

    @classmethod
    def from_json(cls, text: str) -> Document:
        """The document that `to_json` wrote. Raises UnreadableDocument for any other text."""
        from xtable_audit.report.document_json import read

        return read(text)

    @classmethod
    def load(cls, path: Path) -> Document:
        """The document in a file. Raises UnreadableDocument, with the file's name in the sentence."""
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UnreadableDocument(f"{path}: {error.strerror}: name the audit.json of a run.") from error
        except UnicodeDecodeError as error:
            raise UnreadableDocument(f"{path}: This is no text: name the audit.json of a run.") from error
        except UnreadableDocument as error:
            raise UnreadableDocument(f"{path}: {error}") from error
