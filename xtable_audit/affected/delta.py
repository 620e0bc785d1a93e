"""Reads a Delta table as a Source: the log, and a few footers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from xtable_audit.affected.answers import some, yes_if
from xtable_audit.affected.footers import read_footers, shown
from xtable_audit.affected.log_stats import INDEXED, log_facts, statistics
from xtable_audit.affected.source import Answer, Column, Shown, Source
from xtable_audit.affected.spread import spread
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import Place, TableFact
from xtable_audit.sources.delta_log import Log, read_log
from xtable_audit.sources.schemas import Leaf, delta_leaves, dropped
from xtable_audit.sources.storage import Folder

MAPPED = ("name", "id")
MOST = "delta.columnMapping.maxColumnId"
ID = "delta.columnMapping.id"
NESTED_IDS = "delta.columnMapping.nested.ids"


def read_delta(folder: Folder, footers: int) -> Source:
    """The table at the folder, with the footers of so many live files. Raises Problem if it is not a Delta table."""
    log = read_log(folder)
    settings, fields = log.settings, log.partition_columns
    leaves = _leaves(folder, str(log.metadata.get("schemaString") or "{}"))
    chosen = spread(sorted(log.adds), footers)
    read = read_footers(folder.objects, filter(None, (_uri(folder, path) for path in chosen)))
    stats = [statistics(add) for add in log.adds.values()]
    indexed = _indexed(settings)
    columns = tuple(
        Column(
            leaf.path,
            leaf.type,
            frozenset({Place.PARTITION} if leaf.path in fields else {_place(leaf)}),
            shown(leaf, read, all_read=len(read) == len(log.adds))
            | dict.fromkeys(log_facts(leaf, place, stats, indexed), Answer.YES),
        )
        for place, leaf in enumerate(leaves)
    )
    return Source(
        format="delta",
        location=folder.root,
        version=f"{log.protocol.get('minReaderVersion', '?')}/{log.protocol.get('minWriterVersion', '?')}",
        columns=columns,
        settings=settings,
        instants={},
        facts=dict(_facts(folder, log, settings, leaves, stats)),
        files=len(log.adds),
        footers=len(read),
    )


def _leaves(folder: Folder, schema: str) -> tuple[Leaf, ...]:
    try:
        return tuple(delta_leaves(json.loads(schema)))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Problem(f"{folder.root} has a schema that is not Delta's: {error}") from error


def _uri(folder: Folder, path: str) -> str | None:
    """Where a file is that the log names, url-encoded as the protocol has it; None if not below the table.

    Nothing outside is opened: a log is data of strangers. A shallow clone's files count as not read.
    """
    name = unquote(path)
    uri = name if ":/" in name or name.startswith("/") else folder.uri(name)
    below = uri.startswith(f"{folder.root}/") and ".." not in uri.removeprefix(folder.root).split("/")
    return uri if below else None


def _is_elsewhere(folder: Folder, path: str) -> bool:
    """Whether it is an address, and not one that begins with the table's."""
    return (":/" in path or path.startswith("/")) and not path.startswith(folder.root)


def _place(leaf: Leaf) -> Place:
    return Place.STRUCT if len(leaf.names) > 1 else Place.TOP


def _indexed(settings: Mapping[str, str]) -> int:
    """How many leaves, from the first on, Delta keeps statistics of; -1 for all."""
    try:
        return int(settings.get("delta.dataSkippingNumIndexedCols", INDEXED))
    except ValueError:
        return INDEXED


def _facts(
    folder: Folder,
    log: Log,
    settings: Mapping[str, str],
    leaves: Sequence[Leaf],
    stats: Sequence[Mapping[str, Any] | None],
) -> Iterator[tuple[TableFact, Shown]]:
    mode = settings.get("delta.columnMapping.mode", "none")
    vectors = [path for path, add in log.adds.items() if add.get("deletionVector")]
    yield TableFact.ENCODED_PATH, some((path for path in log.adds if unquote(path) != path), "paths such as ")
    yield TableFact.ABSOLUTE_PATH, some((path for path in log.adds if _is_elsewhere(folder, path)), "such as ")
    yield TableFact.DELETION_VECTOR, some(vectors, "of ")
    yield TableFact.COLUMN_MAPPING, yes_if(mode in MAPPED, f"delta.columnMapping.mode={mode}")
    yield TableFact.RENAMED, _renamed(folder, log) if mode in MAPPED else Shown(Answer.NO)
    yield TableFact.NEWEST_DROPPED, _newest_dropped(log, settings) if mode in MAPPED else Shown(Answer.NO)
    gone = dropped(_leaves(folder, schema) for schema in log.schemas)
    yield TableFact.COLUMNS_DROPPED, yes_if(len(gone) > 1, f"dropped: {some(gone).by}")
    tops = {leaf.names[0] for leaf in leaves}
    there = any(tops & set(one.get("maxValues") or ()) for one in stats if one is not None)
    yield TableFact.STATS_IN_LOG, yes_if(there, "Delta's log has statistics")


def _newest_dropped(log: Log, settings: Mapping[str, str]) -> Shown:
    """Delta gives ids upwards, and remembers the highest: a schema has a column of that id unless it was dropped."""
    newest = settings.get(MOST, "")
    if not newest.isdigit():
        return Shown(Answer.OPEN, f"the table has no {MOST}")
    highest = [_highest_id(schema) for schema in log.schemas]
    if any(later < before for before, later in pairwise(highest)):
        return Shown(Answer.YES, "a schema in the log lacks the newest column of the one before")
    return yes_if(highest[-1] < int(newest), f"{MOST}={newest}, and {highest[-1]} is the highest id in the schema")


def _highest_id(schema: str) -> int:
    """Of column mapping in a Delta schema, list elements, map keys and map values included; 0 without one."""
    ids = [0]

    def collect(part: dict[str, Any]) -> dict[str, Any]:
        nested = part.get(NESTED_IDS)
        given = (part.get(ID), *(nested.values() if isinstance(nested, dict) else ()))
        ids.extend(id for id in given if isinstance(id, int))
        return part

    json.loads(schema, object_hook=collect)
    return max(ids)


def _renamed(folder: Folder, log: Log) -> Shown:
    """Columns whose physical name had another name before."""
    names: dict[tuple[str, ...], str] = {}
    found = []
    for schema in log.schemas:
        for leaf in _leaves(folder, schema):
            before = names.setdefault(leaf.stored, leaf.path)
            if before != leaf.path:
                found.append(f"{before} to {leaf.path}")
    if found or log.from_start:
        return some(found)
    return Shown(Answer.OPEN, "the log begins with a checkpoint")
