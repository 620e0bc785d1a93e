"""What Trino's account of a query says of files and rows. The sample is Trino 476's, without the other operators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.engines.trino.reader import Account, account_of

SAMPLE = Path(__file__).parent / "trino_accounts" / "one_of_four.json"


@pytest.fixture
def query() -> dict[str, Any]:
    """`SELECT count(*), checksum(distance) … WHERE month = '2023-03'` over four files of 50 rows."""
    account: dict[str, Any] = json.loads(SAMPLE.read_text())
    return account


def scan(query: dict[str, Any]) -> dict[str, Any]:
    (found,) = [one for one in query["queryStats"]["operatorSummaries"] if one["operatorType"] == "TableScanOperator"]
    operator: dict[str, Any] = found
    return operator


def test_the_files_planned_and_the_rows_scanned_are_reported(query: dict[str, Any]) -> None:
    assert account_of(query) == Account(planned_count=1, scanned=50)


def test_no_file_planned_is_zero_files(query: dict[str, Any]) -> None:
    scan(query)["connectorMetrics"]["dataFiles"]["total"] = 0
    assert account_of(query).planned_count == 0


def test_a_scan_with_a_filter_is_a_scan(query: dict[str, Any]) -> None:
    scan(query)["operatorType"] = "ScanFilterAndProjectOperator"
    assert account_of(query).planned_count == 1


def test_a_trino_that_counts_no_files_says_nothing_and_why(query: dict[str, Any]) -> None:
    del scan(query)["connectorMetrics"]["dataFiles"]
    assert account_of(query) == Account(
        planned_count=None,
        scanned=50,
        unknown_plan="this Trino does not report how many files it plans to read; 476 and newer do",
    )


def test_a_plan_without_a_scan_has_no_count_and_that_is_as_it_should_be(query: dict[str, Any]) -> None:
    query["queryStats"]["operatorSummaries"].remove(scan(query))
    assert account_of(query) == Account(planned_count=None, scanned=50)


def test_what_is_not_reported_is_not_zero() -> None:
    assert account_of({}) == Account(planned_count=None, scanned=None)
