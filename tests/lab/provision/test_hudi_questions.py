"""The questions that are drawn: the same everywhere, of every kind, about values that are there and that are not."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.provision.hudi.questions import DEPTH, LiteralPool, drawn, pools
from lab.stack.project import ROOT
from tests.of_each import of_each
from tests.xtable_audit.formats.hudi import healthy
from xtable_audit.formats.hudi.indexed_table import HudiCase, matching
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, columns_of

CASE = healthy.case()
FEW = 40
AGAIN = """
import {also}
from tests.lab.provision import test_hudi_questions
from tests.xtable_audit.formats.hudi import healthy
print(test_hudi_questions.fingerprint(healthy.case()))
"""


@pytest.fixture(scope="module")
def predicates() -> tuple[Predicate, ...]:
    """The questions of one table, drawn once."""
    return drawn(CASE.newest)


def fingerprint(case: HudiCase) -> str:
    return hashlib.sha256("\n".join(map(repr, drawn(case.newest, FEW))).encode()).hexdigest()


def leaves(predicate: Predicate) -> Iterator[Predicate]:
    if isinstance(predicate, And | Or):
        yield from leaves(predicate.left)
        yield from leaves(predicate.right)
    else:
        yield predicate


def depth(predicate: Predicate) -> int:
    return 1 + max(map(depth, (predicate.left, predicate.right))) if isinstance(predicate, And | Or) else 1


def test_as_many_as_requested_each_once(predicates: tuple[Predicate, ...]) -> None:
    assert len(predicates) == len(set(predicates)) == 200


@pytest.mark.parametrize(
    ("seed", "also"), [("1", "json"), ("2", "xtable_audit.claims, xtable_audit.report.pages, pyarrow.dataset")]
)
def test_same_list_in_another_process(tmp_path: Path, seed: str, also: str) -> None:
    """Whatever else is loaded, in whatever folder: Hypothesis looks into the modules that lie there."""
    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    folder = ROOT if seed == "1" else tmp_path
    again = subprocess.run(
        [sys.executable, "-c", AGAIN.format(also=also)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout.strip() == fingerprint(CASE)
    assert not (tmp_path / ".hypothesis").exists()


@pytest.mark.parametrize(
    "kind",
    [
        *(
            pytest.param(lambda p, o=o: isinstance(p, Compare) and p.operator == o, id=o)
            for o in ("=", "!=", "<", "<=", ">", ">=")
        ),
        pytest.param(lambda p: isinstance(p, In) and not p.negated, id="in"),
        pytest.param(lambda p: isinstance(p, In) and p.negated, id="not in"),
        pytest.param(lambda p: isinstance(p, IsNull) and not p.negated, id="is null"),
        pytest.param(lambda p: isinstance(p, IsNull) and p.negated, id="is not null"),
    ],
)
def test_every_kind_of_condition_is_drawn(kind: Callable[[Predicate], bool], predicates: tuple[Predicate, ...]) -> None:
    assert any(kind(leaf) for predicate in predicates for leaf in leaves(predicate))


@pytest.mark.parametrize("size", range(1, DEPTH + 1))
def test_trees_of_every_depth_are_drawn(size: int, predicates: tuple[Predicate, ...]) -> None:
    assert any(depth(predicate) == size for predicate in predicates)


def test_no_tree_is_deeper(predicates: tuple[Predicate, ...]) -> None:
    assert max(map(depth, predicates)) == DEPTH


@pytest.mark.parametrize("join", [And, Or])
def test_both_joins_are_drawn(join: type[Predicate], predicates: tuple[Predicate, ...]) -> None:
    assert any(isinstance(predicate, join) for predicate in predicates)


def test_every_column_is_queried(predicates: tuple[Predicate, ...]) -> None:
    assert frozenset[str]().union(*map(columns_of, predicates)) == {*healthy.SCHEMA.names} - {
        "_hoodie_record_key",
        "inside",
    }


def test_no_literal_is_nan_or_infinite() -> None:
    literals = [value for pool in pools(CASE.newest) for value in (*pool.present, *pool.absent)]
    assert all(value - value == 0.0 for value in literals if isinstance(value, float))


@of_each("pool", pools(CASE.newest), ids=lambda pool: pool.column)
def test_present_values_are_found_and_absent_ones_are_not(pool: LiteralPool) -> None:
    assert all(matching(CASE.newest, Compare(pool.column, "=", value)) for value in pool.present)
    assert not any(matching(CASE.newest, Compare(pool.column, "=", value)) for value in pool.absent)


@pytest.mark.parametrize("wanted", ["none", "some", "all"])
def test_some_predicates_match_no_file_some_a_few_and_some_all(wanted: str, predicates: tuple[Predicate, ...]) -> None:
    live = CASE.newest.files - CASE.newest.empty
    found = [frozenset(matching(CASE.newest, predicate)) for predicate in predicates]
    assert wanted in {"none" if not files else "all" if files == live else "some" for files in found}


def test_hypothesis_is_not_loaded_before_something_is_drawn() -> None:
    code = "import sys, lab.provision.hudi.questions; print('hypothesis' in sys.modules)"
    seen = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "False"
