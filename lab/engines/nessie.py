"""A Nessie catalog with an in-memory store: a container, a process from Maven Central, or a server of the user's.

As a process it is an Iceberg REST catalog too, if the order names a `warehouse`: a folder of the run's store.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import requests

from lab.engines.registry import Order, RunningEngine
from lab.servers.child import Child, free_port
from lab.servers.containers import Container
from lab.servers.docker import docker_answers
from lab.stack.download import fetch_reporting
from lab.stack.java import find_java
from lab.stack.maven_repositories import Repositories
from lab.stack.versions import nessie_versions
from lab.store.address import Workspace
from xtable_audit.model.problem import Problem

READY_IN = 120.0
"""Seconds to wait until the server answers; a process needs 4 on an idle machine."""
API = "/api/v2"
WAREHOUSE = "audit"
"""Its name in the REST catalog."""
SECRET = "audit.s3"
S3 = "nessie.catalog.service.s3.default-options"


@dataclass(frozen=True)
class NessieServer:
    """`uri` ends in `/api/v2`, as Trino's `iceberg.nessie-catalog.uri` wants it."""

    uri: str
    version: str

    @property
    def rest(self) -> str:
        """The Iceberg REST catalog's address."""
        return f"{self.uri.removesuffix(API)}/iceberg"


def open_engine(order: Order) -> RunningEngine:
    """Nessie with an in-memory store on free ports of 127.0.0.1; `order.how` is auto, container, process or a URL.

    The engine's handle is a `NessieServer`. Raises Problem if it is not available.
    """
    if "://" in order.how:
        return _of_the_user(order.how)
    if order.how not in ("auto", "container", "process"):
        raise Problem(f"--nessie {order.how}: use auto, container, process or http://host:port{API}.")
    as_container = order.how == "container" or (order.how == "auto" and docker_answers())
    wanted = nessie_versions()
    handle = NessieServer(f"http://127.0.0.1:{free_port()}{API}", wanted.version)
    server = _container(handle, order) if as_container else _process(handle, order)
    server.wait_until(lambda: _answers(handle.uri) is not None, READY_IN)
    kind = "container" if as_container else "process"
    detail = f"Nessie {wanted.version}, a {kind} at {handle.uri}"
    return RunningEngine(handle, detail, wanted.version, stop=server.stop)


def expected_version(how: str) -> str | None:
    """Ours is the one in versions.toml; a server of the user's only reports its own."""
    return None if "://" in how else nessie_versions().version


def settings(handle: NessieServer) -> dict[str, str]:
    """Nessie's settings, by the names of its documentation. Without the hosts it would listen on every address."""
    return {
        "quarkus.http.host": "127.0.0.1",
        "quarkus.http.port": str(urlsplit(handle.uri).port),
        "quarkus.management.host": "127.0.0.1",
        "quarkus.management.port": str(free_port()),
        "quarkus.otel.sdk.disabled": "true",
        "nessie.version.store.type": "IN_MEMORY",
    }


def warehouse(store: Workspace, folder: str) -> dict[str, str]:
    """Settings for a REST catalog whose tables lie in a folder of the store."""
    return {
        "nessie.catalog.default-warehouse": WAREHOUSE,
        f"nessie.catalog.warehouses.{WAREHOUSE}.location": store.uri(folder),
        f"{S3}.region": store.region,
        f"{S3}.path-style-access": "true",
        f"{S3}.request-signing-enabled": "false",
        f"{S3}.access-key": f"urn:nessie-secret:quarkus:{SECRET}",
    } | ({f"{S3}.endpoint": store.endpoint} if store.endpoint else {})


def credentials(store: Workspace) -> dict[str, str]:
    """As environment variables, because every user of the machine can read a command line."""
    return {"AUDIT_S3_NAME": store.access_key, "AUDIT_S3_SECRET": store.secret_key}


def _container(handle: NessieServer, order: Order) -> Container:
    return Container(
        "Nessie",
        nessie_versions().image,
        log=order.logs / "nessie.log",
        environment={re.sub(r"\W", "_", name).upper(): value for name, value in settings(handle).items()},
        report=order.report,
    )


def _process(handle: NessieServer, order: Order) -> Child:
    wanted = nessie_versions()
    java = find_java(wanted.java, order.cache)
    with order.cache.lock("nessie", wanted.version):  # one run downloads, the others wait for it
        repositories = Repositories.of_this_machine(order.cache.root)
        jar = fetch_reporting(repositories, PurePosixPath(wanted.jar), f"Nessie {wanted.version}", order.report)
    order.report(f"starting Nessie {wanted.version}")
    scratch = Path(tempfile.mkdtemp(prefix="nessie-"))
    configuration, environment = settings(handle), dict[str, str]()
    if folder := order.options.get("warehouse"):
        store = order.running().store
        configuration, environment = configuration | warehouse(store, folder), credentials(store)
    options = [f"-D{name}={value}" for name, value in configuration.items()]
    command = [str(java / "bin" / "java"), "-Xmx256m", *options, "-jar", str(jar)]
    return Child(
        "Nessie", command, log=order.logs / "nessie.log", scratch=scratch, folder=scratch, environment=environment
    )


def _of_the_user(url: str) -> RunningEngine:
    uri = url.rstrip("/")
    uri = uri if uri.endswith(API) else uri + API
    answer = _answers(uri)
    if answer is None:
        raise Problem(f"No Nessie answers at {uri}/config. Start it, or give the URL of one that runs.")
    version = f"API {answer.get('specVersion', 'of unknown version')}"
    return RunningEngine(NessieServer(uri, version), f"Nessie at {uri}", version)


def _answers(uri: str) -> dict[str, object] | None:
    """The configuration that a Nessie at this URI returns; None if no Nessie answers."""
    try:
        with requests.Session() as session:
            session.trust_env = False  # a proxy cannot reach 127.0.0.1
            answer = session.get(f"{uri}/config", timeout=5)
            config = answer.json() if answer.ok else None
    except requests.RequestException:
        return None
    return config if isinstance(config, dict) and "defaultBranch" in config else None
