"""How advice for an Iceberg table reads: a remedy's statement, for the files that a finding names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from pyiceberg.types import IntegerType, LongType, StringType

from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.check_support import Advice, FilledRemedies, FilledRemedy, Remedy
from xtable_audit.formats.iceberg.check.remedies import OF_FILES, REMEDIES, SPARK
from xtable_audit.formats.iceberg.claims.snapshots import totals_are_those_of_the_manifests
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.table_json import IN_CATALOG
from xtable_audit.model.finding import Finding
from xtable_audit.model.result import ClaimResult
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics

PARTITIONS = 3
"""Maximum number of partitions that a statement names."""
TOTALS = totals_are_those_of_the_manifests.id
TOTALS_STAY = "; the snapshot's totals stay false"


def names(location: str, name: str) -> Mapping[str, str]:
    """Catalog and table, as statements name them. A table of no catalog has a placeholder for it."""
    if IN_CATALOG.match(location):
        catalog, _, table = location.partition(".")
        return {"catalog": catalog, "table": table}
    return {"catalog": "<catalog>", "table": f"<namespace>.{name}"}


def with_totals(results: Sequence[ClaimResult], ways: FilledRemedies) -> tuple[ClaimResult, ...]:
    """The results; where false totals of the snapshot follow from a finding, its advice says what leaves them false.

    Iceberg's Java adds to the totals of the snapshot before (`SnapshotSummary`); PyIceberg counts an overwrite anew.
    """
    roots = {one.finding.root for one in results if one.finding and one.claim == TOTALS} - {""}
    return tuple(
        replace(one, finding=replace(one.finding, advice=_anew_first(one.finding.advice, ways.get(one.claim, ()))))
        if one.finding and one.claim in roots
        else one
        for one in results
    )


def _anew_first(advice: Sequence[str], ways: Sequence[FilledRemedy]) -> tuple[str, ...]:
    """`ways` are what the advice begins with."""
    by_spark = [replace(one, besides=f"{one.besides}{TOTALS_STAY}") for one in ways if one.remedy.rewrites]
    others = [one for one in ways if not one.remedy.rewrites]
    return *map(str, others), *advice[len(ways) :], *map(str, by_spark)


def fill(
    remedy: Remedy, finding: Finding, stored: StoredMetrics, deviations: Sequence[Deviation], names: Mapping[str, str]
) -> FilledRemedy:
    """The remedy with its statement for this table."""
    places = {place for one in deviations for place in one.places}
    only = any(one.id == finding.claim for one in OF_FILES)
    where = _where(stored, places, finding.columns) if only else ""
    reference = _reference(stored, next((one.reference for one in deviations), ""))
    statement = remedy.statement.format(**names, where=where, reference=reference)
    ids = "; its rows get new ids" if remedy.rewrites and iceberg_of(stored).metadata.format_version >= 3 else ""
    return FilledRemedy(remedy, statement, ids)


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
        if field.transform.kind is not TransformKind.IDENTITY or column is None or column in columns:
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


ADVICE = Advice(
    remedies=REMEDIES,
    names=names,
    fill=fill,
    finish=with_totals,
    sort="CALL {catalog}.system.rewrite_data_files(table => '{table}', strategy => 'sort', sort_order => '{column}', "
    "options => map('rewrite-all', 'true', 'target-file-size-bytes', '{size}'))",
    sort_by=f"Have Spark sort the rows, into files as large as today's ({SPARK})",
    stopgaps={
        "duckdb": "DuckDB, if conditions have coalesce({quoted}, NULL) for the column",
        "clickhouse": "ClickHouse, with SETTINGS use_iceberg_partition_pruning = 0",
        "polars": "Polars, by scan_iceberg(table, use_metadata_statistics=False)",
        "pyiceberg": "PyIceberg, by table.scan().to_arrow().filter(condition)",
    },
)
"""Stopgaps by the reader's id. No such way is known of the others that skip files by stored bounds."""
