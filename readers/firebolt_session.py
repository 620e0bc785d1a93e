"""One connection to Firebolt, and whose fault a failure is: the engine's, or the statement's and so the table's."""

from __future__ import annotations

import weakref
from typing import Any

import httpx
from firebolt.db.connection import connect
from firebolt.utils.exception import FireboltError, QueryTimeoutError

from engines.firebolt.handle import FireboltEngine
from readers.words import Refusal
from stack.problem import Problem

UNCACHED = ("SET enable_result_cache=false", "SET enable_subresult_cache=false")
"""Otherwise a question asked twice is answered without the table."""
PATIENCE = 200.0
"""Seconds a statement may take: four of them stay within what `readers.apart` allows a reader."""

GONE = (httpx.TransportError, QueryTimeoutError)
FAILED = (FireboltError, httpx.HTTPStatusError)


class Session:
    """Raises Problem where the engine is gone or cannot be used, Refusal where it refuses a statement."""

    def __init__(self, engine: FireboltEngine, secrets: tuple[str, ...] = ()) -> None:
        """`secrets` never appear in what is raised."""
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
        """What one statement that yields rows gives."""
        self._execute(sql)
        rows: list[list[Any]] = self._cursor.fetchall()
        return rows

    def columns(self, table: str) -> dict[str, str]:
        """Name -> type, in the driver's words, of what a table function gives, without reading it."""
        self._execute(f"SELECT * FROM {table} LIMIT 0")
        described = self._cursor.description
        return {one.name: getattr(one.type_code, "__name__", str(one.type_code)) for one in described}

    def run(self, sql: str) -> None:
        """A statement without rows."""
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
        """The driver hides a status of 503 or 403 in the text: what cannot answer this refuses no table."""
        try:
            self._cursor.execute("SELECT 1", skip_parsing=True, timeout_seconds=PATIENCE)
        except (*GONE, *FAILED) as error:
            raise Problem(f"{self._engine.where} does not answer: {self._words(error)}") from None

    def _words(self, error: BaseException) -> str:
        words = self._engine.words(error)
        for secret in self._secrets:
            for written in (secret.replace("'", "''"), secret):  # as SQL spells it, and as it is
                words = words.replace(written, "****")
        return words
