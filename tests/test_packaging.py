"""`xtable_audit/` is what pip installs: it alone, with what it declares, and it works away from this checkout."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from functools import cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pyiceberg.catalog.sql import SqlCatalog

from lab.stack.project import ROOT
from tests.imports import distributions, imported
from tests.of_each import of_each
from xtable_audit import __version__
from xtable_audit.readers.duckdb_reader import EXTENSIONS, DuckDBDeltaReader

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(text) for text in told] for name, told in PROJECT["optional-dependencies"].items()}
JUDGE = "xtable_audit"
PACKAGES = sorted(file.parent.name for file in (ROOT / JUDGE).glob("*/__init__.py"))
OF_SUITE = "build"
"""The extra of what the suite around the package needs besides."""
OF_ROWS = "formats"
"""The sub-package that has modules with and without an extra."""
OF_CATALOGS = {"adls", "gcs", "glue", "hive"}
"""Extras of what PyIceberg imports for a catalog (`tests/ci/test_catalogs.py`)."""
PINNED = [
    Requirement(line.partition("#")[0])
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line.partition("#")[0].strip()
]
OF_OTHERS = {"setuptools"}
"""What a dependency imports without declaring it: PySpark, from Python 3.12 on."""
AT_RUN_TIME = {f"duckdb_extension_{name}" for name in (*EXTENSIONS, *DuckDBDeltaReader.extensions)}
"""Modules that DuckDB's adapters find by their names."""
READS = """
import xtable_audit.access.access, xtable_audit.readers.registry as registry
from xtable_audit.access.s3 import S3
reader = registry.open_reader("pyiceberg", S3(None, "", ""))
print(xtable_audit.__path__[0], reader.query(sys.argv[1], None).rows)
"""
TESTS = "import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def names(requirements: list[Requirement]) -> set[str]:
    return {canonicalize_name(one.name) for one in requirements}


def applies(requirement: Requirement) -> bool:
    """Whether this version of Python needs it."""
    return requirement.marker is None or requirement.marker.evaluate()


def extra_of(package: str) -> str:
    """An extra is named for its sub-package, `pytest` for `pytest_plugin`; `build` is of the suite around.

    The rows of source formats are read by libraries of their own.
    """
    return "rows" if package == OF_ROWS else package.removesuffix("_plugin")


@cache
def needed(package: str) -> dict[str, set[str]]:
    """Every module of others that a sub-package imports, also late, and the distributions that bring it."""
    modules = {name.partition(".")[0] for name, _ in imported(ROOT / JUDGE / package)}
    modules |= AT_RUN_TIME if package == "readers" else set()
    bringing = distributions()
    others = modules - {JUDGE} - sys.stdlib_module_names
    return {module: {canonicalize_name(name) for name in bringing[module]} for module in others}


def used(package: str) -> set[str]:
    return set().union(*needed(package).values())


@of_each("package", PACKAGES)
def test_a_sub_package_imports_only_what_it_declares(package: str) -> None:
    declared = names(CORE) | names(EXTRAS.get(extra_of(package), []))
    assert [module for module, bringing in needed(package).items() if not bringing & declared] == []


def test_every_dependency_is_imported_without_an_extra() -> None:
    core = [package for package in PACKAGES if package == OF_ROWS or extra_of(package) not in EXTRAS]
    assert names(CORE) - set().union(*map(used, core)) == set()


@pytest.mark.parametrize("extra", sorted({*EXTRAS} - {OF_SUITE} - OF_CATALOGS))
def test_everything_in_an_extra_is_imported_by_its_sub_package(extra: str) -> None:
    [package] = [package for package in PACKAGES if extra_of(package) == extra]
    assert names(EXTRAS[extra]) - used(package) - OF_OTHERS == set()


@of_each("requirement", sorted({*filter(applies, (*CORE, *chain(*EXTRAS.values())))}, key=str), ids=str)
def test_the_version_that_is_tested_is_in_the_range(requirement: Requirement) -> None:
    assert requirement.name == PROJECT["name"] or requirement.specifier.contains(version(requirement.name))


