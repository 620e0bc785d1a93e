"""One connection to Firebolt. Tells failures of the engine from failures of a statement, and so of the table."""

from __future__ import annotations

import weakref
from typing import Any

import httpx
from firebolt.db.connection import connect
from firebolt.utils.exception import FireboltError, QueryTimeoutError

from lab.engines.firebolt.handle import FireboltEngine
from xtable_audit.model.problem import Problem
from xtable_audit.readers.refusal import Refusal

UNCACHED = ("SET enable_result_cache=false", "SET enable_subresult_cache=false")
"""With these caches on, Firebolt answers a repeated query without reading the table."""
PATIENCE = 200.0
"""Seconds a statement may take. Four statements stay within the limit of `xtable_audit.readers.subprocess_reader`."""

GONE = (httpx.TransportError, QueryTimeoutError)
FAILED = (FireboltError, httpx.HTTPStatusError)


class Session:
    """Raises Problem if the engine is gone or unusable, Refusal if it refuses a statement."""

    def __init__(self, engine: FireboltEngine, secrets: tuple[str, ...] = ()) -> None:
        """`secrets` never appear in an error message."""
        self._engine = engine
        self._secrets = tuple(secret for secret in secrets if secret)
        try:
            connection = connect(**engine.arguments())
        except (*GONE, *FAILED) as error:
            raise Problem(f"{engine.where} cannot be entered: {self._words(error)}") from None
        self.close = weakref.finalize(self, connection.close)
        self._cursor = connection.cursor()
        try:
            for setting in UNCACHED:
                self._cursor.execute(setting, timeout_seconds=PATIENCE)
        except (*GONE, *FAILED) as error:
            raise Problem(f"{engine.where} does not answer `{setting}`: {self._words(error)}") from None

    def rows(self, sql: str) -> list[list[Any]]:
        """The rows of one statement."""
        self._execute(sql)
        rows: list[list[Any]] = self._cursor.fetchall()
        return rows

    def columns(self, table: str) -> dict[str, str]:
        """Column -> the driver's name of its type, for a table function's result. Reads no rows."""
        self._execute(f"SELECT * FROM {table} LIMIT 0")
        described = self._cursor.description
        return {one.name: getattr(one.type_code, "__name__", str(one.type_code)) for one in described}

    def run(self, sql: str) -> None:
        """Runs a statement that returns no rows."""
        self._execute(sql)

    def _execute(self, sql: str) -> None:
        try:
            self._cursor.execute(sql, skip_parsing=True, timeout_seconds=PATIENCE)
        except GONE as error:
            raise Problem(f"{self._engine.where} is gone: {self._words(error)}") from None
        except FAILED as error:
            self._check_engine()
            raise Refusal(self._words(error)) from None

    def _check_engine(self) -> None:
        """Raises Problem if the engine cannot run `SELECT 1`. The driver reports 503 or 403 only in its text."""
        try:
            self._cursor.execute("SELECT 1", skip_parsing=True, timeout_seconds=PATIENCE)
        except (*GONE, *FAILED) as error:
            raise Problem(f"{self._engine.where} does not answer: {self._words(error)}") from None

    def _words(self, error: BaseException) -> str:
        words = self._engine.words(error)
        for secret in self._secrets:
            for written in (secret.replace("'", "''"), secret):  # escaped for SQL, and raw
                words = words.replace(written, "****")
        return words
