"""By its needs a claim says what it looks at: what must be there, and what it waits for until data files are read."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from tests.audit.conftest import TableOf
from tests.audit.fault import HEALTHY, NEGATIVE
from tests.audit.waiting import looking, waiting
from tests.of_each import of_each
from xtable_audit.claims import CLAIMS, needs
from xtable_audit.formats.iceberg.claims import needs as iceberg_needs
from xtable_audit.model.claim import Need
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, Part
from xtable_audit.values.parquet import carries_ids

OF_COLUMNS = {
    "bounds": needs.BOUNDS_OF_VALUES,
    "values": needs.VALUES,
    "value counts": needs.COUNTED,
    "null counts": needs.NULLS_COUNTED,
}
READ = {
    "nothing beside the data files": (Part.VALUES,),
    "something beside the data files": (Part.VALUES, Part.BESIDE),
    "the rows of a source": (Part.VALUES, Part.ROWS),
    "all": (Part.VALUES, Part.BESIDE, Part.ROWS),
}
ASKED = {
    f"{words}, {when}": (parts, only)
    for words, parts in READ.items()
    for when, only in {"read later": False, "metadata only": True}.items()
}


class FirstOnly(dict[str, pa.Table]):
    """Columns of which nobody may ask for a second."""

    def items(self) -> Any:
        def one() -> Iterator[tuple[str, pa.Table]]:
            yield next(iter(ItemsView(self)))
            raise AssertionError("a second column was looked at")

        return one()


@pytest.fixture(params=[*HEALTHY, *NEGATIVE])
def case(request: pytest.FixtureRequest, table_of: TableOf) -> Case:
    """A table as a check has it, without a history."""
    id: str = request.param
    return replace(table_of(id).case, history=(), beside=None, rows=None)


# A need looks only as far as the first thing to compare: the check itself walks the whole table.


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


# A claim that looks at more than metadata says so by its needs: the others are judged before a data file is read.


@of_each(("parts", "only"), ASKED.values(), ids=ASKED)
def test_the_claims_that_wait_are_those_that_look(case: Case, parts: tuple[Part, ...], only: bool) -> None:
    bare = replace(case, source=replace(case.source, shown=None), metadata_only=only)
    assert waiting(bare, *parts) == looking(bare, *parts)


def test_without_a_source_the_claims_that_wait_are_those_that_look(case: Case) -> None:
    alone = replace(case, source=UNKNOWN_SOURCE)
    assert waiting(alone, Part.VALUES) == looking(alone, Part.VALUES)


def test_some_claims_wait_and_some_do_not(case: Case) -> None:
    assert 20 < len(waiting(case, Part.VALUES)) < len(CLAIMS) - 20
