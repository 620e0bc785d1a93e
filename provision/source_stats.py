"""The source's own statistics of its files, read after a table's last sync and kept beside its syncs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError

from provision.history import SYNCS, Played
from stack.project import ROOT
from store.tables import Tables
from xtable import hudi_stats
from xtable.sync import Translator
from xtable_audit.formats.delta.source_statistics import delta_statistics
from xtable_audit.formats.folder import TableFolder

STATS = "stats.json"
_DELTA = ROOT / "xtable_audit" / "formats" / "delta"
_HOW = (
    Path(__file__),
    ROOT / "xtable" / "hudi_stats.py",
    *(_DELTA / f"{name}.py" for name in ("source_statistics", "statistics", "log", "actions", "schema")),
)
SOURCE_STATS = hashlib.sha256(b"".join(path.read_bytes() for path in _HOW)).hexdigest()
"""Part of a cached translation's key: the code that reads the statistics."""


def beside(syncs: Path) -> Path:
    """The file with a table's source statistics, by the file with its syncs."""
    return syncs.with_name(syncs.name.removesuffix(SYNCS) + STATS)


def keep(path: Path, table: Played, tables: Tables, translator: Translator) -> None:
    """Writes the statistics of the newest stage to `path`.

    Writes nothing if Hudi cannot open the table, if the JVM has no classes under Hudi's own package (some jars relocate
    them), or if the source is a recording.
    """
    newest = table.stages[-1]
    if newest.tree is None:
        return
    if table.format == "DELTA":
        statistics = delta_statistics(TableFolder.at(str(newest.tree)))
    else:
        files = {name: _columns(pq.read_schema(newest.tree / name)) for name in newest.base_files}
        try:
            statistics = hudi_stats.read(translator.jvm, tables, tables.uri(table.prefix), files)
        except (Py4JError, TypeError):  # TypeError: Py4J takes the name of a missing class for a package
            return
    path.write_text(json.dumps(statistics, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _columns(fields: pa.Schema | pa.StructType, prefix: str = "") -> list[str]:
    """The leaves outside lists and maps, as in `xtable_audit.model.columns`."""
    leaves = []
    for field in fields:
        if pa.types.is_struct(field.type):
            leaves += _columns(field.type, f"{prefix}{field.name}.")
        elif not pa.types.is_nested(field.type):
            leaves.append(f"{prefix}{field.name}")
    return leaves
