"""`xtable_audit/` is what pip installs: it alone, with what it declares, and it works away from this checkout."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, version
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pyiceberg.catalog.sql import SqlCatalog

from stack.project import ROOT
from tests.test_arrows import JUDGE, imported
from xtable_audit import __version__
from xtable_audit.readers.duckdb_reader import EXTENSIONS

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(text) for text in told] for name, told in PROJECT["optional-dependencies"].items()}
PACKAGES = sorted(file.parent.name for file in (ROOT / JUDGE).glob("*/__init__.py"))
AT_RUN_TIME = {f"duckdb_extension_{name}" for name in EXTENSIONS}
"""Modules that DuckDB's adapter finds by their names."""
BUILD = "import setuptools; setuptools.setup()"
READS = """
import xtable_audit.access.access, xtable_audit.readers.registry as registry
from xtable_audit.access.s3 import S3
reader = registry.open_reader("pyiceberg", S3(None, "", ""))
print(xtable_audit.__path__[0], reader.query(sys.argv[1], None).rows)
"""
TESTS = "import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def names(requirements: list[Requirement]) -> set[str]:
    return {canonicalize_name(one.name) for one in requirements}


def extra_of(package: str) -> str:
    """An extra is named for its sub-package: `pytest` for `pytest_plugin`."""
    return package.removesuffix("_plugin")


@cache
def needed(package: str) -> dict[str, set[str]]:
    """Every module of others that a sub-package imports, also late, and the distributions that bring it."""
    modules = {name.partition(".")[0] for name, _ in imported(ROOT / JUDGE / package)}
    modules |= AT_RUN_TIME if package == "readers" else set()
    bringing = packages_distributions()
    others = modules - {JUDGE} - sys.stdlib_module_names
    return {module: {canonicalize_name(name) for name in bringing[module]} for module in others}


def used(package: str) -> set[str]:
    return set().union(*needed(package).values())


@pytest.mark.parametrize("package", PACKAGES)
def test_a_sub_package_imports_only_what_it_declares(package: str) -> None:
    declared = names(CORE) | names(EXTRAS.get(extra_of(package), []))
    assert [module for module, bringing in needed(package).items() if not bringing & declared] == []


def test_every_dependency_is_imported_without_an_extra() -> None:
    core = [package for package in PACKAGES if extra_of(package) not in EXTRAS]
    assert names(CORE) - set().union(*map(used, core)) == set()


@pytest.mark.parametrize("extra", EXTRAS)
def test_everything_in_an_extra_is_imported_by_its_sub_package(extra: str) -> None:
    [package] = [package for package in PACKAGES if extra_of(package) == extra]
    assert names(EXTRAS[extra]) - used(package) == set()


@pytest.mark.parametrize("requirement", [*CORE, *chain(*EXTRAS.values())], ids=lambda one: one.name)
def test_the_version_that_is_tested_is_in_the_range(requirement: Requirement) -> None:
    assert requirement.specifier.contains(version(requirement.name))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the project is installed, by setuptools alone: it downloads nothing."""
    folder = tmp_path_factory.mktemp("installed")
    steps = {
        "egg_info": ["--egg-base", folder],
        "build": ["--build-base", folder / "build"],
        "install": ["--root", folder / "root", "--install-lib", "/site", "--single-version-externally-managed"],
    }
    words = [str(word) for step, options in steps.items() for word in (step, *options)]
    command = [sys.executable, "-W", "ignore", "-c", BUILD, "--quiet", *words]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return folder / "root" / "site"


@pytest.mark.slow
def test_nothing_else_is_installed(site: Path) -> None:
    assert [path.name for path in site.iterdir() if not path.name.startswith(f"{JUDGE}-{__version__}")] == [JUDGE]


@pytest.mark.slow
def test_every_module_is_installed(site: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / JUDGE).rglob("*.py")}
    assert {path.relative_to(site).as_posix() for path in (site / JUDGE).rglob("*.py")} == modules


@pytest.fixture
def location(tmp_path: Path) -> str:
    """The metadata.json of a table of three rows on this disk."""
    catalog = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("n")
    rows = pa.table({"id": [1, 2, 3]})
    table = catalog.create_table("n.t", rows.schema)
    table.append(rows)
    catalog.close()
    return table.metadata_location


def away(folder: Path, site: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs code that imports from `site` and from the libraries alone, in `folder`."""
    path = [str(site), sysconfig.get_path("purelib")]
    code = (
        f"import sys; sys.path[:] = [{path[0]!r}, *sys.path, {path[1]!r}]; assert {str(ROOT)!r} not in sys.path\n{code}"
    )
    return subprocess.run([sys.executable, "-I", "-c", code, *arguments], cwd=folder, capture_output=True, text=True)


@pytest.mark.slow
def test_readers_work_away_from_the_checkout(site: Path, tmp_path: Path, location: str) -> None:
    """Also where the folder at hand has modules that are named like theirs."""
    (tmp_path / "pyiceberg.py").write_text("raise AssertionError")
    done = away(tmp_path, site, READS, location)
    assert done.stdout.split() == [str(site / JUDGE), "3"], done.stderr


@pytest.mark.slow
def test_pytest_finds_the_installed_plugin(site: Path, tmp_path: Path, location: str) -> None:
    done = away(tmp_path, site, TESTS, "-q", "--iceberg-table", location, "--pyargs", "xtable_audit.pytest_plugin")
    assert (done.returncode, " passed" in done.stdout) == (0, True), done.stdout + done.stderr
