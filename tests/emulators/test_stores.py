"""Tables in Google's and Azure's stores, as their emulators have them, are found and judged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.emulators.catalogs import checked, configured, healthy
from xtable_audit.locate.locate import locate
from xtable_audit.locate.stores import Stores
from xtable_audit.model.problem import Unreachable


@pytest.fixture
def in_google(lake: str, tmp_path: Path) -> dict[str, str]:
    """The properties of a SQL catalog with a table in the bucket."""
    properties = {
        "uri": f"sqlite:///{tmp_path}/catalog.db",
        "warehouse": f"gs://lake/{tmp_path.name}",
        "gcs.service.host": lake,
        "gcs.oauth2.token": "anything",
        "gcs.oauth2.token-expires-at": "4102444800000",
    }
    healthy(SqlCatalog("cloud", **properties))
    return properties


@pytest.fixture
def in_azure(azure: dict[str, str], tmp_path: Path) -> dict[str, str]:
    properties = azure | {
        "uri": f"sqlite:///{tmp_path}/catalog.db",
        "py-io-impl": "xtable_audit.locate.catalog.ArrowFiles",
        "warehouse": f"abfss://lake@{azure['adls.account-name']}.dfs.core.windows.net/{tmp_path.name}",
    }
    healthy(SqlCatalog("cloud", **properties))
    return properties


STORES = ("in_google", "in_azure")


@pytest.mark.parametrize("store", STORES)
def test_a_healthy_table_is_read_and_has_no_finding(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    found = checked("cloud.shop.orders", tmp_path, configured("cloud", request.getfixturevalue(store)))
    assert (found.verdict, found.own_table and found.own_table.read) == ("CONFORMANT", 2)


@pytest.mark.parametrize("store", STORES)
def test_a_store_that_is_gone_is_one_sentence(
    store: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Google's client tries again for a quarter of an hour."""
    properties = request.getfixturevalue(store)
    gone = {name: _gone(value) for name, value in properties.items()}
    monkeypatch.setattr("xtable_audit.locate.locate.SECONDS", 3.0)
    with pytest.raises(Unreachable) as refused:
        locate(f"{properties['warehouse']}/shop/orders", Stores(properties=gone))
    assert "\n" not in str(refused.value)


@dataclass
class Tokens(ThreadingHTTPServer):
    """Gives out access tokens, as Google's server does. `given` counts them."""

    given: int = 0

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Token)


class _Token(BaseHTTPRequestHandler):
    server: Tokens

    def do_POST(self) -> None:
        self.server.given += 1
        content = json.dumps({"access_token": "anything", "token_type": "Bearer", "expires_in": 3600}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def tokens() -> Iterator[Tokens]:
    with Tokens() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_table_is_read_by_googles_default_credential(
    in_google: dict[str, str], tokens: Tokens, tmp_path: Path
) -> None:
    """Of a login by `gcloud`, whose token the client fetches where the file says."""
    login = {"type": "authorized_user", "client_id": "somebody", "client_secret": "secret", "refresh_token": "token"}
    file = tmp_path / "login.json"
    file.write_text(json.dumps(login | {"token_uri": f"http://127.0.0.1:{tokens.server_address[1]}/token"}))
    own = {name: value for name, value in in_google.items() if "oauth2" not in name}
    environment = configured("cloud", own) | {"GOOGLE_APPLICATION_CREDENTIALS": str(file)}
    found = checked("cloud.shop.orders", tmp_path, environment)
    assert (found.verdict, found.own_table and found.own_table.read) == ("CONFORMANT", 2)
    assert tokens.given


def _gone(value: str) -> str:
    """An authority at which nobody listens."""
    head, separator, _ = value.rpartition("127.0.0.1:")
    return f"{head}{separator}9" if separator else value
