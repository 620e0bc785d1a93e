"""The values of data files: taken from an earlier run or read, and read once more before they accuse a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.check.kept_values import Kept, key_of
from xtable_audit.locate.locate import Located
from xtable_audit.model.finding import Impact
from xtable_audit.model.limits import OutOfTime
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.memory import bounded
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.scan_input import DataFiles, Wanted
from xtable_audit.scan import Scanner
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import ActualMetrics, merge

Progress = Callable[[int, int], None]
"""Told the files and the bytes that were read since the last time."""


@dataclass(frozen=True)
class ReadingPlan:
    """The files to be read, and those that an earlier run has read."""

    files: DataFiles
    wanted: Wanted
    kept: Kept | None = None
    keys: dict[str, str | None] = field(default_factory=dict)
    """Key in `kept` by the file's path."""

    @property
    def known(self) -> list[str]:
        """Paths of the files that were read before."""
        return [path for path, key in self.keys.items() if self.kept is not None and key in self.kept]

    @property
    def fresh(self) -> DataFiles:
        return self.files.without(self.known)


@dataclass(frozen=True)
class Measured:
    """`rows` are those of `xtable_audit.values.measured_rows`, for as many files as were read."""

    rows: pa.Table
    cut_short: bool = False
    """By an interrupt."""
    late: bool = False
    """By the end of the check's time."""


def look_up(scanner: Scanner, files: DataFiles, wanted: Wanted, kept: Kept | None) -> ReadingPlan:
    """Which of the files were read by an earlier run. Asks the store for size and time of each, not for data."""
    if kept is None:
        return ReadingPlan(files, wanted)
    found = scanner.look_up(files)
    attributes = zip(files, found["size"].to_pylist(), found["modified"].to_pylist(), strict=True)
    keys = {file.path: key_of(file, size, modified, files.mapping) for file, size, modified in attributes}
    return ReadingPlan(files, wanted, kept, keys)


def read(scanner: Scanner, reading: ReadingPlan, progress: Progress = lambda files, size: None) -> Measured:
    """The actual metrics of every file. An interrupt and the end of the check's time end it early, with the files that
    were read until then.
    """
    known = [str(key) for path in reading.known if (key := reading.keys[path])]
    parts = reading.kept.rows(known) if reading.kept is not None else []
    fresh, cut_short, late = reading.fresh, False, False
    with bounded():
        try:
            for some in scanner.batches(fresh):
                measured = scanner.measure(some, reading.wanted)
                parts.append(measured)
                if reading.kept is not None:
                    with suppress(OSError):  # a full or read-only disk: the next run reads them again
                        reading.kept.add(measured, reading.keys)
                progress(len(some), sum(size or 0 for size in measured["size"].to_pylist()))
        except KeyboardInterrupt:
            cut_short = True
        except OutOfTime:
            late = True
    if not parts:
        parts = [scanner.measure(DataFiles.at([]), reading.wanted)]
    if reading.kept is not None and not (cut_short or late):
        with suppress(OSError):
            reading.kept.keep_only(str(key) for key in reading.keys.values() if key is not None)
    return Measured(merge(parts), cut_short, late)


@dataclass(frozen=True)
class OpenedFiles:
    """`malformed` and `unread` have a sentence by the file's path; `case` has all files that were read."""

    case: Case
    malformed: Mapping[str, str]
    unread: Mapping[str, str]
    impact: Impact
    """That of the malformed files, with their rows as the metadata has them."""


def opened(id: str, stored: StoredMetrics, measured: Measured) -> OpenedFiles:
    """`stored` has the files that were to be read; after an interrupt, `measured` has fewer."""
    malformed, unread = (_reasons(measured, name) for name in ("malformed", "unread"))
    seen = set(measured.rows["path"].to_pylist()) - {*malformed, *unread}
    part = stored.only(np.array([path in seen for path in stored.paths], dtype=bool))
    healthy = pc.and_(*(pc.is_null(measured.rows[name]) for name in ("malformed", "unread")))
    actual = ActualMetrics.of(measured.rows.filter(healthy), part.paths)
    return OpenedFiles(
        Case(id, part, actual, UNKNOWN_SOURCE),
        malformed,
        unread,
        _impact(stored, [path in malformed for path in stored.paths]),
    )


