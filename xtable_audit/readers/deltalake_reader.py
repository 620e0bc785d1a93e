"""delta-rs: reads through DataFusion, and lists the files that it plans. Polars opens Delta tables with it."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, ClassVar, Protocol

from deltalake import DeltaTable

from xtable_audit.access.s3 import S3
from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.predicate import Predicate
from xtable_audit.readers.column_to_read import column_to_read
from xtable_audit.readers.deltalake_files import NotPlanned, planned_files
from xtable_audit.readers.reader import Answer
from xtable_audit.readers.sql import DATAFUSION


class DeltaReach(Protocol):
    """How delta-rs reaches a table's files."""

    def delta(self, root: str) -> tuple[str, dict[str, str]]:
        """Where it finds the table of that address, and the options of its object store."""
        ...


class DeltaLakeReader:
    name: ClassVar[str] = "deltalake"

    def __init__(self, store: S3, handle: Any = None) -> None:
        self._store = store

    @property
    def version(self) -> str:
        return version("deltalake")

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`. `planned` has the files that `file_uris` keeps for the predicate."""
        table = open_table(metadata_location, self._store)
        types = column_types(table)
        where = None if predicate is None else DATAFUSION.over(types).render(predicate)
        rows = sum(batch.num_rows for batch in table.scan([column_to_read(types, predicate)], where))
        try:
            return Answer(rows, planned_files(table, predicate))
        except NotPlanned as error:
            return Answer(rows, unknown_plan=str(error))


def open_table(metadata_location: str, reach: DeltaReach) -> DeltaTable:
    """The table at the version of that commit."""
    root, version = delta_version(metadata_location)
    place, options = reach.delta(root)
    return DeltaTable(place, version=version, storage_options=options or None)


def column_types(table: DeltaTable) -> dict[str, str]:
    """Top-level column -> Delta's name of its type."""
    return {field.name: str(getattr(field.type, "type", field.type)) for field in table.schema().fields}
