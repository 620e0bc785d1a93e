"""The rules that claims rest on."""

from __future__ import annotations

from pathlib import Path

from lab.provision.register import REGISTER, register
from lab.stack.project import ROOT
from xtable_audit.claims.every import EVERY_CLAIM, MODULES
from xtable_audit.formats.delta.rules import DELTA_RULES
from xtable_audit.model.rules import QUOTED, READ_ON, SECTIONS, link_of

JUDGE = ROOT / "xtable_audit"
OF_SPECS = [claim for claim in EVERY_CLAIM.values() if claim.spec.startswith(("Iceberg", "Puffin", "RFC", "Delta"))]


def test_a_rule_of_a_specification_names_a_section_that_it_has() -> None:
    assert not [claim.spec for claim in OF_SPECS if link_of(claim.spec) is None]


def test_every_section_is_the_rule_of_a_claim_or_quoted() -> None:
    of_delta = (rule.spec for rule in DELTA_RULES.rules.values())
    rules = [*(claim.spec for claim in OF_SPECS), *of_delta, *QUOTED.values()]
    assert {rule.partition(":")[0] for rule in rules} == {*SECTIONS}


def test_a_quoted_rule_names_a_section_that_is_known() -> None:
    assert not [rule for rule in QUOTED.values() if link_of(rule) is None]


def test_a_quoted_rule_is_quoted() -> None:
    assert not [rule for rule in QUOTED.values() if rule.count('"') < 2]


def test_every_specification_has_the_date_on_which_it_was_read() -> None:
    assert {section.partition(",")[0] for section in SECTIONS} <= {*READ_ON}


def test_every_quoted_rule_is_one_of_a_finding() -> None:
    assert {name for entry in register(REGISTER) for name in entry.rules} == {*QUOTED}


def test_no_module_of_claims_is_left_out() -> None:
    of_any = {"delete_needs.py", "deviation.py", "every.py", "needs.py", "rules.py", "__init__.py"}
    helpers = of_any | {"index_view.py", "records.py"}  # of Hudi's indexes
    files = [*(JUDGE / "claims").rglob("*.py"), *(JUDGE / "formats").glob("*/claims/*.py")]
    assert {Path(str(module.__file__)) for module in MODULES} == {path for path in files if path.name not in helpers}


def test_delta_has_rules_of_claims_that_there_are() -> None:
    assert {*DELTA_RULES.rules, *DELTA_RULES.silent} - {f"{id}_after_a_sync" for id in EVERY_CLAIM} <= {*EVERY_CLAIM}


def test_no_claim_has_both_a_rule_of_deltas_and_none() -> None:
    assert {*DELTA_RULES.rules} & {*DELTA_RULES.silent} == set()
