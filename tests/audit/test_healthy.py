"""Untouched tables raise nothing: what the mutations are held against."""

from __future__ import annotations

import pytest

from tests.audit.conftest import TableOf
from tests.audit.tables import HEALTHY, NEGATIVE
from xtable_audit.claims import CLAIMS, Claim


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS.keys())
@pytest.mark.parametrize("id", HEALTHY)
def test_untouched_table_holds(table_of: TableOf, id: str, claim: Claim) -> None:
    assert claim.deviations(table_of(id).case) == []


@pytest.mark.parametrize("claim", [c for c in CLAIMS.values() if c.family != "layout"], ids=lambda c: c.id)
@pytest.mark.parametrize("id", NEGATIVE)
def test_badly_laid_out_table_holds_all_but_its_layout(table_of: TableOf, id: str, claim: Claim) -> None:
    assert claim.deviations(table_of(id).case) == []


@pytest.mark.parametrize("claim", [c for c in CLAIMS.values() if c.family == "layout"], ids=lambda c: c.id)
@pytest.mark.parametrize("id", NEGATIVE)
def test_badly_laid_out_table_breaks_its_layout_in_every_file(table_of: TableOf, id: str, claim: Claim) -> None:
    case = table_of(id).case
    touched = {place for deviation in claim.deviations(case) for place in deviation.places}
    assert touched == set(range(len(case.stored.paths)))
