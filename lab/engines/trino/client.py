"""How a reader in another process uses a Trino: plain values, and a client that runs statements one by one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import requests
from trino.auth import BasicAuthentication
from trino.dbapi import Connection
from trino.exceptions import Error, HttpError, TrinoAuthError, TrinoQueryError

from xtable_audit.model.problem import Problem


@dataclass(frozen=True)
class TrinoServer:
    """A Trino's address and user. `url` is `http://host:port`; Trino takes a password over https only."""

    url: str
    user: str
    password: str | None = field(default=None, repr=False)
    log: str | None = None
    """Its log file on this machine; None for a Trino that somebody else started."""


@dataclass(frozen=True)
class JdbcCatalogs:
    """Each reader gets a catalog of its own in a database with Iceberg's two tables (`lab.engines.trino.install`)."""

    url: str
    """`jdbc:postgresql://host:port/database`."""
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class FileCatalogs:
    """Each reader gets a catalog of its own that keeps a few small files a table: Trino's own metastore for tests."""

    folder: str
    """`local:///…` below `local_root`, or `s3://bucket/…`; a folder a catalog is made in it."""
    local_root: str | None = None
    """A folder as Trino sees it. None where `folder` is in S3."""


@dataclass(frozen=True)
class NessieCatalogs:
    """Each reader gets a catalog of its own on one Nessie."""

    uri: str
    """As `NessieServer.uri`: it ends in `/api/v2`."""


@dataclass(frozen=True)
class GivenCatalog:
    """A catalog of the user's, with its own credentials for S3: each reader gets a schema in it."""

    name: str


Catalogs = JdbcCatalogs | FileCatalogs | NessieCatalogs | GivenCatalog


@dataclass(frozen=True)
class TrinoHandle:
    server: TrinoServer
    version: str
    catalogs: Catalogs
    prefix: str
    """Prefix of the name of every catalog (every schema in a GivenCatalog) that this run creates."""

    @property
    def watched(self) -> bool:
        """Whether its requests to S3 carry the reader's own access key, so that the log separates readers."""
        return not isinstance(self.catalogs, GivenCatalog)


# Runs statements on a Trino one after the other, and fetches Trino's own account of each.

FINAL_IN = 20.0
"""Seconds until Trino's account of a finished query must be final; it takes a few milliseconds."""
_OVERLOADED = "INSUFFICIENT_RESOURCES"
_NOT_ABOUT_A_TABLE = frozenset(
    {"NO_NODES_AVAILABLE", "SERVER_STARTING_UP", "SERVER_SHUTTING_DOWN", "REMOTE_HOST_GONE", "REMOTE_TASK_ERROR"}
)


@dataclass(frozen=True)
class QueryResult:
    rows: list[list[Any]]
    query_id: str


class Client:
    """A session in UTC, which never shifts times without zone."""

    def __init__(self, server: TrinoServer) -> None:
        self.server = server
        at = urlsplit(server.url)
        self._http = requests.Session()
        self._http.trust_env = at.hostname != "127.0.0.1"  # a proxy cannot reach this machine
        self._connection = Connection(
            at.hostname or "",
            at.port,
            server.user,
            source="xtable-audit",
            http_scheme=at.scheme,
            http_session=self._http,
            auth=BasicAuthentication(server.user, server.password) if server.password else None,
            timezone="UTC",
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def run(self, statement: str) -> QueryResult:
        """Raises TrinoQueryError if Trino refuses the statement, Problem if Trino is gone."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(statement)
            return QueryResult(cursor.fetchall(), str(cursor.query_id))
        except TrinoQueryError as refused:
            if refused.error_type == _OVERLOADED or refused.error_name in _NOT_ABOUT_A_TABLE:
                raise Problem(f"Trino at {self.server.url} cannot take the query: {in_words(refused)}") from refused
            raise
        except (TrinoAuthError, HttpError) as refused:
            raise self._locked(str(refused)) from refused
        except (Error, requests.RequestException) as broken:
            raise self._gone(broken) from broken

    def account(self, query_id: str) -> dict[str, Any]:
        """`GET /v1/query/{id}` of a finished query, once it is final. Raises Problem if it does not become final."""
        deadline = time.monotonic() + FINAL_IN
        while True:
            info = self._get(f"/v1/query/{query_id}")
            if info.get("finalQueryInfo", True):
                return info
            if time.monotonic() > deadline:
                raise Problem(f"Trino at {self.server.url} gives no final account of {query_id} in {FINAL_IN:.0f} s.")
            time.sleep(0.01)

    def version(self) -> str | None:
        """`476`; None while it is starting."""
        info = self._get("/v1/info")
        try:
            return None if info["starting"] else str(info["nodeVersion"]["version"])
        except (TypeError, KeyError) as other:
            raise Problem(f"{self.server.url} is no Trino: it reports no version. Check --trino.") from other

    def _get(self, path: str) -> dict[str, Any]:
        password = self.server.password
        try:
            answer = self._http.get(
                f"{self.server.url}{path}",
                headers={"X-Trino-User": self.server.user},
                auth=(self.server.user, password) if password else None,
                timeout=30,
            )
            if answer.status_code in (401, 403):
                raise self._locked(f"HTTP {answer.status_code}")
            answer.raise_for_status()
            content: dict[str, Any] = answer.json()
        except requests.RequestException as broken:
            raise self._gone(broken) from broken
        return content

    def _locked(self, reason: str) -> Problem:
        return Problem(
            f"Trino at {self.server.url} refuses user {self.server.user} ({reason[:160]}): "
            "check the user and password in --trino"
        )

    def _gone(self, broken: Exception) -> Problem:
        hint = f"see its log {self.server.log}" if self.server.log else "is it running, and is that its URL?"
        return Problem(f"Trino at {self.server.url} is gone or does not answer ({type(broken).__name__}): {hint}")


def in_words(refused: TrinoQueryError) -> str:
    """`COLUMN_NOT_FOUND: line 1:8: …`, without the query's id, which differs every time."""
    return f"{refused.error_name}: {str(refused.message).strip()}"
