"""action.yml's check of a table that is named by its catalog: in Glue by the credentials of a role, and its extras."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import metadata
from typing import Any

import boto3
import pytest
import requests
from moto.server import ThreadedMotoServer
from packaging.requirements import Requirement
from pyiceberg.catalog import load_catalog

from lab.stack.project import ROOT
from tests.ci.conftest import STEPS, Runner
from tests.emulators.catalogs import healthy

REGION = "eu-central-1"
BUCKET = "lake-of-account"
"""Of no other test: all servers of moto in a process share what they hold."""
OWNER = {"access-key-id": "somebody", "secret-access-key": "secret", "region": REGION}
READS = ["glue:GetTable", "s3:GetObject", "s3:ListBucket"]
TRUSTED = [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]


@contextmanager
def account() -> Iterator[dict[str, str]]:
    """What a job has in its environment that took on the role: three credentials, the region, and moto's address."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    url = f"http://127.0.0.1:{server.get_host_and_port()[1]}"
    try:
        _table(url)
        credentials = _role(url)
        _demand(url, after=0)
        yield {**credentials, "AWS_REGION": REGION, "AWS_ENDPOINT_URL": url}
    finally:
        _demand(url, after=float("inf"))
        server.stop()


def _table(url: str) -> None:
    """`shop.orders` in the catalog of the account."""
    where = {"LocationConstraint": REGION}
    _client("s3", url).create_bucket(Bucket=BUCKET, CreateBucketConfiguration=where)
    owned = OWNER | {"endpoint": url}
    properties = {f"{prefix}.{name}": value for prefix in ("glue", "s3") for name, value in owned.items()}
    healthy(load_catalog("made", type="glue", warehouse=f"s3://{BUCKET}", **properties))


def _role(url: str) -> dict[str, str]:
    """Its credentials, as a step of CI leaves them that takes on a role."""
    iam = _client("iam", url)
    role = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=_policy(TRUSTED))["Role"]
    reads = [{"Effect": "Allow", "Action": READS, "Resource": "*"}]
    iam.put_role_policy(RoleName="reader", PolicyName="reads", PolicyDocument=_policy(reads))
    taken = _client("sts", url).assume_role(RoleArn=role["Arn"], RoleSessionName="ci")["Credentials"]
    return {
        "AWS_ACCESS_KEY_ID": taken["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": taken["SecretAccessKey"],
        "AWS_SESSION_TOKEN": taken["SessionToken"],
    }


def _demand(url: str, after: float) -> None:
    """From then on moto checks signatures and policies: after so many requests, in all servers of this process."""
    requests.post(f"{url}/moto-api/reset-auth", data=str(after).encode(), timeout=10).raise_for_status()


def _policy(statements: Sequence[Mapping[str, object]]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def _client(service: str, url: str) -> Any:
    key, secret = OWNER["access-key-id"], OWNER["secret-access-key"]
    return boto3.client(
        service, endpoint_url=url, region_name=REGION, aws_access_key_id=key, aws_secret_access_key=secret
    )


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
[INPUTS] = [step["run"] for step in STEPS if step.get("id") == "inputs"]
[KNOWN] = re.findall(r"\(([a-z|]+)\)\)\+", INPUTS)
OF_CATALOGS = KNOWN.split("|")
LACKING = {"session token": "AWS_SESSION_TOKEN", "access key": "AWS_ACCESS_KEY_ID"}


@pytest.fixture(scope="module")
def role() -> Iterator[dict[str, str]]:
    with account() as environment:
        yield environment


def of_job(checking: Runner, environment: dict[str, str]) -> Runner:
    """The runner of a job with this environment and no other configuration: the catalog has a type, and no key."""
    own = {"PYICEBERG_CATALOG__PROD__TYPE": "glue", "HOME": str(checking.temp), "AWS_EC2_METADATA_DISABLED": "true"}
    return replace(checking, environment=own | environment)


def test_a_table_in_glue_is_checked_by_a_role(checking: Runner, role: dict[str, str]) -> None:
    ran = of_job(checking, role).run("run", mode="check", table="prod.shop.orders", extras="glue")
    told = checking.run("report", mode="check")
    assert (ran.returncode, told.returncode) == (0, 0), ran.stdout + ran.stderr
    assert checking.outputs["verdict"] == "CONFORMANT"


@pytest.mark.parametrize("lacking", LACKING.values(), ids=LACKING)
def test_a_role_without_one_of_its_credentials_reads_nothing(
    checking: Runner, role: dict[str, str], lacking: str
) -> None:
    ran = of_job(checking, role | {lacking: ""}).run("run", mode="check", table="prod.shop.orders", extras="glue")
    assert (ran.returncode, len(ran.stderr.splitlines())) in {(4, 1), (6, 1)}, ran.stdout + ran.stderr


def test_the_keys_of_the_catalog_go_before_those_of_the_environment(checking: Runner, role: dict[str, str]) -> None:
    """PyIceberg's `client.*` are for the catalog and the files."""
    keys = {
        "PYICEBERG_CATALOG__PROD__CLIENT__ACCESS_KEY_ID": role["AWS_ACCESS_KEY_ID"],
        "PYICEBERG_CATALOG__PROD__CLIENT__SECRET_ACCESS_KEY": role["AWS_SECRET_ACCESS_KEY"],
        "PYICEBERG_CATALOG__PROD__CLIENT__SESSION_TOKEN": role["AWS_SESSION_TOKEN"],
        "PYICEBERG_CATALOG__PROD__CLIENT__REGION": role["AWS_REGION"],
        "PYICEBERG_CATALOG__PROD__S3__ENDPOINT": role["AWS_ENDPOINT_URL"],
        "AWS_ENDPOINT_URL": role["AWS_ENDPOINT_URL"],
        "AWS_ACCESS_KEY_ID": "another",
        "AWS_SECRET_ACCESS_KEY": "another",
    }
    ran = of_job(checking, keys).run("run", mode="check", table="prod.shop.orders", extras="glue")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("extra", OF_CATALOGS)
def test_an_extra_of_the_action_is_pyicebergs_own(extra: str) -> None:
    """pip only warns of an extra that does not exist."""
    [requirement] = map(Requirement, EXTRAS[extra])
    offered = metadata("pyiceberg").get_all("Provides-Extra") or []
    assert (requirement.name, requirement.extras - {*offered}) == ("pyiceberg", set())


def test_the_image_takes_the_same_extras() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert f"{', '.join(OF_CATALOGS)}, or nothing" in text
    assert "ARG EXTRAS=glue\n" in text
    assert '".${EXTRAS:+[$EXTRAS]}"' in text
