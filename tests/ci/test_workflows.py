"""compose.yaml and the workflows: they keep their schemas, and do what the suite itself or a pull request needs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from fixtures.options import add_options
from lab.engines.firebolt.open import CONFIG, MEMLOCK, PORT, config, credentials, privileges
from lab.engines.readers import ADAPTERS
from lab.engines.trino.client import JdbcCatalogs
from lab.engines.trino.install import CATALOG_TABLES
from lab.engines.trino.reader import create_catalog
from lab.stack.project import ROOT
from lab.stack.versions import firebolt, nessie_versions, postgres_versions, trino
from lab.store.address import Workspace
from lab.store.minio import IMAGE
from tests.emulators.programs import GO, installed
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.readers.sql_dialects import TRINO

OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FOR_OTHERS = sorted((ROOT / "docs" / "ci").glob("*.yml"))
WORKFLOWS = [path for path in (*OURS, *FOR_OTHERS) if path.name != "gitlab-ci.yml"]
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
POM = "<project><properties>\n  <xtable.version>{}</xtable.version>\n</properties></project>\n"
STEPS: list[dict[str, Any]] = yaml.safe_load((ROOT / "docs/ci/upgrade.yml").read_text())["jobs"]["gate"]["steps"]
[RELEASES] = [step for step in STEPS if step.get("id") == "releases"]
FILE = ROOT / "compose.yaml"
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
STORE = Workspace(endpoint="http://minio:9000", access_key="audit", secret_key="audit-secret", bucket="xtable-audit")


@pytest.fixture(params=WORKFLOWS, ids=lambda path: str(path.relative_to(ROOT)))
def workflow(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workflow as its user has it, in a folder of workflows, beside this project as a submodule."""
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    path: Path = request.param
    shutil.copy(path, folder / path.name)
    submodule = tmp_path / "xtable-audit"
    submodule.mkdir()
    shutil.copy(ROOT / "action.yml", submodule / "action.yml")
    return folder / path.name


def passes(*command: str, at: Path = ROOT) -> None:
    ran = subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def zizmor(path: Path) -> None:
    passes(str(Path(sys.executable).with_name("zizmor")), "--offline", "--no-progress", "--no-config", str(path))


def keeps_schema(name: str, path: Path) -> None:
    passes(sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{name}", str(path))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose base uses 0.3.0."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "pom.xml").write_text(POM.format("0.3.0-incubating"))
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--message", "base")
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def content(name: str) -> str:
    text: str = COMPOSE["configs"][name]["content"]
    return text


# The workflows of this repository and those of docs/ci, by the linters of their fields.


def test_a_workflow_keeps_its_schema(workflow: Path) -> None:
    keeps_schema("github-workflows", workflow)


def test_a_workflow_is_safe(workflow: Path) -> None:
    zizmor(workflow)


def test_a_workflow_is_sound(workflow: Path) -> None:
    passes(actionlint(), str(workflow), at=workflow.parents[2])


def actionlint() -> str:
    try:
        return shutil.which("actionlint") or str(installed("actionlint", GO, ACTIONLINT))
    except Problem as problem:
        pytest.skip(str(problem))


def test_the_action_keeps_its_schema() -> None:
    keeps_schema("github-actions", ROOT / "action.yml")


def test_the_action_is_safe() -> None:
    zizmor(ROOT / "action.yml")


def test_the_pipeline_of_gitlab_keeps_its_schema() -> None:
    keeps_schema("gitlab-ci", ROOT / "docs" / "ci" / "gitlab-ci.yml")


