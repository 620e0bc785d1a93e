"""A claim that looks at more than metadata says so by its needs: the others are judged before a data file is read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit.conftest import TableOf
from tests.audit.tables import HEALTHY, NEGATIVE
from tests.audit.waiting import looking, waiting
from tests.of_each import of_each
from xtable_audit.claims import CLAIMS
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, Part

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


@pytest.fixture(params=[*HEALTHY, *NEGATIVE])
def case(request: pytest.FixtureRequest, table_of: TableOf) -> Case:
    """A table as a check has it, without a history."""
    id: str = request.param
    return replace(table_of(id).case, history=(), beside=None, rows=None)


@of_each(("parts", "only"), ASKED.values(), ids=ASKED)
def test_the_claims_that_wait_are_those_that_look(case: Case, parts: tuple[Part, ...], only: bool) -> None:
    bare = replace(case, source=replace(case.source, shown=None), metadata_only=only)
    assert waiting(bare, *parts) == looking(bare, *parts)


def test_without_a_source_the_claims_that_wait_are_those_that_look(case: Case) -> None:
    alone = replace(case, source=UNKNOWN_SOURCE)
    assert waiting(alone, Part.VALUES) == looking(alone, Part.VALUES)


def test_some_claims_wait_and_some_do_not(case: Case) -> None:
    assert 20 < len(waiting(case, Part.VALUES)) < len(CLAIMS) - 20
