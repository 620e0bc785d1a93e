"""A Firebolt that can be used, in plain values, and whether it can: it answers, and lists the run's store."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

import httpx
from firebolt.db.connection import connect
from firebolt.utils.exception import (
    AccountNotFoundOrNoAccessError,
    AuthenticationError,
    AuthorizationError,
    FireboltError,
)

from lab.store.address import Workspace
from xtable_audit.model.problem import Problem

CLOUD_API = "api.app.firebolt.io"


@dataclass(frozen=True)
class FireboltEngine:
    """Firebolt Core if `url` is set, else an engine of Firebolt's cloud, with a service account's credentials."""

    url: str = ""
    account: str = ""
    engine: str = ""
    database: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    api: str = CLOUD_API

    @property
    def where(self) -> str:
        """For sentences: `Firebolt at http://127.0.0.1:3473`."""
        return f"Firebolt at {self.url}" if self.url else f"Firebolt's cloud (account {self.account})"

    def arguments(self) -> dict[str, Any]:
        """Arguments for `firebolt.db.connect`. Neither a token nor an engine's address is kept on disk."""
        from firebolt.client.auth.client_credentials import ClientCredentials
        from firebolt.client.auth.firebolt_core import FireboltCore

        if self.url:
            return {"auth": FireboltCore(), "url": self.url, "database": self.database or "firebolt"}
        return {
            "auth": ClientCredentials(self.client_id, self.client_secret, use_token_cache=False),
            "account_name": self.account,
            "engine_name": self.engine or None,
            "database": self.database or None,
            "api_endpoint": self.api,
            "disable_cache": True,
        }

    def words(self, error: BaseException) -> str:
        """The first line of an error, without the driver's heading and without our secret."""
        lines = [line.strip() for line in str(error).splitlines()]
        meaningful = [line for line in lines if line and line != "Error executing query:"]
        words = meaningful[0].removeprefix("- ") if meaningful else type(error).__name__
        return words.replace(self.client_secret, "****") if self.client_secret else words


PATIENCE = 60.0
"""Seconds for one of these small questions."""


def is_ready(url: str) -> bool:
    """Whether a Core answers `/ping` and a query. It answers `/ping` before it can take queries."""
    host = urlsplit(url).netloc
    return _gets(host, "GET", "/ping", "") and _gets(host, "POST", "/", "SELECT 1")


def _gets(host: str, method: str, path: str, body: str) -> bool:
    connection = HTTPConnection(host, timeout=5)
    with suppress(OSError, HTTPException):
        try:
            connection.request(method, path, body)
            return connection.getresponse().status == 200
        finally:
            connection.close()
    return False


def query_version(engine: FireboltEngine) -> str:
    """`SELECT version()`. Raises Problem, with what to correct, if the engine cannot be used."""
    try:
        return str(_query(engine, "SELECT version()")[0][0])
    except httpx.TransportError as error:
        raise Problem(f"no {engine.where}: {engine.words(error)}; {_hint(engine)}") from None
    except (AuthenticationError, AuthorizationError):
        check = "check FIREBOLT_CLIENT_ID and FIREBOLT_CLIENT_SECRET"
        raise Problem(f"{engine.where} refuses these credentials: {check}") from None
    except AccountNotFoundOrNoAccessError:
        raise Problem(f"{engine.where} has no such account for this client: check FIREBOLT_ACCOUNT") from None
    except (FireboltError, httpx.HTTPError, LookupError, ValueError) as error:
        check = "" if engine.url else "; check FIREBOLT_ENGINE and FIREBOLT_DATABASE"
        raise Problem(f"{engine.where} does not answer as a Firebolt should: {engine.words(error)}{check}") from None


def check_store(engine: FireboltEngine, store: Workspace) -> None:
    """Raises Problem if the engine cannot list the run's bucket: its errors would not be about the table."""
    given = {
        "URL": f"s3://{store.bucket}/",
        "AWS_ACCESS_KEY_ID": store.access_key,
        "AWS_SECRET_ACCESS_KEY": store.secret_key,
        "AWS_SESSION_TOKEN": store.session_token or "",
    }
    written = {name: value.replace("'", "''") for name, value in given.items() if value}
    arguments = ", ".join(f"{name} => '{value}'" for name, value in written.items())
    try:
        _query(engine, f"SELECT count(*) FROM LIST_OBJECTS({arguments})")
    except (FireboltError, httpx.HTTPError) as error:
        words = engine.words(error)
        for name in ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            words = words.replace(written.get(name) or "\0", "****").replace(given[name] or "\0", "****")
        where = store.endpoint or "Amazon S3"
        raise Problem(
            f"{engine.where} cannot list s3://{store.bucket} of {where}: {words}; its config.yaml must name that "
            "endpoint as storage.aws.endpoint, as it is reached from where the engine runs"
        ) from None


def _query(engine: FireboltEngine, sql: str) -> list[list[Any]]:
    with connect(**engine.arguments()) as connection:
        cursor = connection.cursor()
        cursor.execute(sql, skip_parsing=True, timeout_seconds=PATIENCE)
        rows: list[list[Any]] = cursor.fetchall()
        return rows


def _hint(engine: FireboltEngine) -> str:
    return "start it, or use --firebolt container" if engine.url else "is this machine on the network?"
