"""Delta tables with a log that says something else of the same files."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lab.store import objects
from lab.store.workspace import Workspace
from tests.readers.delta.conftest import LoggedTable

Edit = Callable[[dict[str, Any]], None]


def falsified(store: Workspace, table: LoggedTable, name: str, **edits: Edit) -> LoggedTable:
    """A copy of the table beside it, with every action of these kinds edited. An `add` has its statistics parsed."""
    root, old = f"{table.root}_{name}", store.key(table.root)
    for key in objects.list_objects(store, old + "/"):
        body = objects.read(store, key)
        if "/_delta_log/" in key and key.endswith(".json"):
            body = b"\n".join(_edited(line, edits) for line in body.splitlines())
        objects.write(store, key.replace(old, store.key(root), 1), body)
    return LoggedTable(root, table.newest, tuple(key.replace(old, store.key(root), 1) for key in table.data))


def _edited(line: bytes, edits: dict[str, Edit]) -> bytes:
    action = json.loads(line)
    for kind, edit in edits.items():
        if kind in action:
            entry = action[kind]
            parsed = {"stats": json.loads(entry["stats"])} if kind == "add" else {}
            entry |= parsed
            edit(entry)
            entry |= {name: json.dumps(entry[name]) for name in parsed if name in entry}
    return json.dumps(action).encode()
