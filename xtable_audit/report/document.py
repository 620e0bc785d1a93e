"""audit.json: a run's claims, findings and versions, with reading and writing. These types make `audit.schema.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

from xtable_audit.model.figures import Count, Ratio, Seconds, Share, Within
from xtable_audit.model.file_ranges import FileRanges
from xtable_audit.model.finding import Answers, Finding, Verdict
from xtable_audit.model.outcome import EXIT_FAILS, EXIT_INCONCLUSIVE, FAILS, Outcome, RunVerdict
from xtable_audit.model.own_table import FAIL_ON, OwnTable, reaches
from xtable_audit.model.printable import make_printable
from xtable_audit.model.result import READABLE, STRICT, ClaimResult, Owner

SCHEMA_VERSION: Final = 18
"""Incremented when a key of audit.json is added, removed or changes its meaning."""

Mode = Literal["live", "recorded"]


class UnreadableDocument(ValueError):
    """A text is not an audit.json of this schema version. The message says what is wrong and what to do."""


@contextmanager
def of_file(path: Path) -> Iterator[None]:
    """Makes each reason why the file cannot be read an UnreadableDocument that names it."""
    try:
        yield
    except OSError as error:
        raise UnreadableDocument(f"{path}: {error.strerror}: name the audit.json of a run.") from error
    except UnicodeDecodeError as error:
        raise UnreadableDocument(f"{path}: This is no text: name the audit.json of a run.") from error
    except UnreadableDocument as error:
        raise UnreadableDocument(f"{path}: {error}") from error


@dataclass(frozen=True)
class RunFacts:
    """The run and its options."""

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
    """Release of each table's first syncs, in an upgrade in place."""
    targets: tuple[str, ...] = ("Iceberg",)
    """What XTable writes in the run: `Iceberg`, `Delta by Delta Standalone`, `Delta by Delta Kernel`."""
    zone: str = "UTC"
    """The option --zone: the time zone in which XTable ran. Recordings were made in UTC."""
    fail_on: Verdict | None = None
    """The option --fail-on: the run exits 1 on any finding, known or not, of this verdict or a worse one. A check of a
    user's own table always has one."""

    def __post_init__(self) -> None:
        make_printable(self)


@dataclass(frozen=True)
class Translation:
    """Where XTable's metadata comes from."""

    mode: Literal["live", "recorded", "absent", "given"]
    """A gate requires live. The metadata of a table of the user's own is given."""
    release: str
    reason: str = ""
    """Why it is not live, in a clause."""
    datasets: tuple[str, ...] | None = None
    """Datasets in the recording of an upgrade in place; null if all are included."""
    recorded_on: str | None = None
    """The day on which the recording was made, as in ISO 8601."""


@dataclass(frozen=True)
class Step:
    """One long-running step before the claims."""

    name: str
    detail: str
    seconds: Seconds
    ok: bool


@dataclass(frozen=True)
class Reading:
    """One cell of the matrix: one reader on one table under one predicate. None for an unknown number."""

    live: Count | None
    """Live data files, as the reader reports."""
    planned: Count | None
    """Planned data files, as the reader reports."""
    read: Count | None
    """Read data files, by the store's request log."""
    rows: Count | None
    refused: bool = False
    """The reader refuses the table."""


@dataclass(frozen=True)
class SelectionRow:
    """A table under one predicate, as the judge and each reader see it."""

    table: str
    mode: Mode
    question: str
    """Name of the question. A question with several predicates has several rows."""
    predicate: str
    live: Count
    planned: Count
    matching: Count
    rows_to_scan: Count
    rows_returned: Count
    rows_total: Count
    readers: dict[str, Reading] = field(default_factory=dict)
    """Reading by reader id."""
    ranges: FileRanges | None = None
    """Ranges of the predicate's column, file by file, for a question of one predicate; null if it asks for no range."""


@dataclass(frozen=True)
class TightnessRow:
    """Share of files that stored and exact bounds of one column let a point predicate skip."""

    table: str
    column: str
    recorded: Share
    ideal: Share
    score: Ratio | None
    """`recorded` divided by `ideal`; null if even exact bounds skip nothing."""


@dataclass(frozen=True)
class TrialRow:
    """One planner's results on one table's grid of predicates."""

    table: str
    planner: Literal["judge", "pyiceberg", "java", "deltalake"]
    predicates: Count
    """Predicates that the planner planned."""
    losing: Count
    """Predicates for which it drops a matching file."""
    set_aside: dict[str, Count]
    """Losses by known faults of the planner, not of the metadata: reason to number."""


