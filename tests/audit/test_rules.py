"""The rules that claims rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from provision.register import REGISTER, register
from stack.project import ROOT
from xtable_audit.claims.every import EVERY_CLAIM, MODULES
from xtable_audit.formats.delta.rules import DELTA_RULES
from xtable_audit.model.claim import Claim
from xtable_audit.model.rules import QUOTED, READ_ON, SECTIONS, link_of

JUDGE = ROOT / "xtable_audit"
OF_SPECS = [claim for claim in EVERY_CLAIM.values() if claim.spec.startswith(("Iceberg", "Puffin", "RFC", "Delta"))]


@pytest.mark.parametrize("claim", OF_SPECS, ids=lambda claim: claim.id)
def test_a_rule_of_a_specification_names_a_section_that_it_has(claim: Claim[object, object]) -> None:
    assert link_of(claim.spec) is not None, f"{claim.spec} is in none of {', '.join(SECTIONS)}"


def test_every_section_is_the_rule_of_a_claim_or_quoted() -> None:
    of_delta = (rule.spec for rule in DELTA_RULES.rules.values())
    rules = [*(claim.spec for claim in OF_SPECS), *of_delta, *QUOTED.values()]
    assert {rule.partition(":")[0] for rule in rules} == {*SECTIONS}


@pytest.mark.parametrize("name", QUOTED)
def test_a_quoted_rule_names_a_section_that_is_known(name: str) -> None:
    assert link_of(QUOTED[name]) is not None, f"{QUOTED[name]} is in none of {', '.join(SECTIONS)}"


@pytest.mark.parametrize("name", QUOTED)
def test_a_quoted_rule_is_quoted(name: str) -> None:
    assert QUOTED[name].count('"') >= 2


@pytest.mark.parametrize("section", SECTIONS)
def test_every_specification_has_the_date_on_which_it_was_read(section: str) -> None:
    assert section.partition(",")[0] in READ_ON


def test_every_quoted_rule_is_one_of_a_finding() -> None:
    assert {name for entry in register(REGISTER) for name in entry.rules} == {*QUOTED}


def test_no_module_of_claims_is_left_out() -> None:
    helpers = {"delete_needs.py", "deviation.py", "every.py", "index_walk.py", "needs.py", "rules.py", "__init__.py"}
    files = [*(JUDGE / "claims").rglob("*.py"), *(JUDGE / "formats").glob("*/claims/*.py")]
    assert {Path(str(module.__file__)) for module in MODULES} == {path for path in files if path.name not in helpers}


def test_delta_has_rules_of_claims_that_there_are() -> None:
    assert {*DELTA_RULES.rules, *DELTA_RULES.silent} - {f"{id}_after_a_sync" for id in EVERY_CLAIM} <= {*EVERY_CLAIM}


def test_no_claim_has_both_a_rule_of_deltas_and_none() -> None:
    assert {*DELTA_RULES.rules} & {*DELTA_RULES.silent} == set()
