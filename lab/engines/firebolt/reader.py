"""Firebolt through its own client: `READ_ICEBERG` counts, `EXPLAIN (ANALYZE)` of the same query reports the plan."""

from __future__ import annotations

from typing import ClassVar

from lab.engines.firebolt.files import Bounds, read_files
from lab.engines.firebolt.handle import FireboltEngine
from lab.engines.firebolt.plan import UnknownPlan, read_plan
from lab.engines.firebolt.session import Session
from xtable_audit.access.s3 import S3
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.column_to_read import column_to_read
from xtable_audit.readers.reader import Answer
from xtable_audit.readers.refusal import Refusal
from xtable_audit.readers.sql import FIREBOLT


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