@dataclass(frozen=True)
class LayerRow:
    """A Hudi table under one predicate: the base files that each layer of Hudi's data skipping keeps.

    None if Hudi's reader does not report the number or does not use the layer.
    """

    table: str
    mode: Mode
    predicate: str
    asked: Literal["off", "unlisted", "on"]
    """Skipping off; skipping and metadata table off; skipping on."""
    live: Count | None
    after_partition_statistics: Count | None
    after_column_statistics: Count | None
    read: Count | None
    """Read files, by the store's request log."""
    rows: Count | None
    matching: Count
    """Files that hold a matching row."""
    seconds: Seconds
    """Time of one query, planning included. A single measurement; benchmarks/ makes proper comparisons."""


@dataclass(frozen=True)
class SetAsideRow:
    """A part of a table that no claim judges: a column, a partition field, or a data file."""

    table: str
    column: str | None
    """The column or partition field; null for a file."""
    path: str | None
    """The data file; null for a column."""
    reason: str

    def __post_init__(self) -> None:
        make_printable(self)


@dataclass(frozen=True)
class Registered:
    """An entry of the register, as far as a report shows it."""

    title: str
    component: str
    """What errs: `xtable`, `hudi`, or a reader's id."""
    owner: Owner
    """Whose bug it is."""
    common: Literal["everyday", "occasional", "rare"]
    """How common the condition is that leads to the finding."""
    cause: str = ""
    remedy: str = ""
    """What a user does today, or `none known`."""
    states: dict[str, Verdict | None] = field(default_factory=dict)
    """What it does in each release of the component and, where it was read, in `main`: the worst verdict, or null if
    it is not there. A release that is not named is one of which it is not known."""
    ran_on_main: bool = False
    """Whether `main` was run for it; else its code was read."""
    recovers: str = ""
    """What brings a table back that is hit, or "" if nothing is known to."""


@dataclass(frozen=True)
class KnownRelease:
    """A release that the register covers."""

    version: str
    day: str
    """That of its tag's commit, or of a release of Hudi, that on which its jar was built; as in ISO 8601."""


@dataclass(frozen=True)
class MainBranch:
    """The commit of a project's main branch that the register speaks of."""

    commit: str
    read: str
    """The day on which it was read, as in ISO 8601."""


@dataclass(frozen=True)
class Counts:
    """Number of claims per outcome."""

    held: Count
    finding: Count
    known: Count
    gone: Count
    inconclusive: Count
    not_applicable: Count
    error: Count


@dataclass(frozen=True)
class Summary:
    """Values derived from a document, which audit.json holds for users without this package."""

    __pydantic_config__ = STRICT

    verdict: RunVerdict
    counts: Counts
    answers: tuple[Answers, ...]
    """Readers' answers to the example queries of findings, worst first."""


