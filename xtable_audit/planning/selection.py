"""What a predicate selects of a table: planned and matching files, why each is kept, and how many rows are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate, columns_of, literal
from xtable_audit.model.scalars import Mask, plain
from xtable_audit.planning.judge_planner import JudgePlanner
from xtable_audit.scan import LocalScanner, Scanner, live_files, matching_rows
from xtable_audit.subject.case import Case
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.matching_rows import holds

# Live, planned and matching files of one table under a predicate, and why a file is kept or skipped.


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
    def lost(self) -> frozenset[str]:
        """Matching files that are not planned."""
        return self.matching - self.planned

    @property
    def counts(self) -> tuple[int, int, int]:
        return len(self.live), len(self.planned), len(self.matching)


def judge_selections(
    objects: Objects, case: Case, predicates: Sequence[Predicate], scanner: Scanner | None = None
) -> list[Selection]:
    """For each predicate, the files that a reader plans by the metadata, and the files that match. A file without an
    object has no rows.
    """
    planner, paths = JudgePlanner(case.stored), case.stored.paths
    rows = {path: rows or 0 for path, rows in zip(paths, case.actual.files["record_count"].to_pylist(), strict=True)}
    files = live_files(objects, case.stored)
    if gone := case.without_object:
        files = files.only([path for path in paths if path not in gone])
    counted = matching_rows(scanner or LocalScanner(objects), files, case.stored, predicates)
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


LONGEST = 60
"""Maximum length of a printed value, in characters."""


def bounds_in_words(stored: StoredMetrics, path: str, predicate: Predicate) -> str:
    """The manifest entry of `path` as `part-0.parquet (pickup_month: '2023-01' … '2023-01', 0 of 9 null)`."""
    place = stored.paths.index(path)
    metrics = "; ".join(f"{column}: {_of(stored, column, place)}" for column in sorted(columns_of(predicate)))
    is_empty = stored.native.rules.plans_by_counts and stored.files["record_count"][place].as_py() == 0
    empty = "record_count 0; " if is_empty else ""
    return f"{path.rsplit('/', 1)[-1]} ({empty}{metrics})"


def _of(stored: StoredMetrics, column: str, place: int) -> str:
    metrics = {name: stored.columns[column][name][place] for name in stored.columns[column].column_names}
    words = [f"{_value(metrics['lower'])} … {_value(metrics['upper'])}"]
    if metrics["null_count"].is_valid:
        words.append(f"{metrics['null_count']} of {metrics['value_count'].as_py()} null")
    return ", ".join([*words, *_tuples(stored, column, place)])


def _tuples(stored: StoredMetrics, column: str, place: int) -> Iterator[str]:
    """The partition values derived from the column."""
    for one in stored.partitionings:
        for field, leaf in one.fields(stored.leaves):
            if leaf.path == column and stored.under(one)[place]:
                name = "partition" if field.transform.kind is TransformKind.IDENTITY else str(field.transform)
                yield f"{name} {_value(one.tuples[field.name][place])}"


def _value(scalar: pa.Scalar) -> str:
    text = literal(plain(scalar)) if scalar.is_valid else "none"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# How many rows a predicate finds: in the source, and in a table by the files that its metadata lets a reader keep.


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
