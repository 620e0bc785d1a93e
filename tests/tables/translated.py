"""Recorded Hudi and Delta tables on this disk, with Iceberg metadata over their files as XTable would leave it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform

from tests.tables.recorded import names, newest
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.table.synced import PROPERTY

Files = Callable[[list[str]], Collection[str]]
"""From the live files of the source to those that are translated, both below the table."""


@dataclass(frozen=True)
class Translated:
    """A source in a folder of its own, and its translation, synced to `commit`."""

    root: Path
    format: str
    table: Table
    commit: str

    @property
    def named(self) -> str:
        return f"{self.format}:{self.root}"

    @property
    def files(self) -> list[Path]:
        return sorted(Path(task.file.file_path.removeprefix("file://")) for task in self.table.scan().plan_files())

    def says(self, **facts: object) -> None:
        """The table says something else of its last sync."""
        with self.table.transaction() as change:
            change.set_properties({PROPERTY: json.dumps(told(self.format, self.commit) | facts)})

    def config(self, spec: str = "") -> Path:
        """XTable's configuration, with that partition spec."""
        file = self.root.parent / "xtable.yaml"
        spec = f", partitionSpec: {spec!r}" if spec else ""
        dataset = f"{{tableBasePath: '{self.root}', tableName: t{spec}}}"
        lines = [f"sourceFormat: {self.format.upper()}", "targetFormats: [ICEBERG]", f"datasets: [{dataset}]"]
        file.write_text("\n".join(lines), encoding="utf-8")
        return file


def told(format: str, commit: str) -> dict[str, object]:
    time = datetime(2026, 11, 22, tzinfo=UTC).isoformat()
    return {"lastInstantSynced": time, "version": 0, "sourceTableFormat": format.upper(), "sourceIdentifier": commit}


def translate(
    name: str,
    folder: Path,
    translated: Files = list,
    partition_by: Collection[str] | None = None,
    commit: str | None = None,
) -> Translated:
    """By default partitioned as the source, and of its newest commit."""
    root, format = folder / name, recorded()[name].format.lower()
    shutil.copytree(recorded_sources() / name, root)
    state = newest(name)
    files = [root / one for one in translated(sorted(names(state, name)))]
    catalog = SqlCatalog(name, uri=f"sqlite:///{folder}/{name}.db", warehouse=f"file://{folder}")
    catalog.create_namespace("t")
    made = {PROPERTY: json.dumps(told(format, commit or state.newest))}
    table = catalog.create_table(f"t.{name}", pq.read_schema(files[0]), f"file://{root}", properties=made)
    with table.update_spec() as spec:
        for column in state.partition_by if partition_by is None else partition_by:
            spec.add_field(column, IdentityTransform(), column)
    table.add_files([f"file://{file}" for file in files])
    catalog.close()
    return Translated(root, format, table, commit or state.newest)
