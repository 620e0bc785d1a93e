"""Decimal bounds in more bytes than they need: Iceberg requires the fewest, and readers read the others as well."""

from __future__ import annotations

import pytest

from tests.audit.conftest import DraftOf
from tests.audit.draft import Draft, Raw
from tests.audit.mutate import actual
from xtable_audit.claims import CLAIMS
from xtable_audit.model.finding import Verdict

SIGN = {True: b"\xff", False: b"\0"}


def put_padded(draft: Draft, column: str, *, rightly: bool) -> None:
    """A lower bound of the first file, which is negative, in sixteen bytes: its sign repeated, or noughts."""
    least = actual(draft, 0, column, "min")
    scale = draft.leaf(column).arrow.scale
    unscaled = int(least.scaleb(scale))
    content = unscaled.to_bytes((unscaled + 1).bit_length() // 8 + 1, "big", signed=True)
    draft.put(0, "lower_bounds", column, Raw(content.rjust(16, SIGN[rightly])))


def broken(draft: Draft) -> dict[str, Verdict]:
    case = draft.case()
    return {id: claim.breaks for id, claim in CLAIMS.items() if claim.deviations(case)}


@pytest.mark.parametrize("column", ["decimal4", "decimal8"])
def test_a_bound_with_its_sign_repeated_breaks_no_claim(draft_of: DraftOf, column: str) -> None:
    draft = draft_of("typed")
    put_padded(draft, column, rightly=True)
    assert broken(draft) == {}


@pytest.mark.parametrize("column", ["decimal4", "decimal8"])
def test_a_negative_bound_behind_noughts_is_another_number(draft_of: DraftOf, column: str) -> None:
    draft = draft_of("typed")
    put_padded(draft, column, rightly=False)
    assert broken(draft) == {"bounds_contain_values": Verdict.UNSOUND}