def _reasons(measured: Measured, name: str) -> dict[str, str]:
    """A sentence by the path of each file that has such a reason."""
    reasons = zip(measured.rows["path"].to_pylist(), measured.rows[name].to_pylist(), strict=True)
    return {path: f"{path} {reason}" for path, reason in reasons if reason is not None}


def _impact(stored: StoredMetrics, bad: list[bool]) -> Impact:
    rows = np.asarray(stored.files["record_count"].fill_null(0))
    mask = np.array(bad, dtype=bool)
    return Impact(int(mask.sum()), len(mask), int(rows[mask].sum()), int(rows.sum()))


FEW = 16
"""Files that are read again at most: more of them were not changed on their way."""
MOST = 1 << 30
"""Bytes that are read again at most, of one file or several."""
DIFFERS = "was read twice, and was another each time: the store, or the way to it, changes bytes"


def doubted(
    located: Located,
    state: int | None,
    scanner: Scanner,
    reading: ReadingPlan,
    measured: Measured,
    found: OpenedFiles,
    accused: Collection[str],
) -> Mapping[str, str]:
    """Why files say nothing of the table, by path: those of the accused that are another when read again, and those
    that are gone from a table that has moved on.
    """
    doubts, missing = {}, {*found.case.without_object} & {*accused}
    bare = _without_vector(located.objects, reading.files.only(found.malformed))
    if missing or bare:
        why = located.target.check.moved_on(located.objects, located.metadata_location, state)
        doubts = dict.fromkeys(missing, why) | dict.fromkeys(bare, f"has a deletion vector that {why}") if why else {}
    again = [path for path in {*accused, *found.malformed} if path not in missing]
    return doubts | dict.fromkeys(_changed(scanner, reading, measured, again), DIFFERS)


def _without_vector(objects: Objects, files: DataFiles) -> list[str]:
    """Those of the files whose deletion vector lies in a file that is gone."""
    vectors = {file.path: file.vector for file in files if file.vector is not None and file.vector.inline is None}
    with suppress(Problem, Malformed):
        return [path for path, vector in vectors.items() if objects.size(vector.path) is None]
    return []


def _changed(scanner: Scanner, reading: ReadingPlan, measured: Measured, paths: Collection[str]) -> list[str]:
    """Those of the files that are measured otherwise now; none of too many, or too large ones."""
    if not 0 < len(paths) <= FEW:
        return []
    files = reading.files.only(sorted(paths))
    if sum(size or 0 for size in scanner.look_up(files)["size"].to_pylist()) > MOST:
        return []
    now, then = _by_path(read(scanner, ReadingPlan(files, reading.wanted)).rows), _by_path(measured.rows)
    return [path for path in paths if path in now and repr(now[path]) != repr(then.get(path))]


def _by_path(rows: pa.Table) -> dict[str, dict[str, object]]:
    return {row["path"]: row for row in rows.to_pylist()}


def without(measured: Measured, doubts: Mapping[str, str]) -> Measured:
    """The measured rows, in which the doubted files count as not read."""
    paths = measured.rows["path"]
    reasons = pa.array([doubts.get(path) for path in paths.to_pylist()], pa.string())
    rows = measured.rows
    for name, values in (("malformed", pa.nulls(len(reasons), pa.string())), ("unread", reasons)):
        place = rows.column_names.index(name)
        kept = pc.if_else(pc.is_valid(reasons), values, rows[name].cast(pa.string()))
        rows = rows.set_column(place, name, kept.cast(rows.schema.field(name).type))
    return Measured(rows, measured.cut_short, measured.late)
