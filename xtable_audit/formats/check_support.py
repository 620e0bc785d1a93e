"""What `check` needs of a table's format beside the stored metrics: who wrote the table, and what mends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa

from xtable_audit.model.columns import Leaf, LiteralKind, kind_by_arrow
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.scalars import Mask
from xtable_audit.table.optional_metrics import MetricsMode
from xtable_audit.table.stored_metrics import Native, StoredMetrics
from xtable_audit.table.synced import PROPERTY, Synced

if TYPE_CHECKING:
    from xtable_audit.claims.deviation import Deviation, TableClaim


@dataclass(frozen=True)
class Chosen:
    """At most one field is set; none is for the current state."""

    snapshot: int | None = None
    """The id of a snapshot, or what the format has instead: Delta's version."""
    as_of: datetime | None = None
    reference: str | None = None
    """A branch or a tag."""


XTABLE = "XTable"


@dataclass(frozen=True)
class MetadataWriter:
    """`name` is that of a translator or an engine; "" if nothing tells."""

    name: str = ""
    version: str = ""
    """As far as it is known: `0.2.0 or 0.3.0`, `0.4.0 or later`."""
    releases: tuple[str, ...] = ()
    """Releases of XTable that may have written it; empty if any may have, or XTable has not."""
    source: str = ""
    """The format that XTable translated: `hudi`, `delta`; "" if it is not known."""
    because: str = ""
    """What names it, or that nothing does, in a clause."""
    by: str = ""
    """The library that it wrote with, where it has several; "" if it has one."""

    @property
    def is_xtable(self) -> bool:
        return self.name == XTABLE

    @property
    def words(self) -> str:
        return f"{self.name} {self.version}".strip() + (f" ({self.by})" if self.by else "")

    @property
    def versions(self) -> dict[str, str]:
        """Name to version, as far as it is known."""
        return {self.name.lower(): self.version} if self.name and self.version else {}

    @property
    def ruling(self) -> tuple[Blame, str]:
        """Whose fault a finding is, and why."""
        if self.is_xtable:
            return Blame.XTABLE, self.because
        if not self.name:
            return Blame.writer("unknown"), self.because or "nothing in the metadata says what wrote it"
        return Blame.writer(self.name), self.because


Mended = Callable[[pa.Table, str], pa.Table]
"""A table with what is true of each file in the place of what it says, by the name of its column of paths."""


@dataclass(frozen=True)
class Authors:
    """What the commits that added some files say of who wrote them."""

    names: frozenset[str] = frozenset()
    """"" stands for a commit that does not say it."""
    record: str = "field"
    records: str = "fields"
    """Where a commit says it, in the words of the format: `summary`, `summaries`."""
    commits: str = "the table's metadata"
    """`the snapshots that added these files`."""


@dataclass(frozen=True)
class Remedy:
    """`statement` has the places that `Advice.names` fills, {where} and {reference}; without one the words are all."""

    words: str
    language: str
    statement: str
    claims: tuple[TableClaim, ...]
    serves: Callable[[StoredMetrics, Finding], bool] = lambda stored, finding: True
    """Whether it mends this finding on this table."""
    repeats: str = ""
    """The engine that says of the files what is wrong: of files that it wrote itself it may say the same again."""
    rewrites: bool = False
    """Whether its statement writes data files anew."""


@dataclass(frozen=True)
class FilledRemedy:
    """A remedy for one finding on one table."""

    remedy: Remedy
    statement: str
    """With its places filled; "" if the words are all."""
    besides: str = ""
    """What else the statement does to this table, or leaves, in clauses that each begin with a semicolon."""

    def __str__(self) -> str:
        words, language = f"{self.remedy.words}{self.besides}", self.remedy.language
        return f"{words} ({language}): {self.statement}" if self.statement else words


def filled(
    remedy: Remedy, finding: Finding, stored: StoredMetrics, deviations: Sequence[Deviation], names: Mapping[str, str]
) -> FilledRemedy:
    """The remedy with its statement for the table that these names are of."""
    del finding, stored, deviations
    return FilledRemedy(remedy, remedy.statement.format(**names))


FilledRemedies = Mapping[str, Sequence[FilledRemedy]]
"""By claim, what its finding's advice begins with."""


def as_found(results: Sequence[ClaimResult], ways: FilledRemedies) -> tuple[ClaimResult, ...]:
    """The results, whose advice does not depend on other findings."""
    del ways
    return tuple(results)


