"""A claim is written once: its id is its function's name, its tests and their words are made from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from fixtures.claims import TESTS, hold
from lab.stack.project import ROOT
from xtable_audit.claims import bounds
from xtable_audit.claims.every import HELD_FIRST
from xtable_audit.model.claim import CLAIMS, Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.pytest_plugin.holding import claim_of
from xtable_audit.subject.case import Case


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

    with pytest.raises(ValueError, match="two claims have the id it_holds, in bounds and test_claim_ids"):
        claim("it holds", needs=ANY, spec="none", breaks=Verdict.LOOSE)(it_holds)


def test_a_claim_that_needs_nothing_is_an_error() -> None:
    """It could hold having compared nothing."""

    def it_holds(case: Case) -> Iterator[object]:
        yield from ()

    with pytest.raises(ValueError, match="the claim it_holds says nothing of what it needs"):
        claim("it holds", needs=(), spec="none", breaks=Verdict.LOOSE)(it_holds)
