"""Before the bytes of a file accuse a table they are read once more: the store, or the way to it, may be at fault.

Files that are gone accuse no table that has moved on: a compaction and an expiry beside the check remove them, and the
deletion vectors of others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.check.opened import OpenedFiles
from xtable_audit.check.values import Measured, ReadingPlan, read
from xtable_audit.locate.located import Located
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.wanted import DataFiles
from xtable_audit.scan.scanner import Scanner

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
