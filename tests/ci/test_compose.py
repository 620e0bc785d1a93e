"""compose.yaml: it keeps its schema, and starts what the suite itself would start, set alike."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import Any

import pytest
import yaml

from fixtures.options import add_options
from lab.engines.firebolt.core import CONFIG, MEMLOCK, PORT, config, credentials, privileges
from lab.engines.trino.catalog import create_catalog
from lab.engines.trino.config import CATALOG_TABLES
from lab.engines.trino.handle import JdbcCatalogs
from lab.stack.project import ROOT
from lab.stack.versions import firebolt, nessie_versions, postgres_versions, trino
from lab.store.minio import IMAGE
from lab.store.workspace import Workspace
from xtable_audit.readers.sql import TRINO

FILE = ROOT / "compose.yaml"
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
STORE = Workspace(endpoint="http://minio:9000", access_key="audit", secret_key="audit-secret", bucket="xtable-audit")


def content(name: str) -> str:
    text: str = COMPOSE["configs"][name]["content"]
    return text


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


def test_the_audit_gives_options_that_pytest_has() -> None:
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    words = shlex.split(SERVICES["audit"]["command"].replace("${ARGS:-}", ""))
    [arguments] = [word.removeprefix("ARGS=") for word in words if word.startswith("ARGS=")]
    given = parser.parse_known_args(shlex.split(arguments))
    assert (given.s3, given.trino) == ("http://minio:9000", "http://audit@trino:8080/lake")
    assert (given.nessie, given.firebolt) == ("http://nessie:19120/api/v2", f"http://firebolt:{PORT}")
