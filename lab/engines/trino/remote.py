"""A Trino that somebody else runs: `http://user@host:port`, or `…/catalog` for one of its catalogs."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from trino.exceptions import TrinoQueryError

from lab.engines.trino.client import Client, in_words
from lab.engines.trino.handle import GivenCatalog, TrinoHandle, TrinoServer
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
