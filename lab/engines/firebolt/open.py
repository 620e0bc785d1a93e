"""`--firebolt auto | container | cloud | http://host:port`: opens the Firebolt that is named, or starts its Core."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lab.engines.firebolt.engine import CLOUD_API, FireboltEngine, check_store, is_ready, query_version
from lab.engines.registry import Order, RunningEngine, elsewhere
from lab.engines.relay import reachable_from_container
from lab.servers.child import free_port
from lab.servers.containers import LOOPBACK, Container
from lab.servers.docker import docker_answers, why_no_docker
from lab.stack.versions import firebolt
from lab.store.address import Workspace
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem

PORT = 3473
"""Inside: SQL over HTTP. The ports for metrics and other nodes are not published."""
CONFIG = "/var/lib/firebolt/config.yaml"
MEMLOCK = 8 << 30
"""Bytes it may lock for io_uring, as its own start script gives it."""
READY_IN = 180.0
"""Seconds to wait until a Core takes queries."""


def start_core(store: S3, logs: Path, report: Callable[[str], None]) -> tuple[FireboltEngine, Callable[[], None]]:
    """The engine on a free port of 127.0.0.1, and what ends it. Raises Problem if Docker or the engine refuses."""
    port = free_port()
    url = f"http://{LOOPBACK}:{port}"
    with ExitStack() as undo:
        endpoint, unlink = reachable_from_container(store)
        undo.callback(unlink)
        core = Container(
            "Firebolt Core",
            firebolt().image,
            log=logs / "firebolt.log",
            environment=credentials(store),
            files={CONFIG: config(endpoint, store.region)},
            ports={PORT: port},
            report=report,
            **privileges(),
        )
        undo.callback(core.stop)
        core.wait_until(lambda: is_ready(url), READY_IN)
        return FireboltEngine(url=url), undo.pop_all().close
    raise AssertionError("unreachable")


def config(endpoint: str, region: str) -> bytes:
    """The engine's config.yaml. An unknown key stops the engine. The S3 endpoint is set here, never in a query."""
    # source: firebolt-core, examples/s3_compatible_storage.md, for 5.0.0-pre.0.20260815 and newer
    return f"""schema_version: "1.0"
endpoints:
  http:
    listeners:
      - {{ type: tcp, port: {PORT} }}
      - {{ type: unix, path: /run/firebolt/query_endpoint }}
storage:
  aws:
    endpoint: {json.dumps(endpoint)}
    region: {json.dumps(region)}
    path_style_addressing: true
""".encode()


def credentials(store: S3) -> dict[str, str]:
    """The engine's own credentials; each reader's queries carry the reader's."""
    given = {
        "AWS_ACCESS_KEY_ID": store.access_key,
        "AWS_SECRET_ACCESS_KEY": store.secret_key,
        "AWS_SESSION_TOKEN": store.session_token,
    }
    return {name: value for name, value in given.items() if value}


def privileges() -> dict[str, Any]:
    """Docker's defaults forbid io_uring and limit the memory that it locks; Core needs both."""
    from docker.types import Ulimit

    return {"security_opt": ["seccomp=unconfined"], "ulimits": [Ulimit(name="memlock", soft=MEMLOCK, hard=MEMLOCK)]}


NEEDED = ("FIREBOLT_CLIENT_ID", "FIREBOLT_CLIENT_SECRET", "FIREBOLT_ACCOUNT", "FIREBOLT_ENGINE")
"""As Firebolt's own clients call them. FIREBOLT_DATABASE and FIREBOLT_API_ENDPOINT may be set too."""


def by_url(url: str) -> FireboltEngine:
    """A running Core. Raises Problem for anything but its URL."""
    parts = urlsplit(url)
    try:
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.path.strip("/") or parts.query or parts.username:
        raise Problem(
            f"--firebolt takes auto, container, cloud or a URL like http://127.0.0.1:3473, not {_without_password(url)}"
        )
    return FireboltEngine(url=url.rstrip("/"))


