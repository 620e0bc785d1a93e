"""Checkpoints of Delta's log: classic, in parts, and of version 2 with sidecars (Delta protocol, Checkpoints).

A checkpoint comes from strangers: its pages are held to its footer, and nothing outside the log is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from xtable_audit.formats.delta.actions import Action, actions_in_lines, actions_in_rows
from xtable_audit.formats.folder import TableFolder
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.malformed import Malformed, TooLarge, check_reachable, first_line
from xtable_audit.values.open_parquet import batches, open_held
from xtable_audit.values.row_groups import TooMuch, rows_at_once

SIDECARS = f"{LOG}/_sidecars"
NAME = re.compile(
    r"(?P<version>\d{20})\.checkpoint"
    r"(?P<form>\.(?P<part>\d{10})\.(?P<parts>\d{10})\.parquet|\.[0-9a-fA-F-]{36}\.(?:json|parquet)|\.parquet)"
)
CLASSIC, BY_UUID, IN_PARTS = range(3)
"""Forms of a checkpoint, the safest first: parts of two writers may mix."""
READ = {
    "add": ("path", "partitionValues", "size", "stats", "deletionVector"),
    "metaData": ("schemaString", "partitionColumns", "configuration"),
    "protocol": ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures"),
    "txn": ("appId", "version"),
    "sidecar": ("path",),
}
"""What is read of each action. Tombstones are for writers alone."""
PARSED = "stats_parsed"


@dataclass(frozen=True, order=True)
class Checkpoint:
    """A complete checkpoint of one version."""

    form: int
    names: tuple[str, ...]
    """Of its files, in the log's folder."""


def checkpoints_in(names: list[str]) -> dict[int, Checkpoint]:
    """By version, the safest of the complete ones."""
    held: dict[tuple[int, int, str], list[str]] = {}
    for name in names:
        if found := NAME.fullmatch(name):
            parts = int(found["parts"] or 0)
            form = IN_PARTS if parts else CLASSIC if found["form"] == ".parquet" else BY_UUID
            held.setdefault((int(found["version"]), form, found["parts"] or found["form"]), []).append(name)
    complete: dict[int, Checkpoint] = {}
    for (version, form, of), files in held.items():
        if form != IN_PARTS or len(files) == int(of):
            one = Checkpoint(form, tuple(sorted(files)))
            complete[version] = min(complete.get(version, one), one)
    return complete


def read_checkpoint(folder: TableFolder, checkpoint: Checkpoint) -> Iterator[Action]:
    """Its actions, those of its sidecars among them. Raises Malformed, TooLarge."""
    for name in checkpoint.names:
        for action in _actions(folder, f"{LOG}/{name}"):
            if action.sidecar is None:
                yield action
            else:
                yield from _actions(folder, _sidecar(folder, name, action.sidecar.path))


def _sidecar(folder: TableFolder, checkpoint: str, path: str) -> str:
    """Its name below the table."""
    named = unquote(path)
    address = folder.address(named)
    name = folder.name(address) if address == named else f"{SIDECARS}/{named}"
    if not name.startswith(f"{SIDECARS}/") or "/" in name.removeprefix(f"{SIDECARS}/"):
        raise Malformed(folder.uri(f"{LOG}/{checkpoint}"), f"names the sidecar {named}, which is not in {SIDECARS}")
    return name


def _actions(folder: TableFolder, name: str) -> list[Action]:
    uri = folder.uri(name)
    if name.endswith(".json"):
        return actions_in_lines(uri, folder.read(name))
    try:
        size = folder.size(name)
        if size is None:
            raise Malformed(uri, "is named by the log but does not exist")
        rows = folder.objects.within(lambda: _rows(folder, uri), size)
    except TooMuch as error:
        raise TooLarge(uri, f"is not read: {first_line(error)}") from error
    except (OSError, pa.ArrowException, ValueError, OverflowError) as error:
        check_reachable(uri, error)
        raise Malformed(uri, f"is not a checkpoint that can be read: {first_line(error)}") from error
    return list(actions_in_rows(uri, rows))


def _rows(folder: TableFolder, uri: str) -> list[Mapping[str, Any]]:
    """Its actions as far as they are read, with typed statistics only if a file has no others."""
    rows = _columns(folder, uri, READ["add"])
    if any(row.get("add") and not row["add"].get("stats") for row in rows):
        return _columns(folder, uri, (*READ["add"], PARSED))
    return rows


def _columns(folder: TableFolder, uri: str, of_add: tuple[str, ...]) -> list[Mapping[str, Any]]:
    """Rows of actions with these columns of `add`; maps become dicts."""
    with folder.objects.open(uri) as stream:
        file = open_held(stream, folder.objects.limits.footer)
        there = {field.name: field.type for field in file.schema_arrow if pa.types.is_struct(field.type)}
        inside = (READ | {"add": of_add}).items()
        columns = [
            f"{action}.{name}"
            for action, names in inside
            if action in there
            for name in names
            if there[action].get_field_index(name) >= 0
        ]
        if not columns:
            raise ValueError("it has no action")
        at_once = rows_at_once(file.footer, [*there], None, folder.objects.limits.row_group)
        rows = [
            row for batch in batches(file, at_once, columns=columns) for row in batch.to_pylist(maps_as_pydicts="lossy")
        ]
    return [row for row in rows if any(row.values())]
