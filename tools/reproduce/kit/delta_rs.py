"""The history of a Delta table that delta-rs writes, step by step: what `write.py` of such a finding stands on.

Needs `pip install deltalake pyarrow`.
"""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from pyarrow import fs
from synced import Synced  # type: ignore[import-not-found]

Columns = Mapping[str, Sequence[Any]]


class Written(Synced):  # type: ignore[misc]
    """The table of this name, empty at first. `options` are its configuration."""

    def __init__(
        self, name: str, *, partition_by: Sequence[str] = (), options: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(name, "DELTA", "")
        self._partition_by, self._options = list(partition_by), dict(options or {})

    def write(self, schema: pa.Schema, files: Sequence[Columns], *, overwrite: bool = False) -> None:
        """A commit for each of the files; the first may take the place of all that is there."""
        for number, columns in enumerate(files):
            anew, there = overwrite and number == 0, self.folder.exists()
            write_deltalake(
                self.folder,
                pa.table(dict(columns), schema=schema),
                mode="overwrite" if anew else "append",
                partition_by=self._partition_by or None,
                schema_mode=("overwrite" if anew else "merge") if there else None,
                configuration=None if there else self._options,
            )

    def call(self, method: str, **arguments: Any) -> None:
        """A method of `deltalake.DeltaTable`: `delete`, `optimize.compact`."""
        attrgetter(method)(DeltaTable(self.folder))(**arguments)

    def shown(self) -> dict[str, Any]:
        return {"rows": self._rows().num_rows, "files": [str(self.folder / one) for one in self._files()]}

    def described(self) -> dict[str, Any]:
        rows = self._rows()
        nulls = {name: rows.column(name).null_count for name in rows.column_names}
        return self.shown() | {"nulls": nulls, "columns": rows.column_names}

    def _rows(self) -> pa.Table:
        """By Arrow's own files: where they are Python's, a process may abort as it ends (apache/arrow#34314)."""
        place = fs.SubTreeFileSystem(str(self.folder), fs.LocalFileSystem())
        return DeltaTable(self.folder).to_pyarrow_table(filesystem=place)

    def _files(self) -> list[str]:
        return [uri.partition(f"{self.name}/")[2] for uri in DeltaTable(self.folder).file_uris()]
