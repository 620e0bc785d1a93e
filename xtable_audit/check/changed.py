"""The data files that a table has and an older state of it had not: what a nightly check has to read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.figures import many
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class Changed:
    """Places of files in the stored metrics, in their order."""

    places: tuple[int, ...]
    files: int
    """Number of files in the table."""
    since: str
    """The older state, in words: `snapshot 1961614613955196769`."""

    def __str__(self) -> str:
        read = f"Values of {len(self.places):,} of {many(self.files, 'file')} are compared"
        return f"{read}: those that {self.since} did not have. They say nothing about the others."


def changed(target: TargetFormat, objects: Objects, stored: StoredMetrics, since: int) -> Changed:
    """Raises Problem for an unknown state, and Malformed."""
    if target.check.since is None:
        raise Problem(f"--since: the newest {target.commit} alone of a {target.title} table can be read")
    new = target.check.since(objects, stored, since)
    return Changed(tuple(np.flatnonzero(new).tolist()), len(new), f"{target.commit} {since}")
