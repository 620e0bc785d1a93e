"""Which findings follow from another: those whose claim holds once the metadata says what is true of the other.

What a file's own entry says wrongly is a root; what is added up from entries, or planned by them, follows. A finding
that fails all the same stands for itself. Of a sample, what is judged of all files is compared with none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.check.excused import AsConfigured
from xtable_audit.check.own_predicates import Answered, exact
from xtable_audit.claims import bounds, counts, partition
from xtable_audit.claims.deviation import Deviation, TableClaim, last
from xtable_audit.claims.readers.pruning import no_matching_file_is_dropped
from xtable_audit.claims.translation import files, rows
from xtable_audit.formats.check_support import CheckSupport
from xtable_audit.formats.installed import target_of
from xtable_audit.model.finding import Finding
from xtable_audit.model.result import ClaimResult
from xtable_audit.planning.judge_planner import select
from xtable_audit.subject.case import Case
from xtable_audit.table.partitions import Partitioning
from xtable_audit.table.stored_metrics import StoredMetrics

Mend = Callable[[Case, Finding], Case]
"""The case as it would be without what the finding says."""
OF_COLUMNS = (bounds.bounds_contain_values, counts.null_counts_are_exact, counts.value_counts_are_exact)


def with_roots(
    results: Iterable[ClaimResult], case: Case, configured: AsConfigured, asked: Answered | None = None
) -> tuple[ClaimResult, ...]:
    """The results, in which a finding that follows from another names that one's claim. `asked`: the user's queries."""
    found = tuple(results)
    failing = {one.claim: one.finding for one in found if one.finding is not None}
    of: dict[str, str] = {}
    support = target_of(case.stored.metadata_location).check
    whole = case.stored.is_whole
    for root in _roots(support):
        finding = failing.get(root.claim.id)
        if finding is None:
            continue
        case = root.mend(case, finding)
        for echo in root.echoes:
            if echo.id in failing and (whole or echo in support.sums) and _holds(echo, case, configured):
                of.setdefault(echo.id, root.claim.id)
        if asked is not None and no_matching_file_is_dropped.id in failing and _keeps(case.stored, asked):
            of.setdefault(no_matching_file_is_dropped.id, root.claim.id)
    if whole:
        of |= {echo: of.get(root, root) for echo, root in _of_rows(failing, case)}
    return tuple(
        replace(one, finding=replace(one.finding, root=of[one.claim])) if one.finding and one.claim in of else one
        for one in found
    )


def with_address(finding: Finding, deviations: Iterable[Deviation], case: Case) -> Finding:
    """A missing file is expected at the address that the source has for a file of its name."""
    if finding.claim != files.every_file_exists.id:
        return finding
    there = _by_name(case.source.base_files)
    paths = (case.stored.paths[one.example] for one in deviations if one.example is not None)
    address = next((there[last(path)] for path in paths if last(path) in there), None)
    return finding if address is None else replace(finding, expected=f"{address} (by its source)")


def _holds(claim: TableClaim, case: Case, configured: AsConfigured) -> bool:
    return claim.lacks(case) is None and not configured.left(claim, claim.deviations(case))


def _keeps(stored: StoredMetrics, asked: Answered) -> bool:
    """Whether a reader that plans by this metadata reads every file that it drops by the table's own."""
    if not {leaf.path for leaf in asked.case.stored.leaves} <= {leaf.path for leaf in stored.leaves}:
        return False
    return all(
        keeps or path not in loss.files
        for loss in no_matching_file_is_dropped.deviations(asked.trial)
        for path, keeps in zip(stored.paths, select(stored, loss.question.predicate), strict=True)
    )


def _of_rows(failing: Mapping[str, Finding], case: Case) -> Iterable[tuple[str, str]]:
    """Claims about rows that follow from one about files."""
    missing, shown_twice = rows.no_row_is_missing.id, rows.no_row_is_shown_twice.id
    by_files_alone = not case.stored.deletions.files and not case.source.beside
    if {missing, files.no_file_is_missing.id} <= failing.keys() and by_files_alone:
        yield missing, files.no_file_is_missing.id
    if {shown_twice, files.no_file_is_listed_twice.id} <= failing.keys():
        each = dict(zip(case.stored.paths, case.stored.files["record_count"].to_pylist(), strict=True))
        again = sum(each[path] * (times - 1) for path, times in Counter(case.stored.paths).items())
        if failing[shown_twice].impact.wrong == again:
            yield shown_twice, files.no_file_is_listed_twice.id


