"""The history of a folder of Parquet files, written step by step by Arrow: what `write.py` of such a finding stands on.

Needs `pip install pyarrow`.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import dataset
from synced import Synced  # type: ignore[import-not-found]

NOON = 1_704_110_400
"""2024-01-01T12:00:00Z, in seconds."""
Columns = Mapping[str, Sequence[Any]]


class Folder(Synced):  # type: ignore[misc]
    """The folder of this name, empty at first. `spec` is XTable's `partitionSpec`."""

    def __init__(self, name: str, *, spec: str = "") -> None:
        super().__init__(name, "PARQUET", spec)

    def put(self, minute: int, schema: pa.Schema, files: Mapping[str, Columns | None], **options: Any) -> None:
        """Writes files by their paths below the folder, last modified so many minutes after noon; None deletes one.
        `options` are those of `pyarrow.parquet.write_table`."""
        for name, columns in files.items():
            path = self.folder / name
            if columns is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.table(dict(columns), schema=schema), path, compression="none", **options)
            os.utime(path, (NOON + 60 * minute,) * 2)

    def shown(self) -> dict[str, Any]:
        return {"rows": self._rows().num_rows, "files": self._files()}

    def described(self) -> dict[str, Any]:
        rows = self._rows()
        nulls = {name: rows.column(name).null_count for name in rows.column_names}
        return self.shown() | {"nulls": nulls, "columns": rows.column_names}

    def _files(self) -> list[str]:
        """Spark, Hive and Trino leave out names that begin with a dot or an underscore, and what is below such ones."""
        paths = sorted(self.folder.rglob("*.parquet"))
        return [str(path) for path in paths if not any(map(is_hidden, path.relative_to(self.folder).parts))]

    def _rows(self) -> pa.Table:
        """With the columns of paths, where XTable's configuration makes none of them."""
        return dataset.dataset(self._files(), format="parquet", partitioning=None if self.spec else "hive").to_table()


def is_hidden(name: str) -> bool:
    return name.startswith((".", "_")) and "=" not in name