@dataclass(frozen=True)
class Advice:
    """What mends a table of the format, and what helps until it is mended, with the statements that do."""

    remedies: tuple[Remedy, ...] = ()
    names: Callable[[str, str], Mapping[str, str]] = lambda location, name: {"location": location, "name": name}
    """What statements name the table by: values of their places, by the location that the user gave and the name."""
    fill: Callable[[Remedy, Finding, StoredMetrics, Sequence[Deviation], Mapping[str, str]], FilledRemedy] = filled
    """The remedy for these deviations."""
    finish: Callable[[Sequence[ClaimResult], FilledRemedies], tuple[ClaimResult, ...]] = as_found
    """The results, in which advice says also what another finding asks for."""
    sort: str = ""
    """The statement that sorts, with places for `names`, {column} and {size}; "" if none is known."""
    sort_by: str = ""
    """Who sorts: `Have Spark sort the rows, into files as large as today's (Spark SQL)`."""
    unreadable: Callable[[Malformed, str], Sequence[str]] = lambda error, location: ()
    """What mends metadata that cannot be read, and what is judged without, for the location that the user gave."""
    stopgaps: Mapping[str, str] = field(default_factory=dict)
    """Reader -> how it is made not to skip files by a column, with the place {quoted} for the column's name."""

    def serving(self, finding: Finding, stored: StoredMetrics) -> tuple[Remedy, ...]:
        """The remedies for this finding on this table. What XTable wrote has none: its next sync writes it again."""
        if finding.blame.is_xtables:
            return ()
        return tuple(
            remedy
            for remedy in self.remedies
            if any(one.id == finding.claim for one in remedy.claims)
            and remedy.serves(stored, finding)
            and finding.blame != f"writer {remedy.repeats}"
        )


NO_ADVICE = Advice()


@dataclass(frozen=True)
class Root:
    """A claim, and what readers that rely on it do where it fails."""

    claim: TableClaim
    effect: str


@dataclass(frozen=True)
class CheckSupport:
    """What a format gives to `check`: its claims, and whatever else a table of it has more than the simplest.

    Functions of stored metrics are given those that the format itself read.
    """

    claims: Mapping[str, TableClaim]
    """The claims about tables of the format, by id, in the order in which they are judged: `claims_of(format)`."""
    libraries: tuple[str, ...] = ("pyarrow",)
    """Libraries that read the table, whose versions a report names."""
    read: Callable[[Objects, str, Chosen], StoredMetrics] | None = None
    """The stored metrics of the chosen state of the table at a metadata location. Raises Malformed, and Problem if
    there is no such state. None if the newest state alone can be read."""
    expected: str = "a file that is what the metadata says it is"
    """What metadata is that can be read."""
    format_version: Callable[[StoredMetrics], int] = lambda stored: 1
    writer: Callable[[StoredMetrics], MetadataWriter] = lambda stored: MetadataWriter()
    """Who wrote the judged state, or translated the table."""
    authors: Callable[[StoredMetrics, frozenset[str]], Authors] = lambda stored, paths: Authors()
    """Who added the files with these paths; of none, who wrote the table's commits."""
    unknown: MetadataWriter = field(default_factory=MetadataWriter)
    """What nothing names, as metadata that cannot be read."""
    tells_translator: bool = False
    """Whether each commit tells whether XTable made it: a table that XTable translated may then have files of another
    writer, and one that does not say so has no source."""
    synced: Callable[[StoredMetrics], Synced | None] = lambda stored: stored.native.last_synced
    """The commit of the source that XTable translated last; None if the table does not say it."""
    says_no_sync: str = f"the table has no {PROPERTY}, in which XTable says up to where it synced"
    """That nothing is where `synced` looks, in a clause."""
    since: Callable[[Objects, StoredMetrics, int], Mask] | None = None
    """Marks the files that the older state with that id did not have. Raises Malformed, and Problem if there is none.
    None if the newest state alone can be read."""
    moved_on: Callable[[Objects, str, int | None], str] = lambda objects, metadata_location, state: ""
    """Why a file that is not there accuses no table, in a clause that begins after its address: a later state of the
    table no longer has the state with that id, by default the one at the metadata location. "" if none is found."""
    has_more: Callable[[StoredMetrics], bool] = lambda stored: bool(stored.deletions.files)
    """Whether there is more to read than metadata and data files, such as delete files and other branches."""
    modes: Callable[[StoredMetrics], Mapping[str, MetricsMode]] = lambda stored: {}
    """By path, the columns of which the table asks its writers to store less than all metrics."""
    source_types: Callable[[Leaf], Sequence[str]] = lambda leaf: (str(leaf.type),)
    """The names that sources have for a column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    literal_kind: Callable[[Leaf], LiteralKind | None] = lambda leaf: kind_by_arrow(leaf.arrow)
    """What a literal must be to be compared with the column."""
    sums: tuple[TableClaim, ...] = ()
    """Claims about what the metadata adds up of its own entries."""
    resolves: tuple[Root, ...] = ()
    """Claims whose failure makes readers find another column in the files than metrics were taken of: why a claim on
    values or rows may fail."""
    plans: tuple[Root, ...] = ()
    """Claims whose failure makes one planner drop a file that the metadata keeps."""
    mended: Callable[[Native, Mended], Native] = lambda native, mended: native
    """The table with what is true of each data file in its own entries, which `sums` look at."""
    families: Mapping[str, str] = field(
        default_factory=lambda: {"partition": "partition values", "layout": "the order of files"}
    )
    """Families of claims, in the words of what they are about, that a healthy table may have nothing for."""
    advice: Advice = NO_ADVICE


def in_iso(milliseconds: int) -> str:
    """A time since the epoch, in ISO 8601."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")
