"""Every reader of Delta tables counts what the rows themselves say, at the version that the location names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.of_each import of_each
from tests.readers.test_answers import GRID, holds
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.readers.reader import Reader


def matching(tables: Any, predicate: Predicate) -> int:
    return sum(holds(predicate, row) is True for row in tables.rows)


@of_each("predicate", GRID, ids=str)
def test_a_reader_counts_the_rows_that_match(reader: Reader, tables: Any, predicate: Predicate) -> None:
    assert reader.query(tables.by_month.metadata, predicate).rows == matching(tables, predicate)


@pytest.mark.parametrize("predicate", [Compare("month", "=", "2023-03"), Compare("month", "<", "2023-02")], ids=str)
def test_a_partition_column_is_compared_by_its_value_in_the_log(
    reader: Reader, tables: Any, predicate: Predicate
) -> None:
    assert reader.query(tables.partitioned.metadata, predicate).rows == matching(tables, predicate)


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_reader_opens_the_version_that_is_named(reader: Reader, tables: Any, version: int) -> None:
    assert reader.query(tables.by_month.at(version), None).rows == 50 * (version + 1)


def test_after_an_older_version_the_newest_is_read(reader: Reader, tables: Any) -> None:
    versions = [tables.by_month.at(0), tables.by_month.metadata, tables.by_month.at(0)]
    assert [reader.query(version, None).rows for version in versions] == [50, 200, 50]


def test_a_reader_says_its_version(reader: Reader) -> None:
    assert reader.version[0].isdigit()
