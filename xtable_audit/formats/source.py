"""What a source table is, whatever its format: its state at a sync, and the facts that decide which findings it meets.

A format gives these (`formats/<name>/state.py`, `facts.py`); what asks for them knows no format.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

import pyarrow as pa

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.figures import few, many
from xtable_audit.model.finding import Blame
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact
from xtable_audit.model.time_limits import T
from xtable_audit.table.synced import Synced

NO_CONFIG = "no configuration of XTable is given"
NAMED = 3
"""Examples that are named of what shows a fact."""


class Undetermined(Exception):
    """The source's log does not determine its state. The message is a clause that says why."""


class NotCompared(Undetermined):
    """The library that reads rows is not installed, or cannot read some files alone. It says nothing of the table."""


@dataclass(frozen=True)
class UpdatesBeside:
    """Updates and deletes that the source keeps in other files than the data file they concern."""

    where: str
    """`1 log file`, `its deletion vector`."""
    updates: int
    """Updates and inserts."""
    deletes: int
    wins: bool = True
    """Whether they take effect whatever the rows hold; False if the newest by a column of the rows does."""

    def __str__(self) -> str:
        counts = [many(self.updates, "update")] if self.updates else []
        counts += [many(self.deletes, "delete")] if self.deletes else []
        return f"{' and '.join(counts)} in {self.where}"


@dataclass(frozen=True)
class SourceState:
    """The source right after the commit that was translated last."""

    format: str
    """hudi, delta, parquet, paimon or iceberg."""
    at: str
    """The commit: Hudi's instant, or Delta's version."""
    newest: str
    """The source's newest commit."""
    later: int
    """Completed commits that are not translated."""
    files: Mapping[str, int | None]
    """Full address of each live data file -> its size in bytes; None if the source has deleted it since."""
    columns: tuple[str, ...]
    """Dotted paths, fields of structs too."""
    partition_by: tuple[str, ...]
    beside: Mapping[str, UpdatesBeside]
    """By the address of the data file; of log files without one, by that of the first of them."""
    outside: tuple[str, ...] = ()
    """Addresses that the log names and that are not below the source's folder."""
    spec: str | None = None
    """The partition spec that a translation must have, as XTable writes one, "" for the partition columns themselves;
    None if the source does not decide it."""
    spec_is_configured: bool = False
    """Whether XTable partitions by its configuration alone, which must name the partition columns."""


class FactAnswer(IntEnum):
    """Whether a fact holds. Of several facts that must hold the smallest counts, of several ways the largest."""

    NO = 0
    OPEN = 1
    """What was read does not decide it."""
    YES = 2


class Lacking(StrEnum):
    """What the user can give that decides an open fact."""

    FOOTERS = "footers"
    """Those of the live files that were not read."""
    CONFIGURATION = "configuration"
    """XTable's own, with the table's partitionSpec."""


@dataclass(frozen=True)
class ShownFact:
    """The answer to a fact about the table, and what shows it, in a few words."""

    answer: FactAnswer
    by: str = ""
    lacks: Lacking | None = None
    """Set if it is open for want of this, and for nothing else."""


@dataclass(frozen=True)
class SourceColumn:
    """A leaf column outside lists and maps."""

    path: str
    """Names joined by dots."""
    type: str
    """One of LEAF_TYPES."""
    places: frozenset[ColumnPlace]
    facts: Mapping[ColumnFact, FactAnswer] = field(default_factory=dict)
    """Facts that are not here do not hold."""
    indexed: FactAnswer = FactAnswer.NO
    """Whether Hudi's column stats index has it."""


@dataclass(frozen=True)
class SourceTable:
    """A source table as the register's conditions see it. `facts` that are not there do not hold."""

    format: str
    location: str
    version: str
    """For people."""
    versioned: str
    """What `version` is of: `Hudi table version`, `Delta protocol`."""
    columns: tuple[SourceColumn, ...]
    settings: Mapping[str, str]
    instants: Mapping[str, int]
    """Kind of completed instant to their number; empty for Delta."""
    facts: Mapping[TableFact, ShownFact]
    files: int
    """Live data files."""
    footers: int
    """Live data files whose footer was read."""
    refused: str = ""
    """Why no released XTable reads the table at all, in a sentence; else empty."""

    def shown(self, fact: TableFact) -> ShownFact:
        return self.facts.get(fact, ShownFact(FactAnswer.NO))