# what is true of a root


def _record_counts(case: Case, finding: Finding) -> Case:
    del finding
    return _of_files(case, "record_count", {"record_count"})


def _sizes(case: Case, finding: Finding) -> Case:
    del finding
    return _of_files(case, "size", {"size", "file_size_in_bytes"})


def _of_files(case: Case, name: str, names: set[str]) -> Case:
    """The number that is true of each file, in its entries too, where it is called one of `names`."""
    true = dict(zip(case.stored.paths, case.actual.files[name].to_pylist(), strict=True))

    def mended(table: pa.Table, path: str) -> pa.Table:
        for place, column in enumerate(table.column_names):
            if column in names:
                counts = zip(table[path].to_pylist(), table[column].to_pylist(), strict=True)
                right = [number if true.get(at) is None else true[at] for at, number in counts]
                table = table.set_column(place, column, pa.array(right, table[column].type))
        return table

    stored = case.stored
    native = target_of(stored.metadata_location).check.mended(stored.native, mended)
    return replace(case, stored=replace(stored, files=mended(stored.files, "path"), native=native))


def _metrics(*names: str) -> Mend:
    """The bounds or counts of the columns that the finding names, by the values."""

    def mend(case: Case, finding: Finding) -> Case:
        columns, true = dict(case.stored.columns), exact(case).columns
        for path in {*finding.columns} & columns.keys():  # a finding has control characters escaped
            for name in names:
                metrics = columns[path]
                known = pc.coalesce(true[path][name], metrics[name])
                columns[path] = metrics.set_column(metrics.column_names.index(name), name, known)
        return replace(case, stored=replace(case.stored, columns=columns))

    return mend


def _tuples(case: Case, finding: Finding) -> Case:
    """Each tuple as the values have it, where all rows have one."""
    del finding
    stored = case.stored

    def mended(one: Partitioning) -> pa.Table:
        tuples = one.tuples
        for field, leaf in one.fields(stored.leaves):
            values = tuples[field.name]
            true = partition.true_tuples(case, field, leaf, values)
            single = pc.and_(pc.equal(true["min"], true["max"]), pc.equal(true["others"], 0)).fill_null(False)
            single = pc.and_(single, pa.array(stored.under(one)))
            values = pc.if_else(single, true["min"].cast(values.type), values)
            tuples = tuples.set_column(tuples.column_names.index(field.name), field.name, values)
        return tuples

    each = tuple(replace(one, tuples=mended(one)) for one in stored.partitionings)
    return replace(case, stored=replace(stored, partitionings=each))


def _addresses(case: Case, finding: Finding) -> Case:
    """A file that is at none of the metadata's addresses, at that which the source has for a file of its name."""
    del finding
    there = _by_name(case.source.base_files)
    paths = [there.get(last(path), path) if path in case.without_object else path for path in case.stored.paths]
    place = case.stored.files.column_names.index("path")
    stored = replace(case.stored, files=case.stored.files.set_column(place, "path", pa.array(paths)))
    return replace(case, stored=stored)


def _by_name(paths: Iterable[str]) -> dict[str, str]:
    return {last(path): path for path in paths}


@dataclass(frozen=True)
class MendableRoot:
    claim: TableClaim
    mend: Mend
    echoes: tuple[TableClaim, ...] = ()
    """Besides the user's own queries, which every root may make lose rows."""


def _roots(support: CheckSupport) -> tuple[MendableRoot, ...]:
    """In the order in which they are taken for mended: what follows from several follows from the last of them."""
    every = _metrics("lower", "upper", "value_count", "null_count", "nan_count")
    return (
        *(MendableRoot(one.claim, every, OF_COLUMNS) for one in support.resolves),
        MendableRoot(files.every_file_exists, _addresses, (files.no_file_is_missing, files.no_file_is_stale)),
        MendableRoot(counts.record_counts_are_exact, _record_counts, support.sums),
        MendableRoot(files.sizes_are_exact, _sizes, support.sums),
        MendableRoot(partition.tuples_equal_every_row, _tuples, (partition.summaries_cover_every_tuple,)),
        MendableRoot(bounds.bounds_contain_values, _metrics("lower", "upper")),
        MendableRoot(bounds.zeros_are_in_total_order, _metrics("lower", "upper")),
        MendableRoot(counts.null_counts_are_exact, _metrics("null_count")),
        MendableRoot(counts.nan_counts_are_exact, _metrics("nan_count")),
        MendableRoot(counts.value_counts_are_exact, _metrics("value_count")),
    )
