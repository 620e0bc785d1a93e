"""What Trino's own account of a query, `GET /v1/query/{id}`, tells of the files and rows it read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

METRIC = "dataFiles"
SINCE = "476"
"""The first Trino that counts them: its split sources have metrics since."""
_SCANS = ("ScanFilterAndProjectOperator", "TableScanOperator")


@dataclass(frozen=True)
class Account:
    """Files planned and rows scanned; None where Trino does not say. `untold` is why, where it should have."""

    planned_count: int | None
    scanned: int | None
    untold: str | None = None


def account_of(query: Mapping[str, Any]) -> Account:
    """From the JSON of a finished query over one table.

    `planned_count` is the `dataFiles` metric of the table's splits: what Iceberg planned for the predicate that Trino
    pushed down. Trino may drop some more of them by their partition value without opening them. A predicate that it
    knows to be never true leaves no scan in the plan, and nothing to count.
    """
    stats = query.get("queryStats", {})
    scans = [one for one in stats.get("operatorSummaries", ()) if one.get("operatorType") in _SCANS]
    counts = [one["connectorMetrics"][METRIC]["total"] for one in scans if METRIC in one.get("connectorMetrics", {})]
    scanned = stats.get("physicalInputPositions")
    untold = None
    if scans and not counts:
        untold = f"this Trino does not tell how many files it plans to read; {SINCE} and newer do"
    return Account(sum(counts) if counts else None, scanned, untold)