@dataclass(frozen=True)
class OwnStatistics:
    """The statistics that a source itself has of its files, from which XTable makes metrics."""

    blame: Blame
    """The path to the code that errs, where they have what is wrong too."""
    phrase: str
    """What they are, with its verb: `the statistics in the Delta log are`."""
    coarse: int = 0
    """Microseconds by which the upper bound of a timestamp may lie below the value that it stands for."""
    carried: bool = False
    """Whether the code that errs there is blamed only where the target has these very metrics."""


@dataclass(frozen=True)
class SourceFormat:
    """What reads a table of one format. `state` and `table` raise Problem for a folder that holds no such table, and
    Malformed for one whose log cannot be read."""

    state: Callable[[TableFolder, Synced, Collection[str]], SourceState]
    """After the commit that was translated last, by the paths of the translation's live files, below the table. Raises
    Undetermined for a state that the table's log does not determine."""
    table: Callable[[TableFolder, Configuration | None, int], SourceTable]
    """As it is now, with the footers of so many live files."""
    rows: Callable[[TableFolder, SourceState, str, Mapping[str, str], Collection[str] | None], pa.Table]
    """In that state, by a library that is given the table's address and its options for the store: all of them, or
    those of some files. Raises NotCompared, Undetermined, and whatever the library raises."""
    library: str
    commit: str
    """What the format calls a commit: instant, version."""
    keeps_beside: TableFact | None = None
    """What such a table keeps updates and deletes in, beside its data files."""
    statistics: OwnStatistics | None = None
    newest: Callable[[TableFolder], Synced] | None = None
    """The newest commit, of a format whose own writers export to other formats without a note of the commit."""


@dataclass(frozen=True)
class SourceLeaf:
    """A leaf column: its names from the top, those in the data files, its type, and whether it is of milliseconds."""

    names: tuple[str, ...]
    stored: tuple[str, ...]
    type: str
    millis: bool = False

    @property
    def path(self) -> str:
        return ".".join(self.names)

    @property
    def place(self) -> ColumnPlace:
        """Where it is in the schema; it may be a partition column too."""
        return ColumnPlace.STRUCT if len(self.names) > 1 else ColumnPlace.TOP


def dropped(schemas: Iterable[Iterable[SourceLeaf]]) -> list[str]:
    """Paths of leaves that are in one schema and not in the next, in the order of the schemas."""
    found: list[str] = []
    before: list[str] = []
    for schema in schemas:
        now = [leaf.path for leaf in schema]
        found += [path for path in before if path not in now]
        before = now
    return found


def yes_if(holds: bool, by: str = "") -> ShownFact:
    return ShownFact(FactAnswer.YES, by) if holds else ShownFact(FactAnswer.NO)


def open_if(undecided: bool, by: str, lacks: Lacking | None = None) -> ShownFact:
    return ShownFact(FactAnswer.OPEN, by, lacks) if undecided else ShownFact(FactAnswer.NO)


def open_without_configuration(undecided: Mapping[TableFact, bool]) -> Iterator[tuple[TableFact, ShownFact]]:
    for fact, is_open in undecided.items():
        yield fact, open_if(is_open, NO_CONFIG, Lacking.CONFIGURATION)


def some(found: Iterable[str], what: str = "") -> ShownFact:
    """Yes if there is any, with the first few."""
    named = list(dict.fromkeys(found))
    return yes_if(bool(named), f"{what}{few(named, NAMED)}")


def spread(files: Sequence[T], most: int) -> tuple[T, ...]:
    """All of them, or `most` of them at equal distances, the first and the last among them: the same each time."""
    if len(files) <= most:
        return tuple(files)
    if most < 2:
        return tuple(files[-most:]) if most else ()
    return tuple(files[round(place * (len(files) - 1) / (most - 1))] for place in range(most))


@contextmanager
def malformed_is_a_problem() -> Iterator[None]:
    """Raises a Problem for a malformed log: the user named this source, and can name another one."""
    try:
        yield
    except Malformed as error:
        raise Problem(str(error)) from error
