"""From `--firebolt …` to an engine, up to the wire. A stub and a stand-in for Docker: no evidence about Firebolt."""

from __future__ import annotations

import json
import pickle
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.engines.firebolt import open as core
from lab.engines.firebolt import open as opening
from lab.engines.firebolt.engine import FireboltEngine, is_ready, query_version
from lab.engines.firebolt.open import NEEDED, by_environment, by_url, check_reach, expected_version, open_engine
from lab.engines.registry import Order
from lab.servers.child import free_port
from lab.stack.cache import Cache
from lab.store.address import Workspace
from lab.store.running import RunningStore
from tests.lab.engines.firebolt_stub import NOT_READY, Reply, Stub, refused, running, table
from xtable_audit.model.problem import Problem

MOTO = Workspace("http://127.0.0.1:5000", "run", "s3cret", bucket="audit")
CLOUD = {name: name.lower() for name in NEEDED}
LISTING = (
    "SELECT count(*) FROM LIST_OBJECTS(URL => 's3://audit/', AWS_ACCESS_KEY_ID => 'run', "
    "AWS_SECRET_ACCESS_KEY => 's3cret')"
)


@pytest.fixture(autouse=True)
def no_docker_and_no_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "docker_answers", lambda: False)
    for name in (*NEEDED, "FIREBOLT_DATABASE", "FIREBOLT_API_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with running() as started:
        started.replies["SELECT count(*) FROM LIST_OBJECTS"] = table({"count": "bigint"}, ["0"])
        yield started


@pytest.fixture
def order(tmp_path: Path) -> Callable[[str], Order]:
    store = RunningStore(MOTO, None, "moto")
    return lambda how: Order(how, lambda: store, tmp_path, Cache(tmp_path), lambda words: None)


def test_a_running_core_is_opened_by_its_url(order: Callable[[str], Order], stub: Stub) -> None:
    engine = open_engine(order(stub.url))
    assert (engine.handle, engine.version) == (FireboltEngine(url=stub.url), "5.0.0-stub")
    assert engine.detail == f"Firebolt 5.0.0-stub, at {stub.url}"


def test_the_engine_lists_the_stores_bucket(order: Callable[[str], Order], stub: Stub) -> None:
    open_engine(order(stub.url))
    assert stub.statements == ["SELECT version()", LISTING]


def test_an_engine_that_cannot_list_the_bucket_is_refused_with_what_its_config_must_name(
    order: Callable[[str], Order], stub: Stub
) -> None:
    stub.replies["SELECT count(*)"] = refused("ListObjectsV2 failed: Access denied to 'audit/' for s3cret.")
    del stub.replies["SELECT count(*) FROM LIST_OBJECTS"]
    with pytest.raises(Problem) as caught:
        open_engine(order(stub.url))
    assert str(caught.value) == (
        f"Firebolt at {stub.url} cannot list s3://audit of http://127.0.0.1:5000: ListObjectsV2 failed: "
        "Access denied to 'audit/' for ****.; its config.yaml must name that endpoint as storage.aws.endpoint, "
        "as it is reached from where the engine runs"
    )


def test_without_docker_and_variables_the_three_ways_to_give_one_are_named(order: Callable[[str], Order]) -> None:
    with pytest.raises(Problem) as caught:
        open_engine(order("auto"))
    assert str(caught.value) == (
        "no Firebolt engine: start Docker, so that Firebolt Core runs in a container; or give a running Core by "
        "--firebolt http://host:port; or an engine of Firebolt's cloud by FIREBOLT_CLIENT_ID, FIREBOLT_CLIENT_SECRET, "
        "FIREBOLT_ACCOUNT, FIREBOLT_ENGINE"
    )


def test_a_container_without_docker_is_refused(order: Callable[[str], Order]) -> None:
    with pytest.raises(Problem, match="--firebolt container needs Docker, and no Docker daemon answers"):
        open_engine(order("container"))


def test_the_cloud_without_its_variables_names_them(order: Callable[[str], Order], monkeypatch: Any) -> None:
    monkeypatch.setenv("FIREBOLT_CLIENT_ID", "id")
    with pytest.raises(
        Problem, match=r"^Firebolt's cloud needs FIREBOLT_CLIENT_SECRET, FIREBOLT_ACCOUNT, FIREBOLT_ENGINE: set them$"
    ):
        open_engine(order("cloud"))


def test_auto_takes_the_cloud_where_its_variables_are_set_and_says_that_it_cannot_reach_this_machine(
    order: Callable[[str], Order], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in CLOUD.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(
        Problem,
        match=r"Firebolt's cloud \(account firebolt_account\) reads only Amazon S3 and cannot reach a store on",
    ):
        open_engine(order("auto"))


@pytest.mark.parametrize(
    "url", ["htp://x", "localhost:3473", "http://", "http://h:1/path", "http://h:99999", "containr", "http://u:pw@h:1"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(Problem, match="--firebolt takes auto, container, cloud or a URL like") as caught:
        by_url(url)
    assert "pw" not in str(caught.value)


def test_nobody_listening_is_reported(order: Callable[[str], Order]) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(Problem, match=rf"^no Firebolt at {url}: .*refused.*; start it, or use --firebolt container$"):
        open_engine(order(url))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (NOT_READY, "does not answer as a Firebolt should: Cluster not yet healthy"),
        (Reply("<html>Welcome</html>", 200, "text/html"), "does not answer as a Firebolt should: Invalid query data"),
        (Reply("", 404, "text/html"), "does not answer as a Firebolt should: "),
        (Reply("{}", 401), "does not answer as a Firebolt should: Client error '401 Unauthorized'"),
    ],
    ids=["not healthy", "another server", "404", "401"],
)
def test_a_url_where_no_firebolt_answers_is_reported(stub: Stub, reply: Reply, words: str) -> None:
    stub.replies["SELECT version()"] = reply
    with pytest.raises(Problem) as caught:
        query_version(FireboltEngine(url=stub.url))
    assert str(caught.value).startswith(f"Firebolt at {stub.url} {words}")


def test_a_core_on_another_machine_cannot_reach_this_ones_store() -> None:
    with pytest.raises(
        Problem, match=r"is on another machine and cannot reach a store on 127\.0\.0\.1:5000 of this one"
    ):
        check_reach(FireboltEngine(url="http://10.0.0.7:3473"), MOTO)


@pytest.mark.parametrize("endpoint", [None, "https://s3.eu-central-1.amazonaws.com"], ids=["AWS", "AWS by name"])
def test_the_cloud_reaches_amazon_s3(endpoint: str | None) -> None:
    check_reach(by_environment(CLOUD), Workspace(endpoint, "key", "secret"))


def test_the_clouds_arguments_are_those_of_the_driver() -> None:
    given = by_environment(CLOUD | {"FIREBOLT_DATABASE": "db"}).arguments()
    auth = given.pop("auth")
    assert (auth.client_id, auth.client_secret, auth._use_token_cache) == (
        "firebolt_client_id",
        "firebolt_client_secret",
        False,
    )
    assert given == {
        "account_name": "firebolt_account",
        "engine_name": "firebolt_engine",
        "database": "db",
        "api_endpoint": "api.app.firebolt.io",
        "disable_cache": True,
    }


def test_a_handle_travels_between_processes_and_does_not_show_its_secret() -> None:
    engine = by_environment(CLOUD)
    assert pickle.loads(pickle.dumps(engine)) == engine
    assert "firebolt_client_secret" not in repr(engine)


@pytest.fixture
def cloud(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> FireboltEngine:
    """The stub replaces the cloud's three servers: sign-in, account and engine."""
    found = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *more, **named: found(_on_this_machine(host), *more, **named)
    )
    port = stub.url.rpartition(":")[2]
    stub.paths |= {
        "/oauth/token": Reply(json.dumps({"access_token": "a token", "expires_in": 3600})),
        "/web/v3/account/acme/engineUrl": Reply(json.dumps({"engineUrl": f"http://system.cloud.test:{port}/"})),
    }
    stub.replies["USE ENGINE"] = Reply("")
    return by_environment(
        CLOUD | {"FIREBOLT_ACCOUNT": "acme", "FIREBOLT_API_ENDPOINT": f"http://api.cloud.test:{port}"}
    )


def _on_this_machine(host: Any) -> Any:
    name = host.decode() if isinstance(host, bytes) else host
    return "127.0.0.1" if str(name).endswith(".cloud.test") else host


def test_the_cloud_is_entered_by_a_token_for_the_service_account(cloud: FireboltEngine, stub: Stub) -> None:
    assert query_version(cloud) == "5.0.0-stub"
    assert stub.statements == ['USE ENGINE "firebolt_engine"', "SELECT version()"]
    assert {one.headers["Authorization"] for one in stub.requests} == {"Bearer a token"}


@pytest.mark.parametrize(
    ("path", "reply", "words"),
    [
        ("/oauth/token", Reply("{}", 401), "refuses these credentials: check FIREBOLT_CLIENT_ID and"),
        (
            "/web/v3/account/acme/engineUrl",
            Reply("", 404),
            "has no such account for this client: check FIREBOLT_ACCOUNT",
        ),
    ],
    ids=["credentials", "account"],
)
def test_a_cloud_that_does_not_let_us_in_says_what_to_check(
    cloud: FireboltEngine, stub: Stub, path: str, reply: Reply, words: str
) -> None:
    stub.paths[path] = reply
    with pytest.raises(Problem) as caught:
        query_version(cloud)
    assert str(caught.value).startswith(f"Firebolt's cloud (account acme) {words}")
    assert "firebolt_client_secret" not in str(caught.value)


def test_an_engine_the_cloud_does_not_have_is_reported(cloud: FireboltEngine, stub: Stub) -> None:
    stub.replies["USE ENGINE"] = refused("Engine 'firebolt_engine' does not exist or not authorized")
    with pytest.raises(
        Problem, match=r"Engine 'firebolt_engine' does not exist or not authorized; check FIREBOLT_ENGINE"
    ):
        query_version(cloud)


@pytest.mark.parametrize(
    ("ping", "query", "ready"),
    [("Ok.", True, True), ("Ok.", False, False), (None, True, False)],
    ids=["both", "ping alone", "no ping"],
)
def test_ready_is_ping_and_a_query(stub: Stub, ping: str | None, query: bool, ready: bool) -> None:
    stub.paths["/ping"] = Reply(ping, kind="text/plain") if ping else Reply("", 500)
    if not query:
        stub.replies["SELECT 1"] = NOT_READY
    assert is_ready(stub.url) is ready


def test_nobody_is_not_ready() -> None:
    assert not is_ready(f"http://127.0.0.1:{free_port()}")


class StandIn:
    """Replaces stack.containers.Container: keeps its arguments."""

    given: dict[str, Any]
    stopped = 0

    def __init__(self, name: str, image: str, **given: Any) -> None:
        type(self).given = {"name": name, "image": image} | given
        type(self).stopped = 0

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> None:
        assert ready()

    def stop(self) -> None:
        type(self).stopped += 1


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch, stub: Stub) -> type[StandIn]:
    """The stub is what runs 'in the container'."""
    monkeypatch.setattr(opening, "docker_answers", lambda: True)
    monkeypatch.setattr(core, "Container", StandIn)
    monkeypatch.setattr(core, "free_port", lambda: int(stub.url.rpartition(":")[2]))
    monkeypatch.setattr(core, "reachable_from_container", lambda store: ("http://172.17.0.1:7777", lambda: None))
    return StandIn


def test_auto_starts_core_where_docker_answers(
    order: Callable[[str], Order], docker: type[StandIn], stub: Stub
) -> None:
    engine = open_engine(order("auto"))
    assert engine.detail == f"Firebolt 5.0.0-stub, a container at {stub.url}"


def test_the_container_gets_the_stores_endpoint_as_it_reaches_it(
    order: Callable[[str], Order], docker: type[StandIn]
) -> None:
    open_engine(order("container"))
    assert yaml.safe_load(docker.given["files"]["/var/lib/firebolt/config.yaml"]) == {
        "schema_version": "1.0",
        "endpoints": {
            "http": {
                "listeners": [{"type": "tcp", "port": 3473}, {"type": "unix", "path": "/run/firebolt/query_endpoint"}]
            }
        },
        "storage": {
            "aws": {"endpoint": "http://172.17.0.1:7777", "region": "us-east-1", "path_style_addressing": True}
        },
    }


def test_the_container_has_what_io_uring_needs_and_the_stores_key(
    order: Callable[[str], Order], docker: type[StandIn], stub: Stub
) -> None:
    open_engine(order("container"))
    given = docker.given
    assert given["security_opt"] == ["seccomp=unconfined"]
    assert dict(given["ulimits"][0]) == {"Name": "memlock", "Soft": 8589934592, "Hard": 8589934592}
    assert given["environment"] == {"AWS_ACCESS_KEY_ID": "run", "AWS_SECRET_ACCESS_KEY": "s3cret"}
    assert given["ports"] == {3473: int(stub.url.rpartition(":")[2])}


def test_the_image_is_one_that_never_moves(order: Callable[[str], Order], docker: type[StandIn]) -> None:
    open_engine(order("container"))
    name, _, tag = docker.given["image"].partition(":")
    assert name == "ghcr.io/firebolt-db/engine"
    assert tag.count(".") >= 4
    assert expected_version("container") == tag


def test_an_image_that_cannot_be_pulled_is_reported_as_docker_reports_it(
    order: Callable[[str], Order], docker: type[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any, **options: Any) -> None:
        raise Problem("The image ghcr.io/… cannot be pulled (denied).")

    monkeypatch.setattr(core, "Container", refuse)
    with pytest.raises(Problem, match="cannot be pulled"):
        open_engine(order("container"))


def test_a_container_that_cannot_list_the_store_is_ended(
    order: Callable[[str], Order], docker: type[StandIn], stub: Stub
) -> None:
    stub.replies["SELECT count(*) FROM LIST_OBJECTS"] = refused("ListObjectsV2 failed")
    with pytest.raises(Problem, match="cannot list s3://audit"):
        open_engine(order("container"))
    assert docker.stopped == 1


def test_the_version_of_an_engine_elsewhere_is_not_known_beforehand() -> None:
    assert [expected_version(how) for how in ("auto", "cloud", "http://127.0.0.1:1")] == [None] * 3
