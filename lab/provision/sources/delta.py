"""Source tables in Delta's format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lab.provision.newest_metadata import newest_delta
from lab.provision.sources.source_format import NewestStage, SourceSetup
from lab.stack.versions import delta
from spark_jobs.addresses import ELSEWHERE
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from xtable_audit.formats.delta import actions, log, schema, source_statistics, statistics
from xtable_audit.formats.folder import TableFolder

KINDS = {
    "delta.enableDeletionVectors": ("true", "Delta with deletion vectors"),
    "delta.columnMapping.mode": ("name", "Delta with column mapping"),
}
"""Table property -> the value that turns the feature on, and the kind of table that has it."""


def _live_files(tree: Path) -> list[str]:
    from deltalake import DeltaTable  # imported late: collection opens no table

    adds = DeltaTable(tree).get_add_actions(flatten=True)
    return [_below(unquote(str(path))) for path in adds["path"].to_pylist()]  # a URI, by the Delta protocol


def _below(path: str) -> str:
    """The place below the table of a file, which Delta's log names by it or by an address."""
    return path[path.index(f"/{ELSEWHERE}/") + 1 :] if ":/" in path else path


def _kind(table: Recipe | BatteryTable) -> str:
    options: Mapping[str, str] = table.options if isinstance(table, BatteryTable) else {}
    return next((kind for name, (on, kind) in KINDS.items() if options.get(name) == on), "Delta")


def _statistics(stage: NewestStage) -> Mapping[str, Any]:
    return source_statistics.delta_statistics(TableFolder.at(str(stage.tree)))


DELTA = SourceSetup(
    "Delta",
    _live_files,
    _kind,
    _statistics,
    statistics_code=tuple(Path(str(one.__file__)) for one in (source_statistics, statistics, log, actions, schema)),
    whose_statistics="the Delta log's",
    jars=lambda: delta().jars,
    newest=newest_delta,
)
