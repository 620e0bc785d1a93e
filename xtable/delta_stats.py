"""What a Delta log says of its files: the `stats` that the writer left with each (Delta protocol, Per-file Statistics).

Read from the log's JSON commits. What only a checkpoint still holds is not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Answers = dict[str, Any]
PHYSICAL = "delta.columnMapping.physicalName"


def read(table: Path) -> Answers:
    """Of each file that was ever added with statistics, as it was added last."""
    files: Answers = {}
    names: dict[str, str] = {}
    for log in sorted((table / "_delta_log").glob("*.json")):
        for line in log.read_text(encoding="utf-8").splitlines():
            action = json.loads(line)
            if "metaData" in action:
                names = dict(_names(json.loads(action["metaData"]["schemaString"])["fields"], "", ""))
            if stats := action.get("add", {}).get("stats"):
                parsed = json.loads(stats, parse_float=str, parse_int=str)
                files[unquote(action["add"]["path"])] = _of_file(parsed, names)
    return {"teller": "delta", "files": files, "failures": {}}


def _of_file(stats: Mapping[str, Any], names: Mapping[str, str]) -> Answers:
    rows = int(stats["numRecords"])
    low, high, nulls = (_leaves(stats.get(what, {})) for what in ("minValues", "maxValues", "nullCount"))
    columns = {
        names.get(path, path): {
            "min": low.get(path),
            "max": high.get(path),
            "nulls": int(nulls[path]) if path in nulls else None,
            "values": rows if path in nulls else None,
        }
        for path in {**low, **high, **nulls}
    }
    return {"rows": rows, "columns": columns}


def _leaves(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in values.items():
        found |= _leaves(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": str(value)}
    return found


def _names(fields: list[Any], stored: str, named: str) -> Iterator[tuple[str, str]]:
    """Each column's path in the statistics, and in the schema: under column mapping they are not one."""
    for field in fields:
        there, here = f"{stored}{field['metadata'].get(PHYSICAL, field['name'])}", f"{named}{field['name']}"
        yield there, here
        if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
            yield from _names(field["type"]["fields"], f"{there}.", f"{here}.")
