"""Trino: registers each metadata.json in the reader's own catalog and queries it in SQL.

A bare `count(*)` opens no file, and LIMIT stops early, so each query also computes a checksum of an ordinary column.
Trino does not push an OR over two columns, functions or arithmetic down to Iceberg; it then plans every file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from trino.exceptions import TrinoQueryError

from lab.engines.trino.catalog import TrinoTables
from lab.engines.trino.client import Client, in_words
from lab.engines.trino.handle import TrinoHandle
from lab.store.workspace import Workspace
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.column_to_read import column_to_read
from xtable_audit.readers.reader import Answer
from xtable_audit.readers.refusal import Refusal
from xtable_audit.readers.sql import TRINO

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


class TrinoReader:
    name: ClassVar[str] = "trino"

    def __init__(self, store: Workspace, handle: Any = None) -> None:
        if not isinstance(handle, TrinoHandle):
            raise Problem("reader trino needs a Trino: give one with --trino")
        self._handle = handle
        self._client = Client(handle.server)
        self._tables = TrinoTables(self._client, handle, store)

    @property
    def version(self) -> str:
        return self._handle.version

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`. `live` counts the live data files of `"t$files"`; `trino_account` has the rest."""
        try:
            table = self._tables.at(metadata_location)
            sql = TRINO.over(table.types)
            column = sql.column(column_to_read(table.types, predicate))
            result = self._client.run(f"SELECT count(*), checksum({column}) FROM {table.name}{sql.where(predicate)}")
        except TrinoQueryError as refused:
            if refused.error_type == "EXTERNAL" and not self._tables.answers():
                raise Problem(f"Trino's own catalog is gone ({in_words(refused)}): see {self._log}") from refused
            raise Refusal(in_words(refused)) from refused
        account = account_of(self._client.account(result.query_id))
        return Answer(
            rows=int(result.rows[0][0]),
            live=table.live,
            planned_count=account.planned_count,
            scanned=account.scanned,
            unknown_plan=account.unknown_plan,
        )

    @property
    def _log(self) -> str:
        return self._handle.server.log or self._handle.server.url
