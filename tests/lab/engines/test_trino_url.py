"""A Trino of the user's, by its URL, and the messages where a Trino cannot be used."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lab.engines.registry import Order
from lab.engines.trino.client import TrinoServer
from lab.engines.trino.open import Address, open_engine, parse, version_of
from lab.servers.child import free_port
from lab.stack.cache import Cache
from lab.store.running import RunningStore
from xtable_audit.model.problem import Problem

INFO = {"nodeVersion": {"version": "476"}, "starting": False}
Start = Callable[..., str]


@pytest.fixture
def stub() -> Iterator[Start]:
    """Starts what answers as a Trino does; returns its URL."""
    servers = []

    def start(
        info: object = INFO, info_status: int = 200, statement_status: int = 200, statement: object = None
    ) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(info_status, info)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(statement_status, statement)

            def answer(self, status: int, content: object) -> None:
                body = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                """Says nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


def failed(kind: str, name: str) -> dict[str, object]:
    error = {"errorType": kind, "errorName": name, "errorCode": 1, "message": "its words"}
    return {"id": "q1", "infoUri": "", "stats": {"state": "FAILED"}, "error": error}


# A Trino of the user's, by its URL.


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://me@trino:8081", Address(TrinoServer("http://trino:8081", "me"), None)),
        ("http://trino/", Address(TrinoServer("http://trino:8080", "xtable-audit"), None)),
        ("http://me@trino:8081/lake", Address(TrinoServer("http://trino:8081", "me"), "lake")),
        ("https://me:p%40ss@trino", Address(TrinoServer("https://trino:443", "me", "p@ss"), None)),
        ("http://me@[::1]:8080", Address(TrinoServer("http://[::1]:8080", "me"), None)),
    ],
)
def test_a_url_says_where_as_whom_and_in_which_catalog(url: str, address: Address) -> None:
    assert parse(url) == address


@pytest.mark.parametrize(
    "url",
    ["ftp://me@trino:8080", "http://", "http://me@trino:port", "http://me@trino:8080/lake/audit", "http://trino?a=b"],
)
def test_any_other_url_is_answered_with_the_shape_of_one(url: str) -> None:
    with pytest.raises(
        Problem, match=re.escape(f"--trino {url} is not the address of a Trino: write http://user@host:port")
    ):
        parse(url)


def test_a_password_in_the_clear_is_refused_and_not_repeated() -> None:
    with pytest.raises(Problem, match=r"--trino http://me:…@trino: Trino takes a password over https only"):
        parse("http://me:hidden@trino")


def test_where_nothing_answers_the_user_is_pointed_to_the_cause() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(Problem, match=f"Trino at {url} is gone or does not answer .*is it running"):
        version_of(parse(url))


# The messages where a Trino cannot be used, or is not available as requested.


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"info": INFO | {"starting": True}}, "is still starting"),
        ({"info_status": 401}, r"refuses user xtable-audit \(HTTP 401\): check the user and password"),
        ({"statement_status": 401}, r"refuses user xtable-audit \(error 401.*: check the user and password"),
        ({"info_status": 404}, "is gone or does not answer .*is it running, and is that its URL"),
        ({"info": "<html>"}, "is no Trino: it reports no version"),
        (
            {"statement": failed("USER_ERROR", "PERMISSION_DENIED")},
            "refuses .* first query: PERMISSION_DENIED: its words",
        ),
        ({"statement": failed("INTERNAL_ERROR", "NO_NODES_AVAILABLE")}, "cannot take the query: NO_NODES_AVAILABLE"),
        (
            {"statement": failed("INSUFFICIENT_RESOURCES", "QUERY_QUEUE_FULL")},
            "cannot take the query: QUERY_QUEUE_FULL",
        ),
    ],
    ids=["starting", "locked", "locked later", "not found", "no Trino", "denied", "no nodes", "full"],
)
def test_it_is_reported_in_a_sentence(stub: Start, answers: dict[str, object], words: str) -> None:
    with pytest.raises(Problem, match=words):
        version_of(parse(stub(**answers)))


@pytest.mark.parametrize(
    ("how", "catalog", "words"),
    [
        ("docker", "jdbc", "--trino takes auto, container, process or a URL"),
        ("process", "glue", "--trino-catalog takes jdbc or file"),
        ("ftp://trino", "jdbc", "--trino takes auto, container, process or a URL"),
    ],
)
def test_an_unknown_word_is_answered_with_the_known(how: str, catalog: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(Problem, match=words):
        open_engine(order(how, tmp_path, catalog))


def test_a_container_without_docker_is_reported_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    with pytest.raises(Problem, match="no Docker daemon answers: start it, or use --trino process"):
        open_engine(order("container", tmp_path))


def order(how: str, logs: Path, catalog: str = "jdbc") -> Order:
    def no_store() -> RunningStore:
        raise AssertionError("no store is needed to say no")

    return Order(how, no_store, logs, Cache(logs / "cache"), lambda step: None, {"catalog": catalog})
