"""The subject of claims: one table's stored metrics, its actual values, and its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.installed import read_stored, target_of
from xtable_audit.model.finding import Impact
from xtable_audit.model.objects import Objects
from xtable_audit.model.result import SetAside
from xtable_audit.model.sync import Sync
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.scan import LocalScanner, Scanner, actual_metrics, live_files
from xtable_audit.subject.table_rows import Rows, read_rows
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import ActualMetrics

if TYPE_CHECKING:
    from xtable_audit.subject.earlier_states import Earlier


@dataclass(frozen=True)
class Source:
    """The source table by its own format, independent of any translation."""

    partition_by: tuple[str, ...]
    """Columns of the identity partition spec that the translation is configured for."""
    separates: tuple[str, ...]
    """Columns whose value ranges do not overlap between files in a good layout."""
    base_files: Mapping[str, int]
    """The latest base files, full URI to size in bytes."""
    spec: str | None = ""
    """XTable's configured partition fields: `column:VALUE|YEAR|MONTH|DAY|HOUR[:format],…`; "" for none, None if it is
    not known."""
    shown: pa.Table | None = None
    """The rows that the source's own engine returns, with logs and deletes applied; None if not queried."""
    columns: tuple[str, ...] | None = None
    """Dotted paths of its columns, fields of structs too, as the source's own engine shows them; None if unknown."""
    beside: Mapping[str, str] | None = None
    """What the source keeps beside its data files, updates and deletes that a translation of the files alone lacks, in
    words by the file they concern; None if it is not known."""
    laid_out: bool = True
    """Whether it was written for each file to hold a range of values of its own."""
    known: bool = True
    """False if the source is unknown; claims about the source then do not apply."""
    untold: str = ""
    """Why a source that the user names is unknown all the same, in a clause."""
    untold_rows: str = ""
    """Why its rows are, in a clause."""


UNKNOWN_SOURCE = Source((), (), {}, known=False)
"""The source of a table that somebody else wrote."""


@dataclass(frozen=True)
class State:
    """The table and its source after one sync of the table's history."""

    sync: Sync
    after: str
    """What happened to the source since the previous sync, in words."""
    stored: StoredMetrics | None
    """Stored metrics of the newest metadata; None if there is none or it cannot be read."""
    base_files: Mapping[str, int]
    """The source's latest base files at that time, full URI to size in bytes."""
    rows: int | None
    """Rows that the source's own engine counted at that time; of MERGE_ON_READ in the read-optimized view."""
    columns: tuple[str, ...] | None = None
    """As `Source.columns`, at that time."""
    snapshot_rows: int | None = None
    """Rows that the snapshot view of a MERGE_ON_READ source showed at that time; None of every other source."""
    expired: bool = False
    """Whether a later sync removed its metadata or expired the state, whose files may then be deleted."""
    partition_by: tuple[str, ...] | None = None
    """As `Source.partition_by`, at that time; None if these are the same."""
    rolled_back: bool = False
    """Whether the source was rolled back since the previous sync, to a commit before it."""


class Part(Enum):
    """A part of a table that is read after its metadata."""

    VALUES = "values"
    """The data files: whether they exist, their schemas and values."""
    ROWS = "rows"
    """The rows of the table and of its source."""
    BESIDE = "beside"
    """Delete files, statistics files, and the snapshots of other branches and tags."""


Measure = Callable[[StoredMetrics], ActualMetrics]
"""The actual metrics of the live files. Raises Malformed."""


