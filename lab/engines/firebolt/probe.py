"""Checks once that a Firebolt can be used: it answers, reports its version, and can list the run's store."""

from __future__ import annotations

from contextlib import suppress
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

from lab.engines.firebolt.handle import FireboltEngine
from lab.store.workspace import Workspace
from xtable_audit.model.problem import Problem

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