def test_core_and_extras_are_all_that_the_suite_needs() -> None:
    assert names(PINNED) - names(CORE) == set().union(*map(names, EXTRAS.values())) - {PROJECT["name"], "pyiceberg"}


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the project's wheel is unpacked."""
    folder = tmp_path_factory.mktemp("installed")
    with ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built by hatchling alone: it downloads nothing."""
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    [built] = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_nothing_else_is_installed(site: Path) -> None:
    assert [path.name for path in site.iterdir() if not path.name.startswith(f"{JUDGE}-{__version__}")] == [JUDGE]


@pytest.mark.slow
def test_every_module_is_installed(site: Path) -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / JUDGE).rglob("*.py")}
    assert {path.relative_to(site).as_posix() for path in (site / JUDGE).rglob("*.py")} == modules


@pytest.mark.slow
def test_the_page_of_every_finding_is_installed_and_nothing_beside_it(site: Path) -> None:
    pages = {path.name: path.read_bytes() for path in (ROOT / "docs" / "findings").glob("XTF-*.md")}
    assert {path.name: path.read_bytes() for path in (site / JUDGE / "register" / "pages").iterdir()} == pages


@pytest.mark.parametrize(
    "needed",
    [
        *("docs/findings", "findings.toml", "findings.code.toml", "findings.extents.json"),
        *("pyproject.toml", "README.md", "xtable_audit"),
    ],
)
def test_the_image_is_built_of_what_the_wheel_is_made_of(needed: str) -> None:
    copied = re.findall(r"^COPY (?!--)(.*) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M)
    let_in = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert needed in " ".join(copied).split()
    assert any(line.startswith(f"!{needed}") for line in let_in)


LARGEST = 450 << 20
"""Maximum size in bytes of the core and all that it needs, without bytecode (docs/measured.md)."""
SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"
NETWORK = "import socket; socket.create_connection(('192.0.2.1', 80), 1)"


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty environment into which pip installs the wheel, from the index of this machine."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / "bin"
    options = ["--quiet", "--no-compile", "--disable-pip-version-check"]
    install = [str(programs / "pip"), "install", *options, str(wheel)]
    subprocess.run(install, check=True, capture_output=True, text=True)
    return programs


def cut_off(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in a network of its own, which has no other side."""
    command = ["unshare", "--map-root-user", "--net", *words]
    return subprocess.run(command, cwd=folder, env={"HOME": str(folder)}, capture_output=True, text=True)


@pytest.mark.slow
def test_a_new_environment_checks_a_table_without_a_network(alone: Path, tmp_path: Path, location: str) -> None:
    if cut_off(tmp_path, "true").returncode:
        pytest.skip("this machine makes no network of its own (unshare)")
    assert cut_off(tmp_path, alone / "python", "-c", NETWORK).returncode != 0
    done = cut_off(tmp_path, alone / "xtable-audit", "check", location)
    assert (done.returncode, done.stdout.splitlines()[-1].startswith("NOTHING FOUND")) == (0, True), done.stderr


@pytest.mark.slow
def test_a_new_environment_knows_the_register_away_from_the_checkout(alone: Path, tmp_path: Path) -> None:
    asked: list[str | Path] = [alone / "xtable-audit", "known", "XTF-004", "--page"]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout.startswith("# XTF-004: ")) == (0, True), done.stderr
    assert "## Where in the code" in done.stdout


@pytest.mark.slow
def test_the_core_is_small(alone: Path) -> None:
    """Without pip itself, which the environment brings."""
    site = Path(
        subprocess.run([alone / "python", "-c", SITE], check=True, capture_output=True, text=True).stdout.strip()
    )
    own = [path for path in site.iterdir() if not path.name.startswith(("pip", "setuptools", "pkg_resources"))]
    files = [file for path in own for file in ([path] if path.is_file() else path.rglob("*"))]
    assert sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc") < LARGEST


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
    done = away(tmp_path, site, TESTS, "-q", "--table", location, "--pyargs", "xtable_audit.pytest_plugin")
    assert (done.returncode, " passed" in done.stdout) == (0, True), done.stdout + done.stderr
