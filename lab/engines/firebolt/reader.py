"""Firebolt through its own client: `READ_ICEBERG` counts, `EXPLAIN (ANALYZE)` of the same query reports the plan."""

from __future__ import annotations

import weakref
from typing import Any, ClassVar

import httpx
from firebolt.db.connection import connect
from firebolt.utils.exception import FireboltError, QueryTimeoutError

from lab.engines.firebolt.engine import FireboltEngine
from lab.engines.firebolt.listings import Bounds, UnknownPlan, read_files, read_plan
from xtable_audit.access.s3 import S3
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Answer, Refusal, column_to_read
from xtable_audit.readers.sql_dialects import FIREBOLT

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


class FireboltReader:
    """Runs two statements per query: `EXPLAIN` returns no rows, and a plan's number is not a reliable count.

    Both use the reader's own key, in the same window, over the same files.
    """

    name: ClassVar[str] = "firebolt"

    def __init__(self, store: S3, handle: FireboltEngine | None = None) -> None:
        if handle is None:
            raise Problem("reader firebolt needs an engine, and none was read")
        self._store = store
        self._session = Session(handle, (store.secret_key, store.session_token or ""))
        self.close = self._session.close
        self._version = str(self._session.rows("SELECT version()")[0][0])
        self._columns: dict[str, dict[str, str]] = {}

    @property
    def version(self) -> str:
        return self._version

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        self._forget_files()
        table = self._source("READ_ICEBERG", metadata_location)
        if metadata_location not in self._columns:  # the table at a location never changes
            self._columns[metadata_location] = self._session.columns(table)
        column = FIREBOLT.column(column_to_read(self._columns[metadata_location], predicate))
        # no footer or manifest has the hash of a value
        question = f"SELECT count(*), max(city_hash({column})) FROM {table}{FIREBOLT.where(predicate)}"
        rows = int(self._session.rows(question)[0][0])
        try:
            plan = read_plan(self._explain(question), filtered=predicate is not None)
            if plan.returned != rows:
                raise UnknownPlan(f"it returns {plan.returned} rows where the query counted {rows}")
        except UnknownPlan as unknown:
            return Answer(rows, unknown_plan=f"Firebolt {self.version} gave a plan that is not understood: {unknown}")
        return Answer(rows, live=plan.live, planned_count=plan.planned_count, scanned=plan.scanned)

    def bounds(self, metadata_location: str) -> Bounds:
        """The bounds of each live file as Firebolt decodes them, by `LIST_ICEBERG_FILES`. Raises UnknownListing."""
        self._forget_files()
        return read_files(self._session, self._source("LIST_ICEBERG_FILES", metadata_location))

    def _forget_files(self) -> None:
        """Clears the engine's cache: a cached data file causes no request and would look skipped."""
        try:
            self._session.run("CLEAR EXTERNAL DATA CACHE")
        except Refusal as refusal:
            raise Problem(
                f"Firebolt {self.version} does not let its cache of data files be cleared: {refusal}"
            ) from None

    def _explain(self, question: str) -> str:
        try:
            return "\n".join(str(row[0]) for row in self._session.rows(f"EXPLAIN (ANALYZE, FORMAT JSON) {question}"))
        except Refusal as refusal:
            raise UnknownPlan(f"it refuses to explain: {refusal}") from None

    def _source(self, function: str, metadata_location: str) -> str:
        given = {
            "URL": metadata_location,
            "AWS_ACCESS_KEY_ID": self._store.access_key,
            "AWS_SECRET_ACCESS_KEY": self._store.secret_key,
            "AWS_SESSION_TOKEN": self._store.session_token,
        }
        arguments = ", ".join(f"{name} => {FIREBOLT.literal(value)}" for name, value in given.items() if value)
        return f"{function}({arguments})"
