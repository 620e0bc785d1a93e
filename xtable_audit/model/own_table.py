"""The part of audit.json that is about a table of the user's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from xtable_audit.model.figures import Count
from xtable_audit.model.file_ranges import FileRanges
from xtable_audit.model.finding import SEVERITY, Finding, Verdict
from xtable_audit.model.printable import make_printable
from xtable_audit.model.subject_id import ICEBERG

ENDED = "Ended on {until} and counts no more: {what} in the ignore file."


def entry_named(finding: str, claim: str, column: str) -> str:
    """A known finding by its id, or a claim, of a column or of all."""
    return finding or claim + (f" of {column}" if column else "")


State = Literal["matched", "unmatched", "not judged", "ended"]
"""What became of an entry of an ignore file."""
FAIL_ON = Verdict.UNREADABLE
"""A check of a user's own table fails on findings of this verdict or a worse one, unless `--fail-on` says otherwise."""


def reaches(verdict: Verdict, threshold: Verdict) -> bool:
    """Whether `verdict` is `threshold` or a worse one."""
    return SEVERITY.index(verdict) <= SEVERITY.index(threshold)


@dataclass(frozen=True)
class SourceFacts:
    """The source of the user's own table, as the user named it."""

    format: str
    """hudi, delta, …"""
    location: str
    untold: str = ""
    """Why its state is undetermined, in a clause; the claims that need it are then inconclusive."""
    at: str = ""
    """The commit that was translated last, Hudi's instant or Delta's version: the state the table is compared with."""
    newest: str = ""
    """The source's newest commit."""
    later: Count = 0
    """Completed commits that are not translated."""
    files: Count = 0
    """Live data files in that state."""
    rows: Count | None = None
    """Rows that were compared; null if none were."""

    def __post_init__(self) -> None:
        make_printable(self)


@dataclass(frozen=True)
class PredicateRow:
    """A predicate that the user gave, and the files that a reader plans for it."""

    predicate: str
    """As the user wrote it."""
    live: Count
    """Live data files."""
    planned: Count
    """Of these, those that the metadata keeps."""
    rows_planned: Count
    """Rows of the planned files, by the metadata."""
    read: Count | None = None
    """Live data files whose values were compared with the predicate; null if none were."""
    matching: Count | None = None
    """Of these, those that hold a matching row."""
    rows_matching: Count | None = None
    """Matching rows in these."""
    lost: Count | None = None
    """Of the matching files, those that the metadata does not keep: readers lose their rows."""
    rows_lost: Count | None = None
    ranges: FileRanges | None = None
    """Ranges of the predicate's column, file by file; null if it asks for no one range, or no value was compared."""
    advice: str = ""
    """What makes readers plan fewer files, with the statement, where exact bounds alone do not."""

    def __post_init__(self) -> None:
        make_printable(self)


@dataclass(frozen=True)
class Ignored:
    """An entry of the user's ignore file, and what became of it."""

    finding: str
    """A known finding's id; "" if the entry names a claim."""
    claim: str
    """A claim's id; "" if the entry names a finding."""
    column: str
    """The column that the claim is ignored of; "" for all."""
    reason: str
    until: str
    """The last day on which it counts, as in ISO 8601."""
    state: State
    """`not judged`: the check did not compare all that it is about. An entry that has ended no longer counts."""

    def __post_init__(self) -> None:
        make_printable(self)

    @property
    def what(self) -> str:
        return entry_named(self.finding, self.claim, self.column)


def ignores(entries: Iterable[Ignored], finding: Finding) -> str:
    """Why the finding is ignored, in a clause; "" if it is not. Entries for a claim's columns must name all of them."""
    counting = [one for one in entries if one.state == "matched"]
    whole = [one for one in counting if finding.registered and one.finding == finding.registered]
    whole += [one for one in counting if one.claim == finding.claim and not one.column]
    parts = [one for one in counting if one.claim == finding.claim and one.column in finding.columns]
    covered = {one.column for one in parts} == {*finding.columns}
    used = whole[:1] or (parts if covered else [])
    return "; ".join(dict.fromkeys(f"ignored until {one.until}: {one.reason}" for one in used))


@dataclass(frozen=True)
class OwnTable:
    """The table that `xtable-audit check` was given."""

    name: str
    location: str
    """As the user named it."""
    metadata_location: str
    snapshot: int | None
    """The id of the state that is judged, of the kind that `commit` names: Iceberg's snapshot, Delta's version. Null if
    the table has none."""
    format_version: Count
    writer: str
    """Who wrote it, in words; "" if the metadata does not tell."""
    files: Count
    """Live data files."""
    bytes: Count
    """Their size, by the metadata."""
    columns: Count
    """Columns with values, those of structs included."""
    read: Count | None
    """Files whose values were compared, in this run or an earlier one; null if the run was of metadata only."""
    drawn: Count | None = None
    """Files that were drawn at random, if not all were read; the others of `read` were chosen."""
    only_columns: tuple[str, ...] = ()
    """The columns whose values were compared; empty for all."""
    rows: Count = 0
    """Rows of the live data files, by the metadata."""
    rows_read: Count | None = None
    """Rows of the files whose values were compared."""
    bytes_read: Count | None = None
    """Size of these files, by the metadata."""
    left_out: tuple[str, ...] = ()
    """What no claim compared, and why, in a clause each."""
    accepted: tuple[str, ...] = ()
    """Ids of known findings that the user accepts."""
    ignored: tuple[Ignored, ...] = ()
    """The entries of the user's ignore file."""
    candidates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids of known findings that an unknown one may be, by its claim."""
    source: SourceFacts | None = None
    """The source that the user named; null if none."""
    predicates: tuple[PredicateRow, ...] = ()
    """The predicates that the user gave."""
    format: str = ICEBERG
    """The format of its metadata: `iceberg`, `delta`."""
    commit: str = "snapshot"
    """What the format calls the state that is judged: `snapshot`, `version`."""

    def __post_init__(self) -> None:
        make_printable(self)

    @property
    def state(self) -> str:
        """The state that is judged, in two words."""
        return f"no {self.commit}" if self.snapshot is None else f"{self.commit} {self.snapshot}"

    def excuse(self, finding: Finding) -> str:
        """Why the finding does not count, in a clause; "" if it does."""
        return "accepted" if finding.registered in self.accepted else ignores(self.ignored, finding)
