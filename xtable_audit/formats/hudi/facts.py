"""A Hudi table as it is now, with the facts that decide which findings it meets: settings, timeline, a few footers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.footers import Footer, read_footers, shown
from xtable_audit.formats.hudi.instants import instant_in
from xtable_audit.formats.hudi.partitions import Paths, spec_facts
from xtable_audit.formats.hudi.schema import (
    OWN,
    PARQUET,
    AvroColumn,
    base_format,
    collections_of,
    columns_in,
    leaves_of,
    partition_fields,
    read_settings,
)
from xtable_audit.formats.hudi.timeline import LOG, WRITES, HudiCommit, HudiFiles, HudiTimeline, live_files
from xtable_audit.formats.source import (
    FactAnswer,
    Lacking,
    ShownFact,
    SourceColumn,
    SourceLeaf,
    SourceTable,
    dropped,
    open_if,
    some,
    spread,
    yes_if,
)
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnPlace, TableFact

INDEX_LISTS = ".hoodie/.index_defs/index.json"
METADATA_TIMELINE = ".hoodie/metadata/.hoodie"
FIRST_UNREAD = 8
"""The first table version that no released XTable reads: the Hudi 0.14 in it stops at version 6."""
FIRST = re.compile(r"(?P<base>0{14}|\d{17})01\d")
"""The first instants of the metadata table's partitions."""
UNLISTED = "which columns Hudi's index lists is not seen"
FROM_INDEX = "statistics from Hudi's column stats index"


def hudi_table(folder: TableFolder, config: Configuration | None, footers: int) -> SourceTable:
    """The table at the folder, with the footers of so many live files. Raises Problem if it is not a Hudi table."""
    settings = read_settings(folder)
    if base_format(settings) != PARQUET:
        raise Problem(
            f"{folder.root} has base files of {base_format(settings)}; only those of Parquet are known to lead to "
            "findings"
        )
    timeline = HudiTimeline.read(folder)
    live = live_files(folder.names("", below=True), timeline)
    read = read_footers(folder.objects, (folder.uri(name) for name in spread(live.base, footers)))
    newest = _newest(timeline, settings, read)
    leaves = tuple(leaf for leaf in leaves_of(newest) if leaf.path not in OWN)
    fields = partition_fields(settings)
    files = frozenset(path for footer in read for path in footer.columns)
    listed = _listed(folder) if _has_index(settings) else frozenset()
    columns = tuple(
        SourceColumn(
            leaf.path,
            leaf.type,
            _places(leaf, fields, in_files=not read or leaf.path in files),
            shown(leaf, read, all_read=len(read) == len(live.base)),
            FactAnswer.OPEN if listed is None else FactAnswer.YES if leaf.path in listed else FactAnswer.NO,
        )
        for leaf in leaves
    )
    types = {leaf.path: leaf.type for leaf in leaves}
    paths = Paths(fields, types, tuple(sorted({name.rpartition("/")[0] for name in live.base})), settings)
    facts = dict(
        [
            *_index_facts(folder, listed, leaves, partitioned=bool(fields), there=_has_index(settings)),
            *paths.facts(read, folder.root),
            *spec_facts(paths, config),
            *_timeline_facts(timeline, live),
            (TableFact.EMPTY_FILE, _empty(folder, live, read)),
            (TableFact.MAP, some(collections_of(newest, "map"), "map: ")),
            (TableFact.LIST, some(collections_of(newest, "array"), "list: ")),
        ]
    )
    version = settings.get("hoodie.table.version", "0")
    return SourceTable(
        format="hudi",
        location=folder.root,
        version=version,
        versioned="Hudi table version",
        columns=columns,
        settings=settings,
        instants=timeline.kinds,
        facts=facts,
        files=len(live.base),
        footers=len(read),
        refused=_refused(version),
    )


def _refused(version: str) -> str:
    if version.isdigit() and int(version) >= FIRST_UNREAD:
        return f"XTable up to 0.4.0 fails every sync of table version {version}: its Hudi, 0.14, reads up to version 6."
    return ""


def _newest(timeline: HudiTimeline, settings: Mapping[str, str], read: Sequence[Footer]) -> tuple[AvroColumn, ...]:
    """The newest schema: of the commits, of the table's settings, or of a footer, whichever is there."""
    kept = [commit.schema for commit in reversed(timeline.commits) if commit.schema]
    kept += [settings.get("hoodie.table.create.schema", ""), *(footer.avro for footer in read)]
    for text in filter(None, kept):
        return columns_in(text, timeline.folder.root)
    return ()


def _parsed(folder: TableFolder, schema: str) -> tuple[SourceLeaf, ...]:
    return leaves_of(columns_in(schema, folder.root))


def _places(leaf: SourceLeaf, fields: Sequence[str], *, in_files: bool) -> frozenset[ColumnPlace]:
    places = {ColumnPlace.PARTITION} if leaf.path in fields else set()
    if in_files:
        places.add(leaf.place)
    return frozenset(places)


def _has_index(settings: Mapping[str, str]) -> bool:
    return "column_stats" in settings.get("hoodie.table.metadata.partitions", "").split(",")


