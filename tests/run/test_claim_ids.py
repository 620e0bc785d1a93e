"""The id of a claim is the name of its function: the register, reports and people name claims so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from fixtures.known import every_claim
from stack.project import ROOT
from xtable_audit import claims
from xtable_audit.claims.claim import claim
from xtable_audit.hudi import claims as of_hudi
from xtable_audit.hudi.claim import claim as claim_of_hudi
from xtable_audit.model.finding import Verdict

IDS = {*claims.CLAIMS, *of_hudi.CLAIMS}


@dataclass(frozen=True)
class Asked:
    """One test of the suites: its file, name and sentence, and the claims that it holds."""

    file: str
    name: str
    sentence: str
    holds: tuple[str, ...]


def written() -> Iterator[Asked]:
    for file in sorted(Path(ROOT / "suites").rglob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield Asked(
                    f"{file.parent.name}-{file.stem}", node.name, ast.get_docstring(node) or "", tuple(_held(node))
                )


def _held(node: ast.FunctionDef) -> Iterator[str]:
    """`bounds_contain_values` of `expect(table).holds(bounds_contain_values)`, and of `….holds(bounds.…)`."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "holds":
            [held] = call.args
            assert isinstance(held, ast.Attribute | ast.Name)
            yield held.attr if isinstance(held, ast.Attribute) else held.id


TESTS = tuple(written())


@pytest.mark.parametrize("asked", TESTS, ids=lambda asked: f"{asked.file}-{asked.name}")
def test_a_test_is_named_after_the_claim_that_it_holds(asked: Asked) -> None:
    """And no test that holds none has the name of a claim."""
    named = tuple(IDS & {asked.name.removeprefix("test_")})
    assert named == asked.holds


def test_every_claim_is_held_by_a_test() -> None:
    assert {id for asked in TESTS for id in asked.holds} == IDS


def test_a_claim_that_several_suites_ask_is_one_sentence() -> None:
    sentences: dict[str, set[str]] = {}
    for asked in TESTS:
        sentences.setdefault(asked.name, set()).add(asked.sentence)
    assert {name: told for name, told in sentences.items() if len(told) > 1} == {}


def test_no_claim_about_iceberg_has_the_id_of_one_about_hudi() -> None:
    assert set(claims.CLAIMS) & set(of_hudi.CLAIMS) == set()


def test_every_claim_has_its_tests() -> None:
    assert every_claim()["bounds_contain_values"] == ["suites/bounds/test_bounds.py::test_bounds_contain_values"]
    assert set(every_claim()) >= IDS


@pytest.mark.parametrize(
    ("made_by", "module"),
    [(claim, "xtable_audit.claims.claim"), (claim_of_hudi, "xtable_audit.hudi.claim")],
    ids=["of Iceberg", "of Hudi"],
)
def test_a_second_claim_of_the_same_id_is_an_error(
    made_by: object, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the first one would be gone without a word."""
    monkeypatch.setattr(f"{module}.CLAIMS", {"it_holds": SimpleNamespace(family="bounds")})

    def it_holds(case: object) -> Iterator[object]:
        yield from ()

    assert callable(made_by)
    with pytest.raises(ValueError, match="two claims have the id it_holds, in bounds and test_claim_ids"):
        made_by("it holds", spec="none", breaks=Verdict.LOOSE)(it_holds)
