"""The same rows written twice: a bound or a null count that differs is reported, an equal one is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit import mutate
from tests.audit.conftest import DraftOf, TableOf
from xtable_audit.claims.translation.paired_tables import NoTwins, Pair, both_ways_say_the_same
from xtable_audit.subject.case import Case


def reversed_files(case: Case) -> Case:
    """The same files in another order, as another table lists them."""
    order = list(range(len(case.stored.paths)))[::-1]
    stored = replace(
        case.stored,
        files=case.stored.files.take(order),
        columns={name: table.take(order) for name, table in case.stored.columns.items()},
    )
    return replace(case, id="other", stored=stored, actual=case.actual.take(order))


def test_twins_in_another_order_agree(table_of: TableOf) -> None:
    case = table_of("typed").case
    assert list(both_ways_say_the_same.check(Pair(case, reversed_files(case)))) == []


@pytest.mark.parametrize("fault", [mutate.lower_lower, mutate.raise_upper])
def test_a_bound_that_differs_is_reported_with_its_file_and_column(
    fault: mutate.OfColumn, table_of: TableOf, draft_of: DraftOf
) -> None:
    draft = draft_of("typed")
    fault(draft, 1, "int")
    (found,) = both_ways_say_the_same.check(Pair(draft.case(), reversed_files(table_of("typed").case)))
    assert (found.places, found.column) == ((1,), "int")


def test_a_missing_bound_is_reported(table_of: TableOf, draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.put(0, "lower_bounds", "int", None)
    (found,) = both_ways_say_the_same.check(Pair(draft.case(), reversed_files(table_of("typed").case)))
    assert (found.places, found.saw, found.column) == ((0,), "lower nothing", "int")


def test_tables_of_other_rows_are_no_twins(table_of: TableOf) -> None:
    case = table_of("typed").case
    with pytest.raises(NoTwins):
        list(both_ways_say_the_same.check(Pair(case, replace(case, actual=case.actual.take([0, 0, 1])))))
