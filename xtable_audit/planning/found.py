"""How many rows a predicate finds: in the source, and in a table by the files that its metadata lets a reader keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.predicate import Predicate, columns_of
from xtable_audit.model.scalars import Mask
from xtable_audit.planning.judge_planner import JudgePlanner
from xtable_audit.subject.case import Case
from xtable_audit.values.matching_rows import holds


def rows_of_source(case: Case, predicates: Sequence[Predicate]) -> tuple[int, ...] | None:
    """How many rows of the source match each predicate on its columns; None if its rows are not known."""
    shown = case.source.shown
    return None if shown is None else tuple(int(_matches(one, shown).sum()) for one in predicates)


@dataclass(frozen=True)
class Found:
    """What the judge finds in a table whose rows are read."""

    case: Case
    planner: JudgePlanner
    skipping: bool
    """Whether files are skipped by bounds and counts; without it, by partition values alone."""

    @classmethod
    def of(cls, case: Case, *, skipping: bool) -> Found:
        return cls(case, JudgePlanner(case.stored), skipping)

    def rows(self, predicate: Predicate) -> int:
        """The matching rows of the files that are kept."""
        rows = self.case.rows
        assert rows is not None, f"{self.case.id}: its rows are not read"
        return int((_matches(predicate, rows.values) & self._kept(predicate)[np.asarray(rows.place)]).sum())

    def dropped(self, predicate: Predicate, files: frozenset[str]) -> frozenset[str]:
        """Those of the files that are not kept."""
        kept = self._kept(predicate)
        return frozenset(path for place, path in enumerate(self.case.stored.paths) if path in files and not kept[place])

    def _kept(self, predicate: Predicate) -> Mask:
        if self.skipping or columns_of(predicate) <= self._partitioning:
            return self.planner.select(predicate)
        return np.ones(len(self.case.stored.paths), dtype=bool)

    @property
    def _partitioning(self) -> frozenset[str]:
        stored = self.case.stored
        return frozenset(leaf.path for one in stored.partitionings for _, leaf in one.fields(stored.leaves))


def _matches(predicate: Predicate, table: pa.Table) -> Mask:
    if not table.num_rows:  # of a table without files no type is known
        return np.zeros(0, dtype=bool)
    columns = {name: table[name] for name in columns_of(predicate)}
    return np.asarray(pc.fill_null(holds(predicate, columns), False), dtype=bool)
