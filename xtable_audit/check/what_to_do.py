"""What a user does about a finding of a check: what mends it, an example of a query, a stopgap, the spec, sorting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.bounds import bounds_contain_values
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.layout import overlapping
from xtable_audit.claims.partition import spec_is_the_configured_one
from xtable_audit.formats.check_support import Advice, FilledRemedy, MetadataWriter
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.columns import Leaf
from xtable_audit.model.finding import Finding, Verdict
from xtable_audit.model.own_table import PredicateRow
from xtable_audit.model.predicate import Compare, Predicate, columns_of, quoted
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.scalars import Mask
from xtable_audit.planning.grid import in_python
from xtable_audit.planning.judge_planner import select
from xtable_audit.subject.case import Case
from xtable_audit.table.stored_metrics import StoredMetrics

BLOCKED_BY = (
    "every_file_exists",
    "metadata_and_data_files_can_be_read",
    "no_file_is_listed_twice",
    "tuples_equal_every_row",
)
"""Claims whose failure makes a rewrite fail, or keeps what is wrong for good."""
WAITS = "Check again once this holds"


def mending(
    advice: Advice, finding: Finding, stored: StoredMetrics, deviations: Sequence[Deviation], names: Mapping[str, str]
) -> tuple[FilledRemedy, ...]:
    """What mends the finding; of what XTable wrote the register says what to do.

    `stored` is what the places of the deviations count in; `names` are those of the table in statements.
    """
    return tuple(advice.fill(remedy, finding, stored, deviations, names) for remedy in advice.serving(finding, stored))


def without_blocked(advice: Advice, results: Iterable[ClaimResult], stored: StoredMetrics) -> tuple[ClaimResult, ...]:
    """The results, without advice to rewrite files that cannot be read, are listed twice, or have false tuples that a
    rewrite makes values of: what is in the way is to be mended first. `stored` is the part whose values are judged.
    """
    found = tuple(results)
    failing = {one.claim: one.finding for one in found if one.finding is not None}
    blocking = (failing[id] for id in BLOCKED_BY if id in failing)
    first = next((one for one in blocking if not _is_safe(one, advice, stored)), None)
    return tuple(_waiting(one, first) for one in found) if first is not None else found


def _is_safe(blocking: Finding, advice: Advice, stored: StoredMetrics) -> bool:
    """Whether its files can be rewritten all the same: only tuples are rewritten where they are no values."""
    return any(remedy.rewrites for remedy in advice.serving(blocking, stored))


def _waiting(result: ClaimResult, first: Finding) -> ClaimResult:
    """The result, whose own advice waits for what mends `first`. That of XTable's tables rewrites nothing."""
    finding = result.finding
    if finding is None or finding.claim == first.claim or not finding.advice or finding.blame.is_xtables:
        return result
    return replace(result, finding=replace(finding, advice=(f"{WAITS}: {first.sentence}",)))


LONGEST = 100
"""Maximum length of a predicate that is shown."""


def with_example(finding: Finding, case: Case) -> Finding:
    """The finding with a predicate that the smallest or largest value of a file meets, and by which readers skip it."""
    if finding.verdict is not Verdict.UNSOUND or finding.column is None:
        return finding
    if finding.column not in case.stored.columns:
        return finding
    stored, true = case.stored.columns[finding.column], case.actual.columns[finding.column]
    outside = {
        "min": pc.greater(stored["lower"], true["min"]).fill_null(False),
        "max": pc.less(stored["upper"], true["max"]).fill_null(False),
    }
    for side, mask in outside.items():
        for place in np.flatnonzero(np.asarray(mask))[:1].tolist():
            for value in in_python(true[side][place]):
                predicate = Compare(finding.column, "=", value)
                if not select(case.stored, predicate)[place] and len(str(predicate)) <= LONGEST:
                    name = case.stored.paths[place].rpartition("/")[2]
                    return replace(finding, example=f"WHERE {predicate} skips {name}, which holds a row that matches")
    return finding


UNTIL = "Until it is mended, query by what does not skip files by"


