"""Which package may import which: the arrows of docs/how-it-works.md, held."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stack.project import ROOT
from tests.imports import modules_of, names_in
from xtable_audit.readers.registry import ADAPTERS

JUDGE = "xtable_audit"
ORDER = ("model", "values", "table", "metadata", "formats", "scan", "subject", "planning", "hudi", "claims")
"""Each of these packages of the judge imports only those before it."""
BESIDE = {
    "access": {"model"},
    "spark": {"model", "values", "scan"},
    "readers": {"model", "access"},
    "blame": {*ORDER},
    "judge": {*ORDER, "blame"},
    "register": {"model"},
    "report": {"__version__", "model", "register"},
    "locate": {"model", "access"},
    "formats": {"model", "values", "table", "metadata", "access"},
    "check": {"__version__", *ORDER, "blame", "judge", "register", "report", "locate", "formats"},
    "cli": {
        "__version__",
        "address",
        "affected",
        "claims",
        "model",
        "register",
        "report",
        "locate",
        "check",
        "formats",
        "spark",
    },
    "affected": {"cli", "model", "register", "report", "formats"},
    "pytest_plugin": {*ORDER, "access", "judge", "register", "locate", "check", "formats"},
}
ALONE = {"pytest": f"{JUDGE}/pytest_plugin/", "pyspark": f"{JUDGE}/spark/", "py4j": f"{JUDGE}/spark/"}
"""The one package that knows a runner or an engine of these."""
INSIDE = {name: {*ORDER[:place]} for place, name in enumerate(ORDER)} | BESIDE
OURS = {
    JUDGE, "stack", "store", "engines", "spark_jobs", "xtable", "subjects", "provision", "recording",
    "pages", "reproduce", "fixtures", "suites", "frozen", "fuzz", "gate", "hunt", "benchmarks", "tests", "conftest",
}  # fmt: skip
OUTSIDE = {
    JUDGE: set(),
    "stack": {JUDGE},
    "store": {JUDGE, "stack"},
    "spark_jobs": {JUDGE, "stack", "store"},
    "engines": {JUDGE, "stack", "store"},
    "xtable": {JUDGE, "stack", "store"},
    "subjects": {JUDGE, "stack", "spark_jobs"},
    "provision": {JUDGE, "stack", "store", "spark_jobs", "engines", "xtable", "subjects"},
    "suites": {JUDGE, "subjects", "fixtures"},
}
"""The packages of this project that each may import, beside itself."""
PARTS = {
    "stack": {"__version__", "model"},
    "store": {"model", "access"},
    "spark_jobs": {"model", "access", "formats"},
    "engines": {"model", "access", "readers"},
    "xtable": {"model", "access", "formats"},
}
"""What these may import of the judge's package."""

OF_ANY_FORMAT = (
    *("model/", "values/", "table/", "planning/", "claims/needs.py", "claims/deviation.py"),
    *(f"claims/{name}.py" for name in ("bounds", "counts", "layout", "partition")),
    *(f"claims/translation/{name}.py" for name in ("files", "rows", "paired_tables")),
    *(f"claims/readers/{name}.py" for name in ("decoded_bounds", "planning", "pruning")),
)
"""Parts of the judge that see a table of any format."""
OF_ICEBERG = ("pyiceberg", f"{JUDGE}.metadata")

REPORT = f"{JUDGE}/report/"
PRINTED = {f"{JUDGE}/check/document.py", f"{JUDGE}/check/run.py"}
"""Where a check makes the document that is printed. No other module of `check` knows reports."""
JUDGING = (
    "xtable_audit.check.claims", "xtable_audit.check.ask", "xtable_audit.check.roots", "xtable_audit.pytest_plugin",
    "fixtures.claims", "fuzz.judging", "hunt.trial",
)  # fmt: skip
"""Modules that judge claims."""


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    """Every module that is imported below the folder, also late, but not for its types alone; and where."""
    for file in sorted(folder.rglob("*.py")):
        where = file.relative_to(ROOT).as_posix()
        yield from ((name, where) for name in names_in(file))


