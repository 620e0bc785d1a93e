"""A REST catalog that leads elsewhere: no other host is asked, whatever it answers."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler

import pytest
from pyiceberg.utils.config import Config

from tests.hostile.stores import Answer, Served, serving
from xtable_audit.locate.catalog import metadata_in_catalog
from xtable_audit.model.problem import Unreachable

CONFIG = "/v1/config"


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


NO_SETTINGS: dict[str, object] = {"defaults": {}, "overrides": {}}


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
