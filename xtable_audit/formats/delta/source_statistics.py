"""The statistics that Delta's log has of each file, as `blame.source_stats` reads them."""

from __future__ import annotations

from typing import Any

from xtable_audit.formats.delta.log import LogFiles
from xtable_audit.formats.delta.statistics import FileStatistics, Names, leaves_in
from xtable_audit.formats.folder import TableFolder


def delta_statistics(folder: TableFolder) -> dict[str, Any]:
    """Of each file that was ever added with statistics, as it was added last.

    Columns have the names of the schema then. What only a checkpoint still holds is not read. Raises Problem,
    Malformed, and ValueError for broken statistics.
    """
    log = LogFiles.of(folder)
    files: dict[str, Any] = {}
    names: dict[Names, str] = {}
    for action in (action for actions in log.read(sorted(log.commits)) for action in actions):
        if action.meta_data is not None:
            names = {column.stored: column.path for column in action.meta_data.columns}
        if action.add is not None and (statistics := action.add.statistics) is not None:
            files[action.add.name] = _of_file(statistics, names)
    return {"teller": "delta", "files": files, "failures": {}}


def _of_file(statistics: FileStatistics, names: dict[Names, str]) -> dict[str, Any]:
    rows = int(statistics.rows) if statistics.rows is not None else None
    parts = (statistics.lower, statistics.upper, statistics.nulls)
    low, high, nulls = ({column: str(value) for column, value in leaves_in(part)} for part in parts)
    columns = {
        names.get(column, ".".join(column)): {
            "min": low.get(column),
            "max": high.get(column),
            "nulls": int(nulls[column]) if column in nulls else None,
            "values": rows if column in nulls else None,
        }
        for column in {**low, **high, **nulls}
    }
    return {"rows": rows, "columns": columns}
