"""What the source itself says of its files, asked once a table's history is played, and kept beside its syncs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError

from provision.history import SYNCS, Played
from store.workspace import Workspace
from xtable import delta_stats, hudi_stats
from xtable.sync import Translator

STATS = "stats.json"
_HOW = (Path(__file__), *(Path(__file__).parents[1] / "xtable" / name for name in ("hudi_stats.py", "delta_stats.py")))
SOURCE_STATS = hashlib.sha256(b"".join(path.read_bytes() for path in _HOW)).hexdigest()
"""How it is asked is part of what is kept."""


def beside(syncs: Path) -> Path:
    """Where it is kept of a table whose syncs are told there."""
    return syncs.with_name(syncs.name.removesuffix(SYNCS) + STATS)


def keep(path: Path, table: Played, store: Workspace, translator: Translator) -> None:
    """Writes nothing where Hudi cannot open the table, or the JVM has no Hudi under its own name: so in some jars.

    Nor of a recorded source, over which a jar is run.
    """
    newest = table.stages[-1]
    if newest.tree is None:
        return
    if table.format == "DELTA":
        told = delta_stats.read(newest.tree)
    else:
        files = {name: _columns(pq.read_schema(newest.tree / name)) for name in newest.base_files}
        try:
            told = hudi_stats.ask(translator.jvm, store, store.uri(table.prefix), files)
        except (Py4JError, TypeError):  # TypeError: of a class that is not there, Py4J makes a package
            return
    path.write_text(json.dumps(told, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _columns(fields: pa.Schema | pa.StructType, prefix: str = "") -> list[str]:
    """The leaves that are reached through structs only, as `xtable_audit.model.columns` has them."""
    found = []
    for field in fields:
        if pa.types.is_struct(field.type):
            found += _columns(field.type, f"{prefix}{field.name}.")
        elif not pa.types.is_nested(field.type):
            found.append(f"{prefix}{field.name}")
    return found