@dataclass(frozen=True)
class Case:
    """One table under audit."""

    id: str
    stored: StoredMetrics
    actual: ActualMetrics
    source: Source
    history: tuple[State, ...] = ()
    """The table after each sync, oldest first; empty for tables that are translated once. `stored` is the state after
    the last sync before `idle` and `full`, the state that users have."""
    rows: Rows | None = None
    """The rows of the table, to compare with `source.shown`; None if that is None or a file is set aside."""
    measure: Measure | None = field(default=None, repr=False, compare=False)
    """Measures the files of earlier states; None if they are not measured."""
    beside: object = None
    """What `TargetFormat.read_beside` reads, for the format's own claims; None for nothing."""
    metadata_only: bool = False
    """Whether nobody looks at the data files."""
    unread: frozenset[Part] = frozenset()
    """What is not read, or not yet. Claims that look at it wait; what stands in its place has no values."""

    @property
    def rules(self) -> TargetRules:
        return self.stored.native.rules

    @property
    def behind(self) -> bool:
        """Whether the table is known to be late: of its source's last state no sync came through, the full one aside,
        and the last one said so. A sync without new commits that fails after one that came through makes nothing late.
        """
        tried = [state.sync for state in self.history if state.sync.kind != "full"]
        of_last_state = [sync for sync in tried if sync.stage == tried[-1].stage]
        return bool(tried) and not tried[-1].silent and all(sync.failure is not None for sync in of_last_state)

    def written_anew_since(self, state: State) -> frozenset[str]:
        """The source's files that have another size today than after that sync: what they held then is not known.

        A folder of Parquet files may have such; a format with a log gives each file a name of its own.
        """
        today = self.source.base_files
        return frozenset(path for path, size in state.base_files.items() if today.get(path, size) != size)

    @property
    def removed(self) -> tuple[SetAside, ...]:
        """The states of its history that nobody can look at any more."""
        why = "a later sync removed that state of the table, as a policy of retention does"
        return tuple(
            SetAside(f"not judged after {one.after} ({one.sync.kind} sync): {why}", path=one.sync.metadata_location)
            for one in self.history
            if one.expired
        )

    @property
    def removed_states(self) -> str:
        """The same in one sentence; "" if there are none."""
        return str(self.removed[-1]) if self.removed else ""

    @cached_property
    def without_object(self) -> frozenset[str]:
        """Live files at whose address there is no object, by the latest look at the store; none where nobody looks."""
        if self.metadata_only:
            return frozenset()
        files = self.actual.files
        return frozenset(files.filter(pc.invert(files["exists"]))["path"].to_pylist())

    @cached_property
    def earlier(self) -> tuple[Earlier, ...]:
        """What earlier syncs left and the last state does not say."""
        from xtable_audit.subject.earlier_states import earlier_states  # late: it makes cases

        return tuple(earlier_states(self))

    def impact(self, places: set[int]) -> Impact:
        """The impact on these files (rows of the stored metrics), with the actual number of their rows; of a file that
        is not read, with the stored one.
        """
        counts = pc.coalesce(self.actual.files["record_count"], self.stored.files["record_count"])
        rows = [count or 0 for count in counts.to_pylist()]
        return Impact(len(places), len(rows), sum(rows[i] for i in places), sum(rows))


def read_case(
    objects: Objects,
    id: str,
    metadata_location: str,
    source: Source,
    history: tuple[State, ...] = (),
    scanner: Scanner | None = None,
) -> Case:
    """The case of the table at `metadata_location`. Raises Malformed."""
    return case_of(objects, id, read_stored(objects, metadata_location), source, history, scanner)


def case_of(
    objects: Objects,
    id: str,
    stored: StoredMetrics,
    source: Source,
    history: tuple[State, ...] = (),
    scanner: Scanner | None = None,
) -> Case:
    """The case for stored metrics that are already read. Raises Malformed.

    Reads the rows if the source's rows are known and no file is set aside.
    """
    measure = partial(actual_metrics, scanner or LocalScanner(objects))
    actual = measure(stored)
    rows = (
        None
        if source.shown is None or stored.files_set_aside
        else read_rows(objects, stored, live_files(objects, stored))
    )
    beside = target_of(stored.metadata_location).read_beside(objects, stored)
    return Case(id, stored, actual, source, history, rows, measure, beside)
