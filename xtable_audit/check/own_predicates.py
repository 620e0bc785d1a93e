"""The user's own predicates: live, planned and matching files, and matching files that readers skip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.blame.causes import signs_of
from xtable_audit.blame.ruling import Ruling
from xtable_audit.check.claims import result_of
from xtable_audit.check.predicate_in_sql import parse_where
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.readers.pruning import no_matching_file_is_dropped
from xtable_audit.judge import Finish, judge
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Finding
from xtable_audit.model.objects import Objects
from xtable_audit.model.own_table import PredicateRow
from xtable_audit.model.planner import JUDGE
from xtable_audit.model.predicate import Predicate, columns_of
from xtable_audit.model.result import ClaimResult
from xtable_audit.planning.judge_planner import select
from xtable_audit.planning.planners import judges
from xtable_audit.planning.pruning_trial import Loss, Question, Trial, columns_lost, example, try_planner
from xtable_audit.planning.selection import bounds_in_words
from xtable_audit.scan import Scanner, live_files, matching_rows
from xtable_audit.subject.case import Case
from xtable_audit.subject.file_ranges import ranges_of_planned
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class UserPredicates:
    """`texts` are the predicates as the user wrote them."""

    texts: tuple[str, ...]
    predicates: tuple[Predicate, ...]

    @classmethod
    def parse(cls, texts: Sequence[str], stored: StoredMetrics) -> UserPredicates:
        """Raises Problem."""
        return cls(tuple(texts), tuple(parse_where(text, stored) for text in texts))

    def planned(self, stored: StoredMetrics) -> tuple[PredicateRow, ...]:
        """By the metadata alone."""
        rows = stored.files["record_count"].fill_null(0)
        return tuple(
            PredicateRow(text, stored.files.num_rows, int(kept.sum()), pc.sum(rows.filter(pa.array(kept))).as_py() or 0)
            for text, kept in ((text, select(stored, one)) for text, one in self._pairs)
        )

    @property
    def _pairs(self) -> Sequence[tuple[str, Predicate]]:
        return tuple(zip(self.texts, self.predicates, strict=True))

    def answered(self, objects: Objects, stored: StoredMetrics, case: Case, scanner: Scanner) -> Answered:
        """By the values of the files in `case`, which may be some of those in `stored`, and some of its columns.

        Raises Malformed.
        """
        there = {*case.stored.paths}
        case = replace(case, stored=stored.only(np.array([path in there for path in stored.paths], dtype=bool)))
        matches = self._matches(case, objects, scanner)
        questions = [
            Question(one, _to_blame(case, one, found), found)
            for one, found in zip(self.predicates, matches, strict=True)
        ]
        trial = try_planner(case, questions, JUDGE, judges(case.stored))
        read = int(pc.sum(pc.is_valid(case.actual.files["record_count"])).as_py() or 0)
        asked = []
        for by_metadata, question, kept in zip(self.planned(stored), questions, trial.kept, strict=True):
            lost = question.matching - (kept or frozenset())
            asked.append(
                replace(
                    by_metadata,
                    read=read,
                    matching=len(question.matching),
                    rows_matching=question.rows,
                    lost=len(lost),
                    rows_lost=sum(question.matches[path] for path in lost),
                    ranges=ranges_of_planned(case, question.predicate, kept or (), question.matching),
                )
            )
        return Answered(tuple(asked), case, trial)

    def _matches(self, case: Case, objects: Objects, scanner: Scanner) -> list[Mapping[str, int]]:
        """Matching rows by file. Reads the files alone whose smallest and largest value let a row match."""
        may = np.zeros(case.stored.files.num_rows, dtype=bool)
        by_values = exact(case)
        for one in self.predicates:
            may |= select(by_values, one, by_tuples=False) if columns_of(one) <= {*case.actual.columns} else True
        may &= np.asarray(pc.is_valid(case.actual.files["record_count"]))
        paths = case.stored.files["path"].filter(pa.array(may)).to_pylist()
        files = live_files(objects, case.stored).only(paths)
        if not len(files):
            return [{} for _ in self.predicates]
        return list(matching_rows(scanner, files, case.stored, self.predicates))


def _to_blame(case: Case, predicate: Predicate, matches: Mapping[str, int]) -> str:
    """The first column whose actual values would keep a matching file that its stored metrics drop; else any."""
    lost = np.array([bool(matches.get(path)) for path in case.stored.paths]) & ~select(case.stored, predicate)
    columns, by_values = sorted(columns_of(predicate)), exact(case).columns
    if lost.any():
        for column in columns:
            mended = replace(case.stored, columns={**case.stored.columns, column: by_values[column]})
            if (select(mended, predicate) & lost).any():
                return column
    return columns[0]


def exact(case: Case) -> StoredMetrics:
    """The metadata as it is by the actual values, for files whose values are known."""
    files, actual = case.stored.files, case.actual
    place = files.column_names.index("record_count")
    rows = files.set_column(place, "record_count", actual.files["record_count"])
    columns = {
        name: pa.table(
            {"lower": of["min"], "upper": of["max"]}
            | {count: of[count] for count in ("value_count", "null_count", "nan_count")}
        )
        for name, of in actual.columns.items()
    }
    return replace(case.stored, files=rows, columns={**case.stored.columns, **columns})


@dataclass(frozen=True)
class Answered:
    asked: tuple[PredicateRow, ...]
    case: Case
    trial: Trial

    def result(self, ruling: Ruling, finish: Finish[Deviation]) -> ClaimResult:
        """Whether a reader that trusts the metadata finds every matching row."""
        claim = no_matching_file_is_dropped
        judgement = judge(claim, self.trial, self._finding, ruling, finish=lambda found, _: finish(found, ()))
        return result_of(claim, self.case.id, judgement)

    def _finding(self, losses: list[Loss], ruling: Ruling) -> Finding:
        claim, case, first = no_matching_file_is_dropped, self.case, example(losses)
        lost = {path for loss in losses for path in loss.files}
        places = {place for place, path in enumerate(case.stored.paths) if path in lost}
        columns = columns_lost(losses)
        known = [column for column in columns if column in case.stored.columns and column in case.actual.columns]
        worst = max(loss.rows for loss in losses)
        return Finding(
            claim=claim.id,
            sentence=claim.sentence,
            verdict=claim.breaks,
            table=case.id,
            saw=f"{len(first.files)} of {many(len(first.question.matching), 'matching file')} dropped for "
            f"{first.question}: {bounds_in_words(case.stored, min(first.files), first.question.predicate)}",
            expected="each of them kept",
            impact=replace(case.impact(places), tried=self.trial.plannable, losing=len(losses), lost=worst),
            blame=ruling[0],
            because=ruling[1],
            column=first.question.column,
            columns=columns,
            signs=signs_of(case, [(column, places) for column in columns]) if len(known) == len(columns) else (),
            example=str(first),
        )
