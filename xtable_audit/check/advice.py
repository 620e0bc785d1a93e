"""The advice of a finding: what mends it, with the statement for this table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from pyiceberg.types import IntegerType, LongType, StringType

from xtable_audit.check.remedies import OF_FILES, REMEDIES, SPARK, Remedy
from xtable_audit.check.writer import Writer
from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.iceberg.claims.snapshots import totals_are_those_of_the_manifests
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.locate.locate import IN_CATALOG
from xtable_audit.model.finding import Finding
from xtable_audit.model.result import ClaimResult
from xtable_audit.table.partitions import Kind
from xtable_audit.table.stored_metrics import StoredMetrics

PARTITIONS = 3
"""Maximum number of partitions that a statement names."""
BLOCKED_BY = (
    "every_file_exists",
    "metadata_and_data_files_can_be_read",
    "no_file_is_listed_twice",
    "tuples_equal_every_row",
)
"""Claims whose failure makes a rewrite fail, or keeps what is wrong for good."""
TOTALS = totals_are_those_of_the_manifests.id
REWRITE = "rewrite_data_files"
WAITS = "Check again once this holds"


@dataclass(frozen=True)
class TableName:
    """The table, as statements name it."""

    catalog: str
    table: str

    @classmethod
    def of(cls, location: str, name: str) -> TableName:
        """A table of no catalog has a placeholder for it."""
        if IN_CATALOG.match(location):
            catalog, _, table = location.partition(".")
            return cls(catalog, table)
        return cls("<catalog>", f"<namespace>.{name}")


def advised(
    finding: Finding, stored: StoredMetrics, deviations: Sequence[Deviation], writer: Writer, named: TableName
) -> Finding:
    """The finding with what mends it. What XTable wrote, its next sync writes again: the register says what to do.

    `stored` is what the places of the deviations count in.
    """
    if writer.is_xtable:
        return finding
    told = tuple(
        _filled(remedy, finding, stored, deviations, named)
        for remedy in REMEDIES
        if any(one.id == finding.claim for one in remedy.claims)
        and remedy.serves(stored, finding)
        and finding.blame != f"writer {remedy.repeats}"
    )
    return replace(finding, advice=told)


def without_blocked(results: Iterable[ClaimResult]) -> tuple[ClaimResult, ...]:
    """The results, without advice to rewrite files that cannot be read, are listed twice, or have false tuples that a
    rewrite makes values of: what is in the way is to be mended first.
    """
    found = tuple(results)
    failing = {one.claim: one.finding for one in found if one.finding is not None}
    first = next((failing[id] for id in BLOCKED_BY if id in failing and not _is_safe(failing[id])), None)
    return tuple(_waiting(one, first) for one in found) if first is not None else found


def _is_safe(blocking: Finding) -> bool:
    """Whether its files can be rewritten all the same: only tuples are rewritten where they are no values."""
    return any(REWRITE in words for words in blocking.advice)


def _waiting(result: ClaimResult, first: Finding) -> ClaimResult:
    """The result, whose own advice waits for what mends `first`. That of XTable's tables rewrites nothing."""
    finding = result.finding
    if finding is None or finding.claim == first.claim or not finding.advice or finding.blame.is_xtables:
        return result
    return replace(result, finding=replace(finding, advice=(f"{WAITS}: {first.sentence}",)))


def with_totals(results: Iterable[ClaimResult]) -> tuple[ClaimResult, ...]:
    """The results; where false totals of the snapshot follow from a finding, its advice says what leaves them false.

    Iceberg's Java adds to the totals of the snapshot before (`SnapshotSummary`); PyIceberg counts an overwrite anew.
    """
    found = tuple(results)
    roots = {one.finding.root for one in found if one.finding and one.claim == TOTALS} - {""}
    return tuple(
        replace(one, finding=replace(one.finding, advice=_anew_first(one.finding.advice)))
        if one.finding and one.claim in roots
        else one
        for one in found
    )


def _anew_first(advice: Sequence[str]) -> tuple[str, ...]:
    by_spark = [words for words in advice if REWRITE in words]
    others = [words for words in advice if REWRITE not in words]
    return *others, *(
        words.replace(f" ({SPARK})", f"; the snapshot's totals stay false ({SPARK})") for words in by_spark
    )


def _filled(
    remedy: Remedy, finding: Finding, stored: StoredMetrics, deviations: Sequence[Deviation], named: TableName
) -> str:
    places = {place for one in deviations for place in one.places}
    only = any(one.id == finding.claim for one in OF_FILES)
    where = _where(stored, places, finding.columns) if only else ""
    reference = _reference(stored, next((one.reference for one in deviations), ""))
    statement = remedy.statement.format(catalog=named.catalog, table=named.table, where=where, reference=reference)
    ids = "; its rows get new ids" if REWRITE in statement and iceberg_of(stored).metadata.format_version >= 3 else ""
    return f"{remedy.words}{ids} ({remedy.language}): {statement}" if statement else remedy.words


def _reference(stored: StoredMetrics, name: str) -> str:
    """`BRANCH name` or `TAG name`; "" if it is none."""
    found = iceberg_of(stored).metadata.refs.get(name)
    return f"{found.snapshot_ref_type.upper()} `{name}`" if found is not None else ""


def _where(stored: StoredMetrics, places: set[int], columns: Sequence[str]) -> str:
    """`where => '…', ` for the partitions of these files, if they are few and their values simple; else "".

    Not by a column that the finding names, for its metrics may be false.
    """
    rows = sorted(places)
    if stored.older or not rows:
        return ""
    for field in stored.partitioning.spec:
        column = field.source
        kind = iceberg_of(stored).schema.find_type(field.source_id)
        if field.transform.kind is not Kind.IDENTITY or column is None or column in columns:
            continue
        if not isinstance(kind, StringType | IntegerType | LongType) or "." in column:
            continue
        every = stored.partition[field.name].to_pylist()
        mine = {every[place] for place in np.array(rows)}
        if None in mine or len(mine) > PARTITIONS or len(mine) == len({*every}):
            continue
        if any(isinstance(value, str) and not value.replace("-", "").replace("_", "").isalnum() for value in mine):
            continue
        values = ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in sorted(mine))
        return f"where => '{column} IN ({values})', "
    return ""
