"""Which data files could be opened, and the case of those that could."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from xtable_audit.check.values import Measured
from xtable_audit.model.finding import Impact
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.actual_metrics import ActualMetrics


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
