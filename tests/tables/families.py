"""The families of the battery: the cases of tests of every recorded table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from spark_jobs.battery.tables import FAMILIES
from tests.of_each import Test, of_each

FAMILY: Mapping[str, str] = {
    table.name: family.__name__.rpartition(".")[2] for family in FAMILIES for table in family.TABLES
}
One = TypeVar("One")


def by_family(cases: Iterable[One], table: Callable[[One], str]) -> Callable[[Test], Test]:
    """Gives a test the cases of one family at a time, as its `cases`. `table` names a case's table."""
    found: dict[str, list[One]] = {}
    for case in cases:
        found.setdefault(FAMILY[table(case)], []).append(case)
    return of_each("cases", found.values(), ids=found)


def unlike(cases: Iterable[One], ours: Callable[[One], Any], theirs: Callable[[One], Any]) -> Iterator[tuple[Any, ...]]:
    """Each case on which the two differ, with both."""
    for case in cases:
        both = ours(case), theirs(case)
        if both[0] != both[1]:
            yield str(case), *both
