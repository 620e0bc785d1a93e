"""Listed, selected, needed: what a predicate costs on one table, by metadata and by values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.judge_planner import select
from xtable_audit.subject.case import Case
from xtable_audit.values.matching_rows import count_matches


@dataclass(frozen=True)
class Selection:
    """The data files of one table under one predicate. `listed` ⊇ `selected` ⊇ `needed` where the metadata is sound."""

    table: str
    predicate: str
    listed: frozenset[str]
    selected: frozenset[str]
    needed: frozenset[str]
    rows_to_scan: int
    """Rows of the selected files."""
    rows_returned: int
    """Rows that match, by their values."""
    rows_total: int

    @property
    def counts(self) -> tuple[int, int, int]:
        return len(self.listed), len(self.selected), len(self.needed)


def judge_selections(objects: Objects, case: Case, predicates: Sequence[Predicate]) -> list[Selection]:
    """For each predicate what a reader that trusts the metadata selects, and what it would need."""
    paths = case.evidence.paths
    rows = dict(zip(paths, case.truth.files["record_count"].to_pylist(), strict=True))
    evidence = case.evidence
    counted = count_matches(objects, dict.fromkeys(paths), evidence.leaves, predicates, evidence.constants)
    return [_selection(case, predicate, rows, matches) for predicate, matches in zip(predicates, counted, strict=True)]


def _selection(case: Case, predicate: Predicate, rows: Mapping[str, int], matches: Mapping[str, int]) -> Selection:
    paths = case.evidence.paths
    selected = frozenset(paths[i] for i in np.flatnonzero(select(case.evidence, predicate)))
    return Selection(
        table=case.id,
        predicate=str(predicate),
        listed=frozenset(paths),
        selected=selected,
        needed=frozenset(path for path, count in matches.items() if count),
        rows_to_scan=sum(rows[path] for path in selected),
        rows_returned=sum(matches.values()),
        rows_total=sum(rows.values()),
    )
