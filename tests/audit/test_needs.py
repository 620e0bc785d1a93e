"""A need looks only as far as the first thing to compare: the check itself walks the whole table."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from tests.audit.conftest import TableOf
from xtable_audit.claims import needs
from xtable_audit.formats.iceberg.claims import needs as iceberg_needs
from xtable_audit.model.claim import Need
from xtable_audit.subject.case import Case
from xtable_audit.values.parquet import carries_ids

OF_COLUMNS = {
    "bounds": needs.BOUNDS_OF_VALUES,
    "values": needs.VALUES,
    "value counts": needs.COUNTED,
    "null counts": needs.NULLS_COUNTED,
}


class FirstOnly(dict[str, pa.Table]):
    """Columns of which nobody may ask for a second."""

    def items(self) -> Any:
        def one() -> Iterator[tuple[str, pa.Table]]:
            yield next(iter(ItemsView(self)))
            raise AssertionError("a second column was looked at")

        return one()


@pytest.mark.parametrize("need", OF_COLUMNS.values(), ids=OF_COLUMNS.keys())
def test_a_need_stops_at_the_first_column_that_meets_it(table_of: TableOf, need: Need[Case]) -> None:
    case = table_of("typed").case
    columns = FirstOnly(sorted(case.stored.columns.items(), key=lambda one: one[0] != "int"))
    assert need.count(replace(case, stored=replace(case.stored, columns=columns)))


@pytest.mark.parametrize("need", OF_COLUMNS.values(), ids=OF_COLUMNS.keys())
def test_a_need_that_no_column_meets_is_unmet(table_of: TableOf, need: Need[Case]) -> None:
    case = table_of("typed").case
    assert not need.count(replace(case, stored=replace(case.stored, columns={})))


def test_files_of_one_schema_are_looked_at_once(table_of: TableOf, monkeypatch: pytest.MonkeyPatch) -> None:
    case = table_of("typed").case
    schema = pa.schema([pa.field("n", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    seen: list[pa.Schema] = []

    def looked_at(one: pa.Schema) -> bool:
        seen.append(one)
        return carries_ids(one)

    monkeypatch.setattr(iceberg_needs, "carries_ids", looked_at)
    many = replace(case, actual=replace(case.actual, schemas=(schema, None) * 1000))
    assert (bool(iceberg_needs.FILES_WITHOUT_IDS.count(many)), seen) == (False, [schema])
