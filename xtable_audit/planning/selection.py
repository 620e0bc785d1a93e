"""Live, planned and matching files of one table under a predicate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.judge_planner import JudgePlanner
from xtable_audit.scan.local import LocalScanner
from xtable_audit.scan.questions import live_files, matching_rows
from xtable_audit.scan.scanner import Scanner
from xtable_audit.subject.case import Case


@dataclass(frozen=True)
class Selection:
    """The data files of one table under one predicate. `live` ⊇ `planned` ⊇ `matching` if the metadata is sound."""

    table: str
    predicate: str
    live: frozenset[str]
    planned: frozenset[str]
    matching: frozenset[str]
    rows_to_scan: int
    """Rows of the planned files."""
    rows_returned: int
    """Rows that match by the actual values."""
    rows_total: int

    @property
    def counts(self) -> tuple[int, int, int]:
        return len(self.live), len(self.planned), len(self.matching)


def judge_selections(
    objects: Objects, case: Case, predicates: Sequence[Predicate], scanner: Scanner | None = None
) -> list[Selection]:
    """For each predicate, the files that a reader plans by the metadata, and the files that match."""
    planner, paths = JudgePlanner(case.stored), case.stored.paths
    rows = {path: rows or 0 for path, rows in zip(paths, case.actual.files["record_count"].to_pylist(), strict=True)}
    counted = matching_rows(scanner or LocalScanner(objects), live_files(objects, case.stored), case.stored, predicates)
    selections = []
    for predicate, matches in zip(predicates, counted, strict=True):
        planned = frozenset(paths[place] for place in np.flatnonzero(planner.select(predicate)))
        selections.append(_selection(case.id, predicate, rows, planned, matches))
    return selections


def _selection(
    table: str, predicate: Predicate, rows: Mapping[str, int], planned: frozenset[str], matches: Mapping[str, int]
) -> Selection:
    return Selection(
        table=table,
        predicate=str(predicate),
        live=frozenset(rows),
        planned=planned,
        matching=frozenset(path for path, count in matches.items() if count),
        rows_to_scan=sum(rows[path] for path in planned),
        rows_returned=sum(matches.values()),
        rows_total=sum(rows.values()),
    )
