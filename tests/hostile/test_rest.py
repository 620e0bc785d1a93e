"""A REST catalog that leads elsewhere: no other host is asked, and no endpoint at which credentials are served."""

from __future__ import annotations

import json
import socket
from http.server import BaseHTTPRequestHandler

import pytest
from pyiceberg.utils.config import Config

from tests.hostile.stores import Answer, Served, serving
from xtable_audit.access.endpoint import demand_endpoints, handed_out
from xtable_audit.locate.catalog import metadata_in_catalog
from xtable_audit.locate.stores import Stores
from xtable_audit.model.problem import Problem, Unreachable

CONFIG = "/v1/config"
NO_SETTINGS: dict[str, object] = {"defaults": {}, "overrides": {}}


def told(content: object) -> bytes:
    return json.dumps(content).encode()


def answering(config: dict[str, object], moved: str = "", from_config: bool = False) -> Answer:
    """A catalog with this configuration, which redirects what else is asked (and the configuration) to `moved`."""

    def answer(to: BaseHTTPRequestHandler) -> None:
        if moved and (from_config or not to.path.startswith(CONFIG)):
            to.send_response(307)
            to.send_header("Location", f"{moved}{to.path}")
            content = b""
        else:
            to.send_response(200)
            content = told(config)
        to.send_header("Content-Length", str(len(content)))
        to.end_headers()
        to.wfile.write(content)

    return answer


def elsewhere(served: Served) -> str:
    """The same server by another name."""
    return served.endpoint.replace("127.0.0.1", "localhost")


def asked(monkeypatch: pytest.MonkeyPatch, catalog: Served) -> str:
    monkeypatch.setenv("PYICEBERG_CATALOG__EVIL__URI", catalog.endpoint)
    monkeypatch.setenv("PYICEBERG_CATALOG__EVIL__TOKEN", "mine")
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config())  # PyIceberg reads it when it is imported
    with pytest.raises(Unreachable) as refused:
        metadata_in_catalog("evil.shop.orders")
    return str(refused.value)


# A REST catalog that leads elsewhere: no other host is asked, whatever it answers.


@pytest.mark.parametrize("from_config", [True, False], ids=["of its configuration", "of a table"])
def test_a_redirect_to_another_host_is_not_followed(from_config: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(NO_SETTINGS)) as other:
        with serving(answering(NO_SETTINGS, elsewhere(other), from_config)) as catalog:
            words = asked(monkeypatch, catalog)
        assert (other.seen, f"it leads to {elsewhere(other)}, which is not asked" in words) == ([], True), words


def test_a_uri_that_the_catalog_puts_in_place_of_the_users_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(NO_SETTINGS)) as other:
        with serving(answering({"defaults": {}, "overrides": {"uri": elsewhere(other)}})) as catalog:
            words = asked(monkeypatch, catalog)
        assert (other.seen, f"it leads to {elsewhere(other)}" in words) == ([], True), words


def test_a_redirect_on_the_same_host_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(NO_SETTINGS)) as other:
        with serving(answering(NO_SETTINGS, other.endpoint)) as catalog:
            asked(monkeypatch, catalog)  # what comes back is no table
        assert [one for one in other.seen if one.endswith("/tables/orders")]


# An endpoint that a catalog hands out is none at which a machine's own credentials are served.


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
