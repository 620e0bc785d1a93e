"""What Delta's log says of one column in each live file, typed by the schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from xtable_audit.formats.delta.actions import AddAction
from xtable_audit.formats.delta.schema import DeltaColumn
from xtable_audit.formats.delta.statistics import FileStatistics, as_count, at, quoted
from xtable_audit.formats.delta.table import LogFault
from xtable_audit.formats.delta.types import BINARY, UNORDERED, NoValue, array_of, in_statistics
from xtable_audit.table.latitude import Latitude


def statistics_of(path: str, add: AddAction) -> tuple[FileStatistics | None, LogFault | None]:
    try:
        return add.statistics, None
    except ValueError as error:
        saw = f"statistics {quoted(add.stats or '')} of {add.name.rpartition('/')[2]}: {error}"
        return None, LogFault(path, saw, "statistics as Delta writes them, in JSON")


def faults_of_counts(
    column: DeltaColumn, paths: Sequence[str], statistics: Sequence[FileStatistics | None]
) -> Iterator[LogFault]:
    """Null counts of lists and maps that are none."""
    for path, one in zip(paths, statistics, strict=True):
        if one is not None:
            fault = _fault_of_count(path, column, at(one.nulls, column.stored))
            if fault is not None:
                yield fault


def _fault_of_count(path: str, column: DeltaColumn, logged: Any) -> LogFault | None:
    if logged is None or as_count(logged) is not None:
        return None
    return LogFault(
        path, f"nullCount {quoted(logged)}", f"a number, as {column.path} is of type {column.type}", column.path
    )


class TypedColumn:
    """The stored metrics of one column, taken file by file."""

    def __init__(self, column: DeltaColumn, arrow: pa.DataType) -> None:
        self.column, self.arrow = column, arrow
        self.values: dict[str, list[Any]] = {name: [] for name in ("lower", "upper", "value_count", "null_count")}
        self.why: list[str | None] = []
        self.faults: list[LogFault] = []
        self.wide: list[bool] = []
        self.vague = 0
        """Files whose null count says nothing: of wide statistics, one that is neither none nor all."""

    def take(self, path: str, statistics: FileStatistics | None) -> None:
        """A file's statistics; None if it has none."""
        self.why.append(None)
        rows = as_count(statistics.rows) if statistics is not None else None
        nulls = None
        bounds: list[Any] = [None, None]
        if statistics is not None:
            nulls = self._nulls(path, statistics, rows)
            if self.column.type not in UNORDERED:
                bounds = [self._bound(at(side, self.column.stored)) for side in (statistics.lower, statistics.upper)]
        for name, value in zip(self.values, (*bounds, rows, nulls), strict=True):
            self.values[name].append(value)
        self.wide.append(statistics is not None and not statistics.tight)

    def _nulls(self, path: str, statistics: FileStatistics, rows: int | None) -> int | None:
        """Of wide statistics only all and none count (Delta protocol, Per-file Statistics, nullCount)."""
        logged = at(statistics.nulls, self.column.stored)
        fault = _fault_of_count(path, self.column, logged)
        if fault is not None:
            self.faults.append(fault)
            return None
        nulls = as_count(logged)
        if statistics.tight or nulls in (None, 0, rows):
            return nulls
        self.vague += 1
        return None

    def _bound(self, logged: Any) -> Any:
        if logged is None:
            return None
        try:
            return in_statistics(logged, self.arrow)
        except NoValue:
            self.why[-1] = f"{quoted(logged)} is no value of type {self.column.type}"
            return None

    @property
    def table(self) -> pa.Table:
        arrays = {name: array_of(self.values[name], self.arrow) for name in ("lower", "upper")}
        arrays |= {name: pa.array(self.values[name], pa.int64()) for name in ("value_count", "null_count")}
        return pa.table(arrays | {"nan_count": pa.nulls(len(self.why), pa.int64())})

    @property
    def undecodable(self) -> pa.Array:
        return pa.array(self.why, pa.string())


@dataclass
class Marks:
    """What the log may leave out, by column."""

    bounds: dict[str, pa.Array] = field(default_factory=dict)
    counts: dict[str, pa.Array] = field(default_factory=dict)
    wide: dict[str, pa.Array] = field(default_factory=dict)

    def add(self, path: str, typed: TypedColumn, *, everywhere: bool, kind: str) -> None:
        if everywhere or kind in UNORDERED:
            self.bounds[path] = pa.array([True] * len(typed.wide), pa.bool_())
        empty = [rows == 0 for rows in typed.values["value_count"]]
        uncounted = [everywhere or wide or none or kind == BINARY for wide, none in zip(typed.wide, empty, strict=True)]
        if any(uncounted):
            self.counts[path] = pa.array(uncounted)
        if any(typed.wide):
            self.wide[path] = pa.array(typed.wide)

    @property
    def latitude(self) -> Latitude:
        return Latitude(self.bounds, self.counts, self.wide)
