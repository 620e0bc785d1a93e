"""The families of the battery: what tests of every recorded table are parametrised over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import pytest

from spark_jobs.battery.tables import FAMILIES

FAMILY: Mapping[str, str] = {
    table.name: family.__name__.rpartition(".")[2] for family in FAMILIES for table in family.TABLES
}
One = TypeVar("One")


def by_family(cases: Iterable[One], table: Callable[[One], str]) -> pytest.MarkDecorator:
    """Gives a test the cases of one family at a time, as its `cases`. `table` names a case's table."""
    found: dict[str, list[One]] = {}
    for case in cases:
        found.setdefault(FAMILY[table(case)], []).append(case)
    return pytest.mark.parametrize("cases", found.values(), ids=found)


def unlike(cases: Iterable[One], ours: Callable[[One], Any], theirs: Callable[[One], Any]) -> Iterator[tuple[Any, ...]]:
    """Each case on which the two differ, with both."""
    for case in cases:
        both = ours(case), theirs(case)
        if both[0] != both[1]:
            yield str(case), *both
