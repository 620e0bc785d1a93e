"""Hudi as a target of XTable: the tables that XTable translates to it, and what a run to it is not asked for."""

from __future__ import annotations

from lab.provision.plan import Plan
from xtable_audit.model.problem import Problem

TO_HUDI = frozenset(
    {
        *("delta_micros", "delta_long_texts", "delta_nan", "delta_by_date", "delta_by_time", "delta_paths"),
        *("delta_mapped", "delta_vectors", "delta_changed", "delta_replaced", "edge_delta_no_rows"),
        *("delta_rs_append", "delta_rs_restored", "delta_rs_returned", "delta_rs_by_text"),
        *("parquet_append", "parquet_plain", "parquet_required", "parquet_years_required"),
        *("paimon_strings", "paimon_append", "paimon_by_string"),
        *("iceberg_append", "iceberg_strings", "iceberg_by_string", "iceberg_by_bucket", "iceberg_null_day"),
        *("iceberg_rename_column", "iceberg_readded_column", "iceberg_repartitioned", "iceberg_rolled_back"),
        "iceberg_position_deletes",
    }
)
"""The source tables, by name: a sync takes 1 to 25 s. Each is here for one kind of column, partition or change."""


def demand_hudi(plan: Plan) -> None:
    """Raises Problem if XTable's Hudi target cannot be audited as the plan asks."""
    if plan.xtable_jar is not None:
        raise Problem("--xtable-jar: what a jar writes as Hudi is not audited; name a release.")
    if plan.upgrade_from is not None:
        raise Problem("--upgrade-from: an upgrade in place of a Hudi target is not audited; audit one release.")
    if plan.delta_source_by != Plan.delta_source_by:
        raise Problem("--delta-source-by: to Hudi, Delta tables are read by Spark alone; leave it out.")
