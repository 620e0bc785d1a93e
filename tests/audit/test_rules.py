"""The rules that claims rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from xtable_audit import claims
from xtable_audit.claims.every import EVERY_CLAIM, MODULES
from xtable_audit.model.claim import Claim
from xtable_audit.model.rules import SECTIONS, link_of

OF_ICEBERG = [claim for claim in EVERY_CLAIM.values() if claim.spec.startswith("Iceberg spec")]


@pytest.mark.parametrize("claim", OF_ICEBERG, ids=lambda claim: claim.id)
def test_a_rule_of_the_iceberg_spec_names_a_section_that_it_has(claim: Claim[object, object]) -> None:
    assert link_of(claim.spec) is not None, f"{claim.spec} is in none of {', '.join(SECTIONS)}"


def test_every_section_is_the_rule_of_a_claim() -> None:
    assert {claim.spec.partition(":")[0] for claim in OF_ICEBERG} == {*SECTIONS}


def test_no_module_of_claims_is_left_out() -> None:
    folder = Path(str(claims.__file__)).parent
    helpers = {"deviation.py", "every.py", "index_walk.py", "needs.py", "__init__.py"}
    assert {Path(str(module.__file__)) for module in MODULES} == {
        path for path in folder.rglob("*.py") if path.name not in helpers
    }
