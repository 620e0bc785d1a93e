"""The history of an Iceberg table as a source, step by step, by PyIceberg: what `write.py` of such a finding stands on.

Needs `pip install "pyiceberg[pyarrow,sql-sqlite]"`, and pyiceberg-core for a partition by a day, a bucket or the
like. XTable finds the table in its folder, as Iceberg's HadoopTables does: by `metadata/version-hint.text`, and a copy
of the newest metadata.json under the name that it leads to. What PyIceberg writes else is left as it is.
"""

import shutil
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import NestedField
from synced import TABLES, Synced  # type: ignore[import-not-found]

NAMESPACE = "lake"
A_COMMITS_DISTANCE = 0.005
"""Seconds between commits, which XTable tells apart by their milliseconds."""
Columns = Mapping[str, Sequence[Any]]


class Lake(Synced):  # type: ignore[misc]
    """The table of this name, not there at first, partitioned by these fields: column, transform and name of each."""

    def __init__(
        self, name: str, *, partition_by: Sequence[tuple[str, str, str]] = (), options: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(name, "ICEBERG", "")
        self._fields, self._options = [*partition_by], dict(options or {})
        self._catalog = SqlCatalog(NAMESPACE, uri="sqlite:///:memory:", warehouse=TABLES.as_uri())
        self._catalog.create_namespace(NAMESPACE)
        self._table: Any = None
        self._staged = 0

    def write(
        self, schema: pa.Schema, files: Sequence[Columns], *, overwrite: bool = False, where: str | None = None
    ) -> None:
        """A commit for each of the files; the first may take the place of all that is there, or of these rows."""
        if self._table is None:
            self._create(schema)
        for number, columns in enumerate(files):
            rows = pa.table(dict(columns), schema=schema)
            if overwrite and number == 0:
                self._table.overwrite(rows, **({"overwrite_filter": where} if where else {}))
            else:
                self._table.append(rows)
            time.sleep(A_COMMITS_DISTANCE)

    def call(self, method: str, **arguments: Any) -> None:
        """`delete`, or a method of an update of the table, in a commit of its own: `update_schema.rename_column`.

        A `snapshot_id` is given as so many commits before the current one.
        """
        if "snapshot_id" in arguments:
            arguments["snapshot_id"] = self._before(arguments["snapshot_id"])
        if "field_type" in arguments:
            arguments["field_type"] = NestedField(field_id=1, name="of", field_type=arguments["field_type"]).field_type
        on, _, method = method.rpartition(".")
        if not on:
            getattr(self._table, method)(**arguments)
        else:
            with getattr(self._table, on)() as update:
                getattr(update, method)(**arguments)
        time.sleep(A_COMMITS_DISTANCE)

    def sync(self, in_flight: Sequence[str] = ()) -> None:
        self._staged += 1
        metadata = self.folder / "metadata"
        newest = self._table.metadata_location.rpartition("/")[2]
        shutil.copyfile(metadata / newest, metadata / f"v{self._staged}.metadata.json")
        (metadata / "version-hint.text").write_text(str(self._staged))
        super().sync(in_flight)

    def shown(self) -> dict[str, Any]:
        scan = self._table.scan()
        files = sorted(task.file.file_path.removeprefix("file://") for task in scan.plan_files())
        return {"rows": scan.to_arrow().num_rows, "files": files}

    def described(self) -> dict[str, Any]:
        rows = self._table.scan().to_arrow()
        nulls = {name: rows.column(name).null_count for name in rows.column_names}
        return self.shown() | {"nulls": nulls, "columns": rows.column_names}

    def _create(self, schema: pa.Schema) -> None:
        self._table = self._catalog.create_table(
            f"{NAMESPACE}.{self.name}", schema=schema, location=self.address, properties=self._options
        )
        if self._fields:
            with self._table.update_spec() as spec:
                for column, transform, name in self._fields:
                    spec.add_field(column, transform, name)

    def _before(self, back: int) -> int:
        snapshot = self._table.current_snapshot()
        for _ in range(back):
            snapshot = self._table.snapshot_by_id(snapshot.parent_snapshot_id)
        return int(snapshot.snapshot_id)