@pytest.mark.parametrize("package", OUTSIDE)
def test_a_package_imports_no_other_than_it_may(package: str) -> None:
    allowed = OUTSIDE[package] | {package}
    seen = {(name.partition(".")[0], where) for name, where in imported(ROOT / package)}
    assert sorted(one for one in seen if one[0] in OURS - allowed) == []


@pytest.mark.parametrize("package", PARTS)
def test_a_package_imports_no_other_part_of_the_judge_than_it_may(package: str) -> None:
    seen = {(name.split(".")[1], where) for name, where in imported(ROOT / package) if name.startswith(JUDGE)}
    assert sorted(one for one in seen if one[0] not in PARTS[package]) == []


def test_what_writes_tables_shares_names_of_instants_with_the_judge_and_no_reader() -> None:
    """A reader that errs would err on both sides."""
    names = (name for name, _ in imported(ROOT / "spark_jobs") if name.startswith(f"{JUDGE}.formats."))
    assert {name.rpartition(".")[0] for name in names} == {f"{JUDGE}.formats.hudi.instants"}


@pytest.mark.parametrize("package", INSIDE)
def test_a_package_of_the_judge_imports_no_other_than_it_may(package: str) -> None:
    allowed = INSIDE[package] | {package}
    seen = {(name.split(".")[1], where) for name, where in imported(ROOT / JUDGE / package) if name.startswith(JUDGE)}
    assert sorted(one for one in seen if one[0] not in allowed) == []


def test_every_package_of_the_judge_has_its_place() -> None:
    assert {file.parent.name for file in (ROOT / JUDGE).glob("*/__init__.py")} == {*INSIDE}


@pytest.mark.parametrize("part", OF_ANY_FORMAT)
def test_what_is_of_any_format_knows_nothing_of_icebergs(part: str) -> None:
    there = [(name, where) for name, where in imported(ROOT / JUDGE) if where.startswith(f"{JUDGE}/{part}")]
    assert there
    assert [(name, where) for name, where in there if name.startswith(OF_ICEBERG)] == []


@pytest.mark.parametrize("library", ["pytest", "pyspark", "py4j", "boto3", "trino", "firebolt"])
def test_the_package_knows_no_server_and_no_runner(library: str) -> None:
    known = [where for name, where in imported(ROOT / JUDGE) if name.partition(".")[0] == library]
    assert [where for where in known if library not in ALONE or not where.startswith(ALONE[library])] == []


@pytest.mark.parametrize("package", sorted({*INSIDE} - {"readers"}))
def test_only_readers_know_engines(package: str) -> None:
    engines = {adapter.module for adapter in ADAPTERS.values()} - {"pyiceberg", "deltalake"}  # libraries of ours too
    assert [where for name, where in imported(ROOT / JUDGE / package) if name.partition(".")[0] in engines] == []


@pytest.mark.parametrize("package", ["model", "values"])
def test_what_an_executor_needs_imports_arrow_alone(package: str) -> None:
    """A scan in another process imports no more than these."""
    heavy = {"datafusion", "pydantic", "sqlalchemy"}
    assert sorted(where for name, where in imported(ROOT / JUDGE / package) if name.partition(".")[0] in heavy) == []


@pytest.mark.parametrize("module", JUDGING)
def test_judging_imports_no_report(module: str) -> None:
    """Also not through what it imports."""
    files = sorted(file.relative_to(ROOT).as_posix() for file in modules_of(module))
    assert len(files) > 1
    assert [file for file in files if file.startswith(REPORT)] == []


def test_of_a_check_only_its_document_knows_reports() -> None:
    seen = {where for name, where in imported(ROOT / JUDGE / "check") if name.startswith(f"{JUDGE}.report")}
    assert seen == PRINTED
