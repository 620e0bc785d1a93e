"""The files and rows that a query read, by Trino's query info, `GET /v1/query/{id}`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

METRIC = "dataFiles"
SINCE = "476"
"""The first Trino release whose split sources have this metric."""
_SCANS = ("ScanFilterAndProjectOperator", "TableScanOperator")


@dataclass(frozen=True)
class Account:
    """Planned files and scanned rows; None if Trino does not report them. `unknown_plan`: why one is missing."""

    planned_count: int | None
    scanned: int | None
    unknown_plan: str | None = None


def account_of(query: Mapping[str, Any]) -> Account:
    """The account from the JSON of a finished query on one table.

    `planned_count` is the `dataFiles` metric of the table's splits: the files Iceberg planned for the predicate that
    Trino pushed down. Trino may skip more of them by partition value without opening them. A predicate that Trino finds
    never true leaves no scan in the plan, so there is no count.
    """
    stats = query.get("queryStats", {})
    scans = [one for one in stats.get("operatorSummaries", ()) if one.get("operatorType") in _SCANS]
    counts = [one["connectorMetrics"][METRIC]["total"] for one in scans if METRIC in one.get("connectorMetrics", {})]
    scanned = stats.get("physicalInputPositions")
    unknown_plan = None
    if scans and not counts:
        unknown_plan = f"this Trino does not report how many files it plans to read; {SINCE} and newer do"
    return Account(sum(counts) if counts else None, scanned, unknown_plan)
