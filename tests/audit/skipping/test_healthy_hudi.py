"""A healthy table raises nothing: what the mutations are held against."""

from __future__ import annotations

import pytest

from audit.skipping.claims import CLAIMS, HudiClaim
from tests.audit.skipping import healthy


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS.keys())
def test_untouched_table_holds(claim: HudiClaim) -> None:
    assert claim.deviations(healthy.case()) == []