@dataclass(frozen=True)
class Document:
    """A whole run and the values derived from it."""

    __pydantic_config__ = STRICT | {
        "title": "audit.json of the XTable conformance audit",
        "json_schema_extra": {"allOf": [{"properties": {"versions": {"required": ["suite"]}}}]},
    }

    run: RunFacts
    versions: dict[str, str]
    """Versions of the software used, by name."""
    translation: Translation
    steps: tuple[Step, ...]
    """Work done before the claims."""
    claims: tuple[ClaimResult, ...]
    selections: tuple[SelectionRow, ...] = ()
    tightness: tuple[TightnessRow, ...] = ()
    trials: tuple[TrialRow, ...] = ()
    """Each planner's results on each table's grid of predicates."""
    layers: tuple[LayerRow, ...] = ()
    """Hudi's data skipping on Hudi tables."""
    set_aside: tuple[SetAsideRow, ...] = ()
    """Parts of the tables that no claim judges, each with the reason."""
    sources: dict[str, str] = field(default_factory=dict)
    """The kind of source of each table, by the table's id: its format, and what a release must know to read it."""
    source_recorded_on: dict[str, str | None] = field(default_factory=dict)
    """The day of the recording that each source table built for the run is restored from, as in ISO 8601, by dataset;
    null for a source that Spark wrote, in this run or in an earlier one whose cache it uses."""
    translation_recorded_on: dict[str, str | None] = field(default_factory=dict)
    """In a live run, the day of the recording that each translation by XTable is taken from, since the source and
    XTable's classes are those of the recording by content, by dataset; null for what XTable synced. In a gate, FROM
    alone may have any."""
    register: dict[str, Registered] = field(default_factory=dict)
    """The register's entries, by id."""
    releases: dict[str, tuple[KnownRelease, ...]] = field(default_factory=dict)
    """The releases that the register covers, by component (`xtable`, `hudi`), oldest first."""
    main: MainBranch | None = None
    """That of XTable; null if the register does not speak of it."""
    hudi_main: MainBranch | None = None
    """That of Hudi; null likewise."""
    own_table: OwnTable | None = None
    """The user's own table that was checked; null for an audit of the suite's tables."""
    notes: tuple[str, ...] = ()
    """What a reader of the verdict must know about the run, a sentence each."""
    complete: bool = True
    """False if the run was cut short; its verdict is then ERROR or FINDINGS."""
    schema_version: Literal[18] = SCHEMA_VERSION

    def count(self, *outcomes: Outcome) -> int:
        return sum(self._by_outcome[outcome] for outcome in outcomes)

    @cached_property
    def _by_outcome(self) -> Counter[Outcome]:
        return Counter(result.outcome for result in self.claims)

    def title(self, finding: Finding) -> str:
        """The title of a registered finding's entry, or what the claim says where the document has no such entry."""
        entry = self.register.get(str(finding.registered))
        return entry.title if entry else f"fails: {finding.sentence}"

    @property
    def counts(self) -> Counts:
        return Counts(**{str(outcome): self.count(outcome) for outcome in Outcome})

    @property
    def verdict(self) -> RunVerdict:
        failing = self._counting
        if any(one.outcome is Outcome.FINDING for one in failing) or self.count(Outcome.GONE):
            return RunVerdict.FINDINGS
        if self.count(Outcome.ERROR) or not self.complete:
            return RunVerdict.ERROR
        if self.count(Outcome.INCONCLUSIVE) or self._unread_on_purpose or not self.count(Outcome.HELD, *FAILS):
            return RunVerdict.INCONCLUSIVE
        if failing:
            return RunVerdict.KNOWN_DEFECTS
        return RunVerdict.ADVICE if self.count(*FAILS) else RunVerdict.CONFORMANT

    @property
    def _counting(self) -> tuple[ClaimResult, ...]:
        """The claims that fail; on a user's own table without advice and what the user excuses."""
        failing = tuple(result for result in self.claims if result.finding)
        if self.own_table is None:
            return failing
        counted = self.failing_on
        return tuple(one for one in failing if one.finding in counted)

    @property
    def _unread_on_purpose(self) -> bool:
        """Whether what cannot be read neither counts nor was judged."""
        return any(result.finding and result.claim == READABLE for result in self.claims) and not self._counting

    @property
    def failing_on(self) -> tuple[Finding, ...]:
        """The findings, known or not, on which --fail-on lets the run fail; none that the user excuses."""
        bar = self.run.fail_on or (FAIL_ON if self.own_table else None)
        return tuple(one for one in self._not_excused if bar is not None and reaches(one.verdict, bar))

    @property
    def advice(self) -> tuple[Finding, ...]:
        """On a user's own table, the findings below --fail-on that the user does not excuse."""
        failing = self.failing_on
        return tuple(one for one in self._not_excused if one not in failing) if self.own_table else ()

    @property
    def excused(self) -> tuple[Finding, ...]:
        """On a user's own table, the findings that the user accepts or ignores."""
        counted = self._not_excused
        return tuple(one.finding for one in self.claims if one.finding and one.finding not in counted)

    @property
    def _not_excused(self) -> tuple[Finding, ...]:
        findings = (result.finding for result in self.claims if result.finding)
        return tuple(one for one in findings if self.own_table is None or not self.own_table.excuse(one))

    @property
    def exit_status(self) -> int:
        """The exit status of a complete run. One that was cut short has pytest's own."""
        if self.verdict in (RunVerdict.FINDINGS, RunVerdict.ERROR) or self.failing_on:
            return EXIT_FAILS
        return EXIT_INCONCLUSIVE if self.verdict is RunVerdict.INCONCLUSIVE else 0

    @property
    def answers(self) -> tuple[Answers, ...]:
        """Readers' answers to the findings' example queries, each once; those that most readers get wrong first."""
        reported = [result.finding.answers for result in self.claims if result.finding and result.finding.answers]
        once = {(one.table, one.predicate): one for one in reported}
        return tuple(sorted(once.values(), key=lambda one: one.wrong, reverse=True))

    @property
    def summary(self) -> Summary:
        return Summary(self.verdict, self.counts, self.answers)

    def to_json(self) -> str:
        from xtable_audit.report.document_json import write

        return write(self)

    @classmethod
    def from_json(cls, text: str) -> Document:
        """Reads the output of `to_json`. Raises UnreadableDocument for any other text."""
        from xtable_audit.report.document_json import read

        return read(text)

    @classmethod
    def load(cls, path: Path) -> Document:
        """Reads a document from a file. Raises UnreadableDocument, which names the file."""
        with of_file(path):
            return cls.from_json(path.read_text(encoding="utf-8"))
