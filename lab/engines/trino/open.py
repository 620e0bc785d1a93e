"""`--trino auto | container | process | http://user@host:port[/catalog]`: opens the Trino that the option names."""

from __future__ import annotations

import secrets
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from trino.exceptions import TrinoQueryError

from lab.engines.postgres import start_postgres
from lab.engines.registry import Order, RunningEngine
from lab.engines.trino.client import (
    Catalogs,
    Client,
    FileCatalogs,
    GivenCatalog,
    JdbcCatalogs,
    TrinoHandle,
    TrinoServer,
    in_words,
)
from lab.engines.trino.install import CATALOG_TABLES
from lab.engines.trino.started import RunningTrino, start_container, start_process
from lab.servers.docker import docker_answers, why_no_docker
from lab.stack.versions import trino
from lab.store import objects
from xtable_audit.model.problem import Problem

SHAPE = "http://user@host:port or http://user@host:port/catalog (https://user:password@host with a password)"
USER = "xtable-audit"
_PORTS = {"http": 8080, "https": 443}


@dataclass(frozen=True)
class Address:
    server: TrinoServer
    catalog: str | None


def parse(url: str) -> Address:
    """Raises Problem for anything else than `SHAPE`."""
    parts = urlsplit(url)
    catalog = parts.path.strip("/")
    try:
        port = _PORTS[parts.scheme] if parts.port is None else parts.port
    except (ValueError, KeyError):
        port = 0
    if parts.scheme not in _PORTS or not parts.hostname or not port or "/" in catalog or parts.query or parts.fragment:
        raise Problem(f"--trino {_without_password(url)} is not the address of a Trino: write {SHAPE}")
    if parts.password and parts.scheme == "http":
        raise Problem(f"--trino {_without_password(url)}: Trino takes a password over https only; write {SHAPE}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    user = unquote(parts.username or USER)
    password = unquote(parts.password) if parts.password else None
    return Address(TrinoServer(f"{parts.scheme}://{host}:{port}", user, password), catalog or None)


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return url.replace(f":{parts.password}@", ":…@") if parts.password else url


def version_of(address: Address) -> str:
    """The version that the Trino reports, once it has answered a query. Raises Problem if it does not."""
    server = address.server
    with Client(server) as client:
        version = client.version()
        if version is None:
            raise Problem(f"Trino at {server.url} is still starting. Run again once it has started.")
        connectors = _connectors(client)
    if address.catalog is not None and connectors.get(address.catalog) != "iceberg":
        has = ", ".join(name for name, connector in connectors.items() if connector == "iceberg") or "none"
        raise Problem(f"Trino at {server.url} has no Iceberg catalog {address.catalog}; its Iceberg catalogs: {has}")
    return version


def _connectors(client: Client) -> dict[str, str]:
    try:
        result = client.run("SELECT catalog_name, connector_name FROM system.metadata.catalogs ORDER BY 1")
    except TrinoQueryError as refused:
        raise Problem(f"Trino at {client.server.url} refuses the user's first query: {in_words(refused)}") from refused
    return {str(name): str(connector) for name, connector in result.rows}


def leave_nothing(handle: TrinoHandle) -> None:
    """Drops what the readers of this run created. No table's data or metadata is touched."""
    with Client(handle.server) as client:
        if isinstance(handle.catalogs, GivenCatalog):
            _drop_schemas(client, handle.catalogs.name, handle.prefix)
        else:
            for catalog in _beginning(client, "SELECT catalog_name FROM system.metadata.catalogs", handle.prefix):
                client.run(f'DROP CATALOG "{catalog}"')


def _drop_schemas(client: Client, catalog: str, prefix: str) -> None:
    for schema in _beginning(client, f'SHOW SCHEMAS FROM "{catalog}"', prefix):
        for (table,) in client.run(f'SHOW TABLES FROM "{catalog}"."{schema}"').rows:
            client.run(f"CALL \"{catalog}\".system.unregister_table('{schema}', '{table}')")  # DROP TABLE deletes files
        client.run(f'DROP SCHEMA "{catalog}"."{schema}"')


def _beginning(client: Client, statement: str, prefix: str) -> list[str]:
    return [str(name) for (name,) in client.run(statement).rows if str(name).startswith(prefix)]


HOW = ("auto", "container", "process")
KINDS = ("jdbc", "file")
METASTORE = "_trino_metastore"
"""Folder in the bucket for the file metastore of a Trino that we did not start."""


def open_engine(order: Order) -> RunningEngine:
    """Raises Problem, one sentence, if no Trino is available that way."""
    if order.how.startswith(("http://", "https://")):
        return _theirs(order, parse(order.how))
    kind = order.options.get("catalog", KINDS[0])
    if order.how not in HOW or kind not in KINDS:
        raise Problem(f"--trino takes {', '.join(HOW)} or a URL, and --trino-catalog takes {' or '.join(KINDS)}")
    if order.how == "container" and not docker_answers():
        raise Problem(f"--trino container needs Docker, and {why_no_docker()}, or use --trino process")
    return _ours(order, kind, in_container=order.how != "process" and docker_answers())


def expected_version(how: str) -> str | None:
    """Ours is the one in versions.toml; a running Trino reports its own, None if it does not answer."""
    if how.startswith(("http://", "https://")):
        with suppress(Problem):
            return version_of(parse(how))
        return None
    in_container = how != "process" and docker_answers()
    return trino().image.rpartition(":")[2] if in_container else trino().version


def _ours(order: Order, kind: str, *, in_container: bool) -> RunningEngine:
    where: Literal["container", "process"] = "container" if in_container else "process"
    with ExitStack() as undo:
        catalogs: Catalogs | None = None
        if kind == "jdbc":
            postgres = start_postgres(where, order.logs, order.cache, order.report, setup=CATALOG_TABLES)
            undo.callback(postgres.stop)
            database = postgres.handle
            catalogs = JdbcCatalogs(database.jdbc_url, database.user, database.password)
        start = start_container if in_container else start_process
        running: RunningTrino = start(trino(), order.logs, order.cache, order.report)
        undo.callback(running.stop)
        catalogs = catalogs or FileCatalogs("local:///metastore", running.scratch)
        return RunningEngine(
            TrinoHandle(running.server, running.version, catalogs, _prefix()),
            f"Trino {running.version}, a {where} at {running.server.url}, {kind} catalogs",
            running.version,
            undo.pop_all().close,
        )
    raise AssertionError("unreachable")


def _theirs(order: Order, address: Address) -> RunningEngine:
    order.report(f"connecting to Trino at {address.server.url}")
    version = version_of(address)
    prefix = _prefix()
    if address.catalog is not None:
        catalogs: Catalogs = GivenCatalog(address.catalog)
    else:
        catalogs = FileCatalogs(order.running().store.uri(f"{METASTORE}/{prefix}"))
    handle = TrinoHandle(address.server, version, catalogs, prefix)

    def stop() -> None:
        with suppress(Problem, TrinoQueryError):  # it may be gone, or refuse to drop: no table is affected
            leave_nothing(handle)
        if isinstance(catalogs, FileCatalogs):
            objects.delete(order.running().store, f"{METASTORE}/{prefix}")

    where = f"{address.server.url}/{address.catalog}" if address.catalog else address.server.url
    return RunningEngine(handle, f"Trino {version} at {where}", version, stop)


def _prefix() -> str:
    """Differs for each run, so that concurrent runs on one Trino do not collide."""
    return f"xtable_audit_{secrets.token_hex(4)}_"
