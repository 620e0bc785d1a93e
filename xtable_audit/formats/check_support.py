"""What `check` needs of a table's format, beside the stored metrics that claims see.

Each format has one `CheckSupport` (`formats/<name>/check/support.py`), which `TargetFormat.check` loads when it is
first used: it knows claims, and claims read tables by their format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from xtable_audit.formats.chosen import Chosen
from xtable_audit.formats.writer import Writer
from xtable_audit.model.columns import Leaf
from xtable_audit.model.finding import Finding
from xtable_audit.model.literal_kind import LiteralKind
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.result import ClaimResult
from xtable_audit.table.metrics_mode import MetricsMode
from xtable_audit.table.stored_metrics import Mask, Native, StoredMetrics
from xtable_audit.table.synced import Synced

if TYPE_CHECKING:
    from xtable_audit.claims.deviation import Deviation, TableClaim

Mended = Callable[[pa.Table, str], pa.Table]
"""A table with what is true of each file in the place of what it says, by the name of its column of paths."""


@dataclass(frozen=True)
class Authors:
    """What the commits that added some files say of who wrote them."""

    names: frozenset[str]
    """"" stands for a commit that does not say it."""
    record: str
    records: str
    """Where a commit says it, in the words of the format: `summary`, `summaries`."""
    commits: str
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


@dataclass(frozen=True)
class Advice:
    """What mends a table of the format, and what helps until it is mended, with the statements that do."""

    remedies: tuple[Remedy, ...]
    rewrite: str
    """What stands in every statement that writes data files anew."""
    names: Callable[[str, str], Mapping[str, str]]
    """What statements name the table by: values of their places, by the location that the user gave and the name."""
    fill: Callable[[Remedy, Finding, StoredMetrics, Sequence[Deviation], Mapping[str, str]], str]
    """The remedy for these deviations: its words, language and statement."""
    finish: Callable[[Sequence[ClaimResult]], tuple[ClaimResult, ...]]
    """The results, in which advice says also what another finding asks for."""
    sort: str
    """The statement that sorts, with places for `names`, {column} and {size}."""
    sort_by: str
    """Who sorts: `Have Spark sort the rows, into files as large as today's (Spark SQL)`."""
    unreadable: Callable[[Malformed, str], Sequence[str]]
    """What mends metadata that cannot be read, and what is judged without, for the location that the user gave."""
    stopgaps: Mapping[str, str]
    """Reader -> how it is made not to skip files by a column, with the place {quoted} for the column's name."""


@dataclass(frozen=True)
class CheckSupport:
    """What a format gives to `check`. Functions of stored metrics are given those that the format itself read."""

    claims: Mapping[str, TableClaim]
    """The claims about tables of the format, by id, in the order in which they are judged."""
    libraries: tuple[str, ...]
    """Libraries that read the table, whose versions a report names."""
    read: Callable[[Objects, str, Chosen], StoredMetrics]
    """The stored metrics of the chosen state of the table at a metadata location. Raises Malformed, and Problem if
    there is no such state."""
    expected: str
    """What metadata is that can be read."""
    state: Callable[[StoredMetrics], int | None]
    """The id of the judged state: a snapshot's, or Delta's version; None if there is none."""
    format_version: Callable[[StoredMetrics], int]
    writer: Callable[[StoredMetrics], Writer]
    """Who wrote the judged state, or translated the table."""
    authors: Callable[[StoredMetrics, frozenset[str]], Authors]
    """Who added the files with these paths; of none, who wrote the table's commits."""
    unknown: Writer
    """What nothing names, as metadata that cannot be read."""
    tells_translator: bool
    """Whether each commit tells whether XTable made it: a table that XTable translated may then have files of another
    writer, and one that does not say so has no source."""
    synced: Callable[[StoredMetrics], Synced | None]
    """The commit of the source that XTable translated last; None if the table does not say it."""
    says_no_sync: str
    """That nothing is where `synced` looks, in a clause."""
    since: Callable[[Objects, StoredMetrics, int], Mask]
    """Marks the files that the older state with that id did not have. Raises Malformed, and Problem if there is none.
    """
    moved_on: Callable[[Objects, str, int | None], str]
    """Why a file that is not there accuses no table, in a clause that begins after its address: a later state of the
    table no longer has the state with that id, by default the one at the metadata location. "" if none is found."""
    has_more: Callable[[StoredMetrics], bool]
    """Whether there is more to read than metadata and data files, such as delete files and other branches."""
    modes: Callable[[StoredMetrics], Mapping[str, MetricsMode]]
    """By path, the columns of which the table asks its writers to store less than all metrics."""
    source_types: Callable[[Leaf], Sequence[str]]
    """The names that sources have for a column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    literal_kind: Callable[[Leaf], LiteralKind | None]
    """What a literal must be to be compared with the column."""
    sums: tuple[TableClaim, ...]
    """Claims about what the metadata adds up of its own entries."""
    resolves: tuple[TableClaim, ...]
    """Claims whose failure makes readers find another column in the files than metrics were taken of."""
    live: Callable[[Native], int]
    """Number of live data files of the table, of which stored metrics may have some."""
    mended: Callable[[Native, Mended], Native]
    """The table with what is true of each data file in its own entries."""
    families: Mapping[str, str]
    """Families of claims, in the words of what they are about, that a healthy table may have nothing for."""
    advice: Advice