def with_stopgaps(ways: Mapping[str, str], results: Iterable[ClaimResult]) -> tuple[ClaimResult, ...]:
    """The results; a finding that bounds of a column lose rows says last how they are found meanwhile.

    Not of a field of a struct, for which none was tried.
    """
    return tuple(_with(ways, result) if ways else result for result in results)


def _with(ways: Mapping[str, str], result: ClaimResult) -> ClaimResult:
    finding = result.finding
    if finding is None or finding.claim != bounds_contain_values.id or not finding.column or "." in finding.column:
        return result
    stopgap = f"{UNTIL} {finding.column}: {stopgaps(ways, finding.column)}"
    return replace(result, finding=replace(finding, advice=(*finding.advice, stopgap)))


def stopgaps(ways: Mapping[str, str], column: str) -> str:
    """A way for each reader that has one."""
    return "; ".join(way.format(quoted=quoted(column)) for way in ways.values())


TRANSFORMS: Mapping[pa.DataType, str] = {
    pa.string(): "VALUE",
    pa.int32(): "VALUE",
    pa.int64(): "VALUE",
    pa.date32(): "DAY:yyyy-MM-dd",
}
"""By the column's type, what partitionSpec must say of it. Of other types the writer's key generator decides."""


def with_spec(target: TargetFormat, finding: Finding, partition_by: Sequence[str], leaves: Sequence[Leaf]) -> Finding:
    """The finding that the spec is another, with the line that sets it. `partition_by` are the Hudi table's columns."""
    if finding.claim != spec_is_the_configured_one.id or (spec := partition_spec(partition_by, leaves)) is None:
        return finding
    words = f"Name the partition columns in the dataset of XTable's configuration, {target.drop}, sync anew"
    return replace(finding, advice=(*finding.advice, f"{words} (YAML): partitionSpec: {spec}"))


def partition_spec(partition_by: Sequence[str], leaves: Sequence[Leaf]) -> str | None:
    """XTable's partitionSpec, `field:TRANSFORM[:format],…`; None if a column is of another type, or in a struct."""
    known = {one.path: TRANSFORMS[one.arrow] for one in leaves if one.parent is None and one.arrow in TRANSFORMS}
    if not partition_by or not {*partition_by} <= known.keys():
        return None
    return ",".join(f"{name}:{known[name]}" for name in partition_by)


WORTH = 2
"""How many times as many planned files must overlap as sorted rows would fill."""


def with_sorting(
    advice: Advice,
    row: PredicateRow,
    predicate: Predicate,
    exact: StoredMetrics,
    writer: MetadataWriter,
    names: Mapping[str, str],
) -> PredicateRow:
    """The row with the advice to sort by the predicate's column, if as many files would be planned by exact bounds.

    `exact` is the metadata with the actual values as bounds. Files that XTable translated are not rewritten.
    """
    columns = sorted(columns_of(predicate))
    compared = row.read == row.live and row.rows_matching is not None and not row.lost
    if writer.is_xtable or not advice.sort:
        return row
    if not compared or exact.older or len(columns) != 1 or not columns[0].isidentifier():
        return row
    kept = select(exact, predicate)
    ranges = exact.columns[columns[0]].select(["lower", "upper"]).rename_columns(["min", "max"])
    if overlapping(ranges, np.flatnonzero(kept).tolist()).sum() < WORTH * _filled(exact, kept, row.rows_matching or 0):
        return row
    size = int(np.asarray(exact.files["size"].fill_null(0))[kept].mean())
    return replace(row, advice=f"{advice.sort_by}: {advice.sort.format(**names, column=columns[0], size=size)}")


def _filled(stored: StoredMetrics, kept: Mask, rows: int) -> int:
    """Files that hold these rows, if each is full of them; one in each partition of the files that are kept."""
    each = np.asarray(stored.files["record_count"].fill_null(0))[kept]
    return max(_partitions(stored, kept), int(np.ceil(rows / max(each.mean(), 1))) if len(each) else 0, 1)


def _partitions(stored: StoredMetrics, kept: Mask) -> int:
    names = stored.partition.column_names
    return stored.partition.filter(pa.array(kept)).group_by(names).aggregate([]).num_rows if names else 1
