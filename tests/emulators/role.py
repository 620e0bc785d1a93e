"""moto as an account of AWS that checks signatures and policies: a table in Glue, and a role that may read it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import boto3
import requests
from moto.server import ThreadedMotoServer
from pyiceberg.catalog import load_catalog

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