def _index_facts(
    folder: TableFolder, listed: frozenset[str] | None, leaves: Sequence[SourceLeaf], *, partitioned: bool, there: bool
) -> Iterator[tuple[TableFact, ShownFact]]:
    by = FROM_INDEX if listed is not None else f"{FROM_INDEX}, whose list is not seen"
    yield TableFact.FROM_INDEX, yes_if(there and partitioned, by)
    yield TableFact.FROM_FOOTERS, yes_if(not there or not partitioned)
    yield TableFact.FROM_EITHER, ShownFact(FactAnswer.YES, by if there and partitioned else "")
    yield TableFact.INDEX_UNPARTITIONED, yes_if(there and not partitioned, "column stats index, unpartitioned")
    if not (there and partitioned):
        return
    if listed is None:
        yield TableFact.INDEX_LEAVES_OUT, ShownFact(FactAnswer.OPEN, UNLISTED)
        inside = any(len(leaf.names) > 1 for leaf in leaves)
        yield TableFact.INDEX_OF_LEAVES, open_if(inside, UNLISTED)
    else:
        out = [path for path in (*OWN, *(leaf.path for leaf in leaves)) if path not in listed]
        yield TableFact.INDEX_LEAVES_OUT, some(out, "not in Hudi's index: ")
        yield TableFact.INDEX_OF_LEAVES, yes_if(bool(listed) and all("." in path for path in listed), "no top column")
    yield TableFact.INDEX_ADDED, _added(folder)


def _listed(folder: TableFolder) -> frozenset[str] | None:
    """The columns that the index's own list names; None if there is no list, as before Hudi 1."""
    if folder.size(INDEX_LISTS) is None:
        return None
    try:
        content: Any = json.loads(folder.read(INDEX_LISTS))
        return frozenset(content["indexDefinitions"]["column_stats"]["sourceFields"])
    except (ValueError, KeyError, TypeError):
        return None


def _added(folder: TableFolder) -> ShownFact:
    """Whether the metadata table's partitions were made at different times: their first instants end in 010, 011, ….

    Those made with the table follow fourteen zeros, others the instant of a commit, with its milliseconds. Open where
    the metadata table's timeline has archived them.
    """
    instants = filter(None, map(instant_in, folder.names(METADATA_TIMELINE)))
    logged = (one.time for one in instants if one.is_completed and one.action == "deltacommit")
    firsts = {found["base"] for time in logged if (found := FIRST.fullmatch(time))}
    if not firsts:
        return ShownFact(FactAnswer.OPEN, "when the index was added is not seen")
    return yes_if(len(firsts) > 1, "the metadata table is older than its index")


def _timeline_facts(timeline: HudiTimeline, live: HudiFiles) -> Iterator[tuple[TableFact, ShownFact]]:
    writes = [one for one in timeline.completed if one.action in WRITES]
    yield TableFact.SEVERAL_COMMITS, yes_if(len(writes) > 1, f"{len(writes):,} writes on the timeline")
    yield TableFact.ADDED_AGAIN, some(_back(timeline), "column ")
    yield TableFact.SCHEMA_CHANGED, some(_changed(timeline), "changed: ")
    schemas = (_parsed(timeline.folder, commit.schema) for commit in timeline.commits if commit.schema)
    gone = dropped([leaf for leaf in schema if leaf.path not in OWN] for schema in schemas)
    yield TableFact.COLUMNS_DROPPED, yes_if(len(gone) > 1, f"dropped: {some(gone).by}")
    yield TableFact.CLEAN_BY_VERSIONS, some(_cleans(timeline), "clean ")
    yield TableFact.OVERWRITE_INTO_NEW, some(_overwrites(timeline.commits), "into ")
    yield TableFact.LOGS, some(live.logs)
    yield TableFact.LOGS_BEFORE, some(_logging(timeline.commits), "deltacommit ")


def _back(timeline: HudiTimeline) -> Iterator[str]:
    """Columns that were dropped and came back."""
    ever: set[str] = set()
    before: set[str] = set()
    for schema, _ in groupby(commit.schema for commit in timeline.commits if commit.schema):
        now = [leaf.path for leaf in _parsed(timeline.folder, schema)]
        yield from (path for path in now if path in ever and path not in before)
        before = set(now)
        ever |= before


def _changed(timeline: HudiTimeline) -> Iterator[str]:
    """Columns that came, went, or have another type."""
    texts = (text for text, _ in groupby(commit.schema for commit in timeline.commits if commit.schema))
    schemas = (
        {one.path: one.definition for one in columns_in(text, timeline.folder.root) if one.path not in OWN}
        for text in texts
    )
    for before, after in pairwise(schemas):
        yield from (path for path in before | after if before.get(path, ...) != after.get(path, ...))


def _cleans(timeline: HudiTimeline) -> Iterator[str]:
    for instant in timeline.completed:
        if instant.action == "clean" and not timeline.content(instant).get("earliestCommitToRetain"):
            yield instant.time


def _overwrites(commits: Sequence[HudiCommit]) -> Iterator[str]:
    for commit in commits:
        if commit.operation.upper() == "INSERT_OVERWRITE_TABLE":
            yield from (part for part, paths in commit.written.items() if paths and not commit.replaced.get(part))


def _logging(commits: Sequence[HudiCommit]) -> Iterator[str]:
    for commit in commits:
        paths = (path.rpartition("/")[2] for listed in commit.written.values() for path in listed)
        if any(LOG.fullmatch(name) for name in paths):
            yield commit.instant.time


def _empty(folder: TableFolder, live: HudiFiles, read: Sequence[Footer]) -> ShownFact:
    empty = [footer.uri.removeprefix(f"{folder.root}/") for footer in read if footer.rows == 0]
    if empty or len(read) == len(live.base):
        return some(empty)
    return ShownFact(FactAnswer.OPEN, TableFact.EMPTY_FILE, Lacking.FOOTERS)
