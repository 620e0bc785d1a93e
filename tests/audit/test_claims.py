"""What every claim has: the rule that it rests on, and one id, from which its tests and their words are made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from fixtures.claims import TESTS, hold
from lab.provision.register import REGISTER, register
from lab.stack.project import ROOT
from xtable_audit.claims import bounds
from xtable_audit.claims.every import EVERY_CLAIM, HELD_FIRST, MODULES
from xtable_audit.formats.delta.rules import DELTA_RULES
from xtable_audit.model.claim import CLAIMS, Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.rules import QUOTED, READ_ON, SECTIONS, link_of
from xtable_audit.pytest_plugin.holding import claim_of
from xtable_audit.subject.case import Case

JUDGE = ROOT / "xtable_audit"
OF_SPECS = [claim for claim in EVERY_CLAIM.values() if claim.spec.startswith(("Iceberg", "Puffin", "RFC", "Delta"))]


@dataclass(frozen=True)
class Written:
    """One test of the suites: its file, its name, and the claim that it holds."""

    file: str
    name: str
    claim: str


def written() -> Iterator[Written]:
    """`test_x = hold(module.x, …)`, wherever a suite has it."""
    for file in sorted(Path(ROOT / "suites").rglob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Call(func=ast.Name(id="hold"), args=[ast.Attribute(attr=id), *_]),
                ):
                    yield Written(f"{file.parent.name}-{file.stem}", name, id)
                case ast.FunctionDef(name=name):
                    yield Written(f"{file.parent.name}-{file.stem}", name, "")


WRITTEN = tuple(written())


# The rules that claims rest on.


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


# A claim is written once: its id is its function's name, its tests and their words are made from it.


def test_a_test_is_named_after_the_claim_that_it_holds() -> None:
    assert not [test for test in WRITTEN if test.name != f"test_{test.claim}" or test.claim not in CLAIMS]


def test_every_claim_is_held_by_a_test() -> None:
    assert {test.claim for test in WRITTEN} == set(CLAIMS) - HELD_FIRST


def test_every_claim_can_be_held() -> None:
    assert not [id for id, claim in CLAIMS.items() if claim.about not in TESTS]


def test_a_test_carries_its_claim(request: pytest.FixtureRequest) -> None:
    test = hold(bounds.no_bound_is_nan, pytest.mark.parametrize("table", ["a", "b"]))
    item = pytest.Function.from_parent(request.node.parent, name="test_by_another_name", callobj=test)
    assert claim_of(item) is bounds.no_bound_is_nan


def test_a_test_has_its_claims_sentence() -> None:
    test = hold(bounds.no_bound_is_nan)
    assert (test.__name__, test.__doc__) == ("test_no_bound_is_nan", "No bound is NaN.")


ANY = Need[Case]("a table", lambda case: 1)


def test_a_second_claim_of_the_same_id_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the first one would be gone without a word."""
    monkeypatch.setattr("xtable_audit.model.claim.CLAIMS", {"it_holds": SimpleNamespace(family="bounds")})

    def it_holds(case: Case) -> Iterator[object]:
        yield from ()

    with pytest.raises(ValueError, match="two claims have the id it_holds, in bounds and test_claims"):
        claim("it holds", needs=ANY, spec="none", breaks=Verdict.LOOSE)(it_holds)


def test_a_claim_that_needs_nothing_is_an_error() -> None:
    """It could hold having compared nothing."""

    def it_holds(case: Case) -> Iterator[object]:
        yield from ()

    with pytest.raises(ValueError, match="the claim it_holds says nothing of what it needs"):
        claim("it holds", needs=(), spec="none", breaks=Verdict.LOOSE)(it_holds)
