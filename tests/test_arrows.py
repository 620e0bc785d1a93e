"""Which package may import which: the arrows of docs/how-it-works.md, held."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from stack.project import ROOT

JUDGE = "xtable_audit"
ORDER = ("model", "values", "metadata", "scan", "subject", "planning", "claims")
"""Each package of the judge imports only those before it."""
BESIDE = {
    "hudi": {"model", "values", "planning"},
    "blame": {*ORDER},
    "register": {"model"},
    "report": {"model", "register"},
}
INSIDE = {name: {*ORDER[:place]} for place, name in enumerate(ORDER)} | BESIDE
OURS = {
    JUDGE, "stack", "store", "engines", "readers", "spark_jobs", "xtable", "subjects", "provision", "recording",
    "pages", "fixtures", "suites", "gate", "hunt", "benchmarks", "tests", "conftest",
}  # fmt: skip
OUTSIDE = {
    JUDGE: set(),
    "stack": set(),
    "store": {JUDGE, "stack"},
    "spark_jobs": {"stack", "store"},
    "engines": {"stack", "store"},
    "xtable": {JUDGE, "stack", "store"},
    "readers": {JUDGE, "stack", "store", "engines"},
    "subjects": {JUDGE, "stack", "spark_jobs", "provision"},
    "provision": {JUDGE, "stack", "store", "spark_jobs", "engines", "readers", "xtable", "subjects"},
    "suites": {JUDGE, "subjects", "fixtures"},
}
"""The packages of this project that each may import, beside itself."""


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    """Every module that is imported below the folder, also late, but not for its types alone; and where."""
    for file in sorted(folder.rglob("*.py")):
        where = file.relative_to(ROOT).as_posix()
        for name in _names(ast.parse(file.read_text(encoding="utf-8"))):
            yield name, where


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Import(names=names):
            yield from (one.name for one in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield from (f"{module}.{one.name}" for one in names)
    for child in ast.iter_child_nodes(node):
        yield from _names(child)


@pytest.mark.parametrize("package", OUTSIDE)
def test_a_package_imports_no_other_than_it_may(package: str) -> None:
    allowed = OUTSIDE[package] | {package}
    seen = {(name.partition(".")[0], where) for name, where in imported(ROOT / package)}
    assert sorted(one for one in seen if one[0] in OURS - allowed) == []


@pytest.mark.parametrize("package", INSIDE)
def test_a_package_of_the_judge_imports_no_other_than_it_may(package: str) -> None:
    allowed = INSIDE[package] | {package}
    seen = {(name.split(".")[1], where) for name, where in imported(ROOT / JUDGE / package) if name.startswith(JUDGE)}
    assert sorted(one for one in seen if one[0] not in allowed) == []


def test_every_package_of_the_judge_has_its_place() -> None:
    assert {file.parent.name for file in (ROOT / JUDGE).glob("*/__init__.py")} == {*INSIDE}


@pytest.mark.parametrize("library", ["pytest", "pyspark", "py4j", "boto3", "duckdb", "polars", "daft", "chdb", "trino"])
def test_the_judge_knows_no_engine_and_no_runner(library: str) -> None:
    assert [where for name, where in imported(ROOT / JUDGE) if name.partition(".")[0] == library] == []


@pytest.mark.parametrize("package", ["model", "values"])
def test_what_an_executor_needs_stands_on_arrow_alone(package: str) -> None:
    """A scan in another process imports no more than these."""
    heavy = {"datafusion", "pydantic", "sqlalchemy"}
    assert sorted(where for name, where in imported(ROOT / JUDGE / package) if name.partition(".")[0] in heavy) == []
