"""An endpoint that a catalog hands out is none at which a machine's own credentials are served."""

from __future__ import annotations

import socket

import pytest

from xtable_audit.access.endpoint import demand_endpoints, handed_out
from xtable_audit.locate.stores import Stores
from xtable_audit.model.problem import Problem


@pytest.mark.parametrize(
    "endpoint", ["http://169.254.169.254", "http://169.254.170.2:80/", "169.254.169.254", "http://[fe80::1]:80"]
)
def test_a_link_local_endpoint_is_refused(endpoint: str) -> None:
    with pytest.raises(Problem, match="a link-local address, which is never asked for files"):
        Stores(properties={"s3.endpoint": endpoint}).objects("s3://bucket/key")


def test_a_name_that_resolves_to_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, port: [(0, 0, 0, "", ("169.254.169.254", 0))])
    with pytest.raises(Problem, match="link-local"):
        demand_endpoints({"s3.endpoint": "http://innocent.example"})


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9000", "https://localhost", "10.0.0.1"])
def test_another_endpoint_is_allowed(endpoint: str) -> None:
    demand_endpoints({"s3.endpoint": endpoint})


def test_an_endpoint_that_the_catalog_adds_is_said() -> None:
    [told] = handed_out({"s3.endpoint": "http://10.0.0.1", "uri": "http://catalog"}, {"uri": "http://catalog"})
    assert told == "the catalog has files read from http://10.0.0.1 (s3.endpoint), which you did not configure"


def test_an_endpoint_of_the_users_own_is_not_said() -> None:
    own = {"s3.endpoint": "http://10.0.0.1"}
    assert handed_out(own, own) == ()


BEARERS = [
    ("gcs.service.host", "gcs.oauth2.token"),
    ("adls.blob-storage-authority", "adls.sas-token"),
    ("adls.account-host", "adls.account-key"),
]


@pytest.mark.parametrize(("host", "credential"), BEARERS)
def test_a_token_of_the_users_own_is_not_sent_to_a_host_that_the_catalog_adds(host: str, credential: str) -> None:
    with pytest.raises(Problem, match=f"if you trust it, configure {host} yourself"):
        handed_out({host: "evil.example", credential: "mine"}, {credential: "mine"})


@pytest.mark.parametrize(("host", "credential"), BEARERS)
def test_a_credential_that_the_catalog_gives_is_sent_to_its_host(host: str, credential: str) -> None:
    assert len(handed_out({host: "store.example", credential: "theirs"}, {})) == 1
