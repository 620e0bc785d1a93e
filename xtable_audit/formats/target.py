"""What a target format is: how its metadata is found and read, and how its planners differ from the judge's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.check_support import CheckSupport, Chosen
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import And, Compare, In, Or, Predicate, columns_of
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class Trap:
    """A known difference of a planner that does not concern the metadata."""

    words: str
    applies: Callable[[StoredMetrics, Predicate], bool]
    loses: bool = False
    """Whether it may make the planner drop a matching file; otherwise it only keeps more files."""


def at_zero(stored: StoredMetrics, predicate: Predicate) -> bool:
    """A zero literal on a float or double column, and a zero among the bounds."""
    floating = {column for column in columns_of(predicate) if pa.types.is_floating(type_of(stored, column))}
    bounds_of_columns = (stored.columns[column][side] for column in floating for side in ("lower", "upper"))
    bounds = any(pc.any(pc.equal(bound, pa.scalar(0.0, bound.type))).as_py() for bound in bounds_of_columns)
    return bounds and any(column in floating and value == 0 for column, value in operands(predicate))


def type_of(stored: StoredMetrics, column: str) -> pa.DataType:
    return stored.columns[column]["lower"].type


def operands(predicate: Predicate) -> Iterator[tuple[str, Any]]:
    """Each literal with the column it is compared with."""
    match predicate:
        case And(left, right) | Or(left, right):
            yield from operands(left)
            yield from operands(right)
        case Compare(column, _, value):
            yield column, value
        case In(column, values):
            yield from ((column, value) for value in values)


@dataclass(frozen=True)
class Dropped:
    """How a user drops a table's metadata, so that the next sync writes all of it anew."""

    metadata: str
    """What it is called: `Iceberg metadata`, `Delta log`."""
    how: str
    """What to delete, in a sentence."""
    lost: str
    """What is lost with it, in a sentence."""


NAMELESS = Dropped("metadata", "Delete the table's metadata, and nothing else.", "Its older states are lost.")
"""Of a format that says nothing of it."""


@dataclass(frozen=True)
class TargetFormat:
    """A format in which a translator or another writer leaves a table's metadata."""

    name: str
    """iceberg, delta: as in ids, options and documents."""
    title: str
    """Iceberg, Delta: as in sentences."""
    commit: str
    """What the format calls a state of the table: snapshot, version."""
    reads: Callable[[str], bool]
    """Whether a metadata location is one of this format, by its address alone."""
    read: Callable[[Objects, str], StoredMetrics]
    """The stored metrics of the table at a metadata location. Raises Malformed."""
    find: Callable[[Objects, str], tuple[str, tuple[str, ...]]]
    """The metadata location of the newest state of the table in a folder, and notes on how it was chosen. Raises
    Problem if the folder holds no table of this format, Unreachable."""
    supports_check: str
    """`module:NAME` of the format's CheckSupport."""
    folder: str = ""
    """The folder in a table's own that holds its metadata: `_delta_log`; "" for the table's own."""
    only_if_named: bool = False
    """Whether a folder is taken for a table of this format only where a user names the format: `hudi:LOCATION`."""
    read_beside: Callable[[Objects, StoredMetrics], object] = lambda objects, stored: None
    """What the table has beside its data files, for the format's own claims (`Case.beside`). Raises Malformed."""
    is_expired: Callable[[Objects, str, str], bool] = lambda objects, newest, location: False
    """Whether the newest metadata, at the first location, no longer has the state that a sync left at the second."""
    as_planned: Callable[[Objects, StoredMetrics], str | None] = lambda objects, stored: None
    """A digest of all that planners read of the table, the same of two syncs that say the same; None if its bytes
    decide."""
    dropped: Dropped = NAMELESS
    rules: TargetRules = field(default_factory=lambda: TargetRules(""))
    """What its tables have as theirs; by default what the claims themselves say."""
    planners: Mapping[str, tuple[Trap, ...]] = field(default_factory=dict)
    """The planners of the format's readers, by name: how each is known to differ from the judge's own."""

    def is_at(self, objects: Objects, root: str) -> bool:
        """Whether the folder holds a table of this format. Raises Unreachable."""
        try:
            self.find(objects, root)
        except Unreachable:
            raise
        except Problem:
            return False
        return True

    def is_begun(self, objects: Objects, root: str) -> bool:
        """Whether the folder holds what would hold the metadata of a table of this format. Raises Unreachable."""
        table = root.rstrip("/").removesuffix(f"/{self.folder}")
        return bool(self.folder) and TableFolder(table, objects).exists(self.folder)

    def read_chosen(self, objects: Objects, metadata_location: str, chosen: Chosen) -> StoredMetrics:
        """The stored metrics of the chosen state. Raises Malformed, and Problem if there is none."""
        if self.check.read is not None:
            return self.check.read(objects, metadata_location, chosen)
        if chosen != Chosen():
            options = "--snapshot, --as-of, --branch"
            raise Problem(f"{options}: the newest {self.commit} alone of a {self.title} table can be read")
        return self.read(objects, metadata_location)

    @property
    def drop(self) -> str:
        """What lets a sync write all metadata anew, as advice says it."""
        return f"drop the {self.title} metadata"

    @property
    def check(self) -> CheckSupport:
        """Loaded by name when it is used: it knows claims, and claims read tables by their format."""
        return cast(CheckSupport, resolve_name(self.supports_check))