def test_a_workflow_that_puts_an_input_into_a_script_is_not_safe(tmp_path: Path) -> None:
    """The linter finds what it is there for."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8").replace('"$TABLE"', "${{ inputs.table }}", 1)
    (tmp_path / "action.yml").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match="template-injection"):
        zizmor(tmp_path / "action.yml")


# docs/ci/upgrade.yml: the releases that a pull request changes.


@pytest.mark.parametrize("new", ["0.4.0-incubating", "0.3.0-incubating"], ids=["another release", "the same"])
def test_it_finds_the_releases_before_and_after(repository: Path, tmp_path: Path, new: str) -> None:
    (repository / "pom.xml").write_text(POM.format(new))
    output = tmp_path / "output"
    environment = os.environ | {"BASE": "HEAD", "GITHUB_OUTPUT": str(output)}
    command = ["bash", "-e", "-o", "pipefail", "-c", RELEASES["run"]]
    subprocess.run(command, cwd=repository, env=environment, check=True)
    assert output.read_text().splitlines() == ["from=0.3.0-incubating", f"to={new}"]


# compose.yaml: it keeps its schema, and starts what the suite itself would start, set alike.


def test_it_keeps_its_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(FILE)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize(
    ("service", "image"),
    [
        ("minio", IMAGE),
        ("bucket", IMAGE),
        ("postgres", postgres_versions().image),
        ("trino", trino().image),
        ("nessie", nessie_versions().image),
        ("firebolt", firebolt().image),
    ],
    ids=["minio", "bucket", "postgres", "trino", "nessie", "firebolt"],
)
def test_an_image_is_the_suites_own(service: str, image: str) -> None:
    assert SERVICES[service]["image"] == image


@pytest.mark.parametrize("service", [*SERVICES])
def test_a_service_is_reached_from_inside_alone(service: str) -> None:
    assert "ports" not in SERVICES[service]


def test_postgres_has_the_tables_of_icebergs_catalog() -> None:
    assert content("catalog_tables").split() == CATALOG_TABLES.split()


def test_trinos_catalog_is_set_as_those_that_the_suite_creates() -> None:
    set_here = dict(line.split("=", 1) for line in content("trino_lake").splitlines())
    assert set_here.pop("connector.name") == "iceberg"
    catalogs = JdbcCatalogs("jdbc:postgresql://postgres:5432/iceberg", "postgres", "iceberg")
    created = create_catalog("lake", catalogs, STORE)
    written = ", ".join(f"{TRINO.column(key)} = {TRINO.literal(value)}" for key, value in set_here.items())
    assert created == f"CREATE CATALOG lake USING iceberg WITH ({written})"


def test_firebolts_configuration_is_the_one_that_the_suite_writes() -> None:
    assert yaml.safe_load(content("firebolt")) == yaml.safe_load(config("http://minio:9000", STORE.region))


def test_firebolt_has_the_rights_that_the_suite_gives_it() -> None:
    service = SERVICES["firebolt"]
    assert service["security_opt"] == privileges()["security_opt"]
    assert service["ulimits"] == {"memlock": MEMLOCK}
    assert service["environment"] == credentials(STORE)
    assert service["configs"] == [{"source": "firebolt", "target": CONFIG}]


def test_firebolt_is_a_profile_that_nothing_else_needs() -> None:
    assert SERVICES["firebolt"]["profiles"] == ["firebolt"]
    assert SERVICES["audit"]["depends_on"]["firebolt"]["required"] is False


def test_the_audit_asks_every_reader_of_iceberg_but_firebolt() -> None:
    [readers] = re.findall(r"--readers \$\{READERS:-(.*?)\}", SERVICES["audit"]["command"][-1])
    of_iceberg = {name for name, adapter in ADAPTERS.items() if ICEBERG in adapter.formats}
    assert {*readers.split(",")} == of_iceberg - {"firebolt"}


def test_the_audit_gives_options_that_pytest_has() -> None:
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    ran = re.sub(r"\$\{\w+:-(.*?)\}", r"\1", SERVICES["audit"]["command"][-1]).partition("exec .venv/bin/pytest")[2]
    given = parser.parse_known_args(shlex.split(ran))
    assert (given.s3, given.trino) == ("http://minio:9000", "http://audit@trino:8080/lake")
    assert (given.nessie, given.firebolt) == ("http://nessie:19120/api/v2", f"http://firebolt:{PORT}")