def _without_password(url: str) -> str:
    """The URL without a password."""
    head, at, tail = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at else url


def missing(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The variables that the cloud needs and the environment lacks."""
    return [name for name in NEEDED if not environ.get(name)]


def by_environment(environ: Mapping[str, str] = os.environ) -> FireboltEngine:
    """An engine of the cloud. Raises Problem, naming the variables that are not set."""
    if absent := missing(environ):
        raise Problem(f"Firebolt's cloud needs {', '.join(absent)}: set {'them' if len(absent) > 1 else 'it'}")
    return FireboltEngine(
        account=environ["FIREBOLT_ACCOUNT"],
        engine=environ["FIREBOLT_ENGINE"],
        database=environ.get("FIREBOLT_DATABASE", ""),
        client_id=environ["FIREBOLT_CLIENT_ID"],
        client_secret=environ["FIREBOLT_CLIENT_SECRET"],
        api=environ.get("FIREBOLT_API_ENDPOINT") or CLOUD_API,
    )


def check_reach(engine: FireboltEngine, store: S3) -> None:
    """Raises Problem, before any query, if the engine runs elsewhere and cannot reach the store."""
    if not engine.url and store.endpoint is not None and not _is_amazon(store.endpoint):
        raise Problem(
            f"{engine.where} reads only Amazon S3 and cannot reach a store on {store.host}: "
            "choose a bucket with --s3, or use --firebolt container"
        )
    if engine.url and store.endpoint and _is_loopback(store.endpoint) and not _is_loopback(engine.url):
        raise Problem(
            f"{engine.where} is on another machine and cannot reach a store on {store.host} of this one: "
            "choose another with --s3, or use --firebolt container"
        )


def _is_amazon(endpoint: str) -> bool:
    host = urlsplit(endpoint).hostname or ""
    return host.endswith((".amazonaws.com", ".amazonaws.com.cn"))


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


NONE = (
    "no Firebolt engine: start Docker, so that Firebolt Core runs in a container; or give a running Core by "
    f"--firebolt http://host:port; or an engine of Firebolt's cloud by {', '.join(NEEDED)}"
)


def open_engine(order: Order) -> RunningEngine:
    """Raises Problem, one sentence, if no Firebolt is available that way."""
    how = _chosen(order.how)
    if how == "container":
        order.report("starting Firebolt Core")
        engine, stop = start_core(order.running().store, order.logs, order.report)
        return _checked(engine, order.running().store, "a container at {url}", stop)
    engine = by_environment() if how == "cloud" else by_url(how)
    order.report(f"connecting to {engine.where}")
    store = order.running().store
    check_reach(engine, store)
    return _checked(
        engine, store, "engine {engine} of account {account} in its cloud" if how == "cloud" else "at {url}"
    )


def expected_version(how: str) -> str | None:
    """A container's version is its image's tag; a Firebolt that we do not start only reports its own."""
    in_container = how == "container" or (how == "auto" and docker_answers())
    return firebolt().version if in_container else None


def _chosen(how: str) -> str:
    if how == "auto":
        if docker_answers():
            return "container"
        if not missing():
            return "cloud"
        raise Problem(NONE)
    if how == "container" and not docker_answers():
        raise Problem(f"--firebolt container needs Docker, and {why_no_docker()}, or name a URL")
    return how


def _checked(
    engine: FireboltEngine, store: Workspace, place: str, stop: Callable[[], None] = elsewhere
) -> RunningEngine:
    """The engine, after it has reported its version and listed the store's bucket. If it fails to, it is ended."""
    try:
        version = query_version(engine)
        check_store(engine, store)
    except BaseException:
        stop()
        raise
    where = place.format(url=engine.url, engine=engine.engine, account=engine.account)
    return RunningEngine(engine, f"Firebolt {version}, {where}", version, stop)
