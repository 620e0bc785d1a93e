"""The history of a Paimon table, written step by step by Paimon's library for Python: what `write.py` of such a finding
stands on.

Needs `pip install pypaimon==2.1.0`, here or, since it asks for other versions of pyarrow than PyIceberg, in a folder
that PACKAGES names.
"""

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.schema.data_types import PyarrowFieldParser
from pypaimon.schema.schema_change import SchemaChange
from synced import TABLES, Synced  # type: ignore[import-not-found]

DATABASE = "paimon"
TOP_LEVEL = 5
"""Of compacted files: one below Paimon's `num-levels`, by default."""
A_COMMITS_DISTANCE = 0.005
"""Seconds between commits, which XTable tells apart by their milliseconds."""
Columns = Mapping[str, Sequence[Any]]


class Lake(Synced):  # type: ignore[misc]
    """The table of this name, not there at first. `keys` are its primary key's columns."""

    def __init__(
        self,
        name: str,
        *,
        partition_by: Sequence[str] = (),
        keys: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(name, "PAIMON", "")
        self.folder = TABLES / f"{DATABASE}.db" / name
        self.address = self.folder.as_uri()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.partition_by, self.keys, self.options = [*partition_by], [*keys], dict(options or {})
        self.catalog = CatalogFactory.create({"warehouse": str(TABLES)})
        self.catalog.create_database(DATABASE, True)

    def write(self, schema: pa.Schema, files: Sequence[Columns], *, overwrite: bool = False) -> None:
        """One commit of a data file each. The table gets the columns of the schema, and loses all others."""
        typed = pa.schema([field.with_nullable(field.name not in self.keys) for field in schema])
        if not self.folder.exists():
            made = Schema.from_pyarrow_schema(typed, self.partition_by, self.keys, self.options)
            self.catalog.create_table(self._name, made, False)
        if changes := [*self._changes(schema)]:
            self.catalog.alter_table(self._name, changes)
        builder = self._table.new_batch_write_builder()
        if overwrite:
            builder = builder.overwrite()
        written = []
        for columns in files:
            writer = builder.new_write()
            writer.write_arrow(pa.table(dict(columns), schema=typed))
            written += writer.prepare_commit()
            writer.close()
        committer = builder.new_commit()
        committer.commit(written)
        committer.close()
        time.sleep(A_COMMITS_DISTANCE)

    def shown(self) -> dict[str, Any]:
        """Of a table with a primary key, `rows` are those of its compacted files, which others can read as they are,
        and `snapshot_rows` those that Paimon shows."""
        rows = {"rows": self._rows().num_rows}
        if self.keys:
            compacted = sum(file.row_count for file in self._files())
            rows = {"rows": compacted, "snapshot_rows": rows["rows"]}
        return {**rows, "files": sorted(self._place(file) for file in self._files())}

    def described(self) -> dict[str, Any]:
        rows = self._rows()
        nulls = {name: rows.column(name).null_count for name in rows.column_names}
        return self.shown() | {"rows": rows.num_rows, "nulls": nulls, "columns": rows.column_names}

    def _changes(self, schema: pa.Schema) -> Iterator[Any]:
        there = {field.name for field in self._table.fields}
        yield from map(SchemaChange.drop_column, sorted(there - {*schema.names}))
        for field in schema:
            if field.name not in there:
                yield SchemaChange.add_column(field.name, PyarrowFieldParser.to_paimon_type(field.type, True))

    @property
    def _name(self) -> str:
        return f"{DATABASE}.{self.name}"

    @property
    def _table(self) -> Any:
        return self.catalog.get_table(self._name)

    def _splits(self) -> Any:
        return self._table.new_read_builder().new_scan().plan().splits()

    def _files(self) -> list[Any]:
        """Of a table with a primary key the compacted ones."""
        planned = (file for split in self._splits() for file in split.files)
        return [file for file in planned if not self.keys or file.level == TOP_LEVEL]

    def _place(self, file: Any) -> str:
        return str(self.folder / str(file.file_path).partition(f"{self._table.table_path}/")[2])

    def _rows(self) -> pa.Table:
        return self._table.new_read_builder().new_read().to_arrow(self._splits())
