"""Reads the values of data files: those that an earlier run measured are taken from there, the others are read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa

from xtable_audit.check.kept import Kept, key_of
from xtable_audit.check.memory import bounded
from xtable_audit.model.interruption import OutOfTime
from xtable_audit.model.wanted import DataFiles, Wanted
from xtable_audit.scan.scanner import Scanner
from xtable_audit.values.measured_rows import merge

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
