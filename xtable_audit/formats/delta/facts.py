"""A Delta table as it is now, with the facts that decide which findings it meets: the log, and a few footers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.delta.actions import AddAction
from xtable_audit.formats.delta.log import DeltaLog, read_log
from xtable_audit.formats.delta.schema import MODE, highest_id, leaves_of
from xtable_audit.formats.delta.statistics import FileStatistics, LoggedNumber, at
from xtable_audit.formats.delta.table import number_indexed
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.footers import read_footers, shown
from xtable_audit.formats.source import (
    FactAnswer,
    ShownFact,
    SourceColumn,
    SourceLeaf,
    SourceTable,
    dropped,
    some,
    spread,
    yes_if,
)
from xtable_audit.model.figures import many
from xtable_audit.model.scalars import DOUBLE_DIGITS
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact

MAPPED = ("name", "id")
MOST_COLUMNS = "delta.columnMapping.maxColumnId"
BLIND_APPEND, ENGINE = "isBlindAppend", "engineInfo"
"""Of a commit's information."""
CUT = "\ufffd"
MINUTE = 60_000
"""In milliseconds."""

Statistics = Sequence[FileStatistics | None]


def delta_table(folder: TableFolder, config: Configuration | None, footers: int) -> SourceTable:
    """Raises Problem if the folder holds no Delta log, Malformed for one that cannot be read.

    `config`, XTable's, decides nothing of a Delta table.
    """
    log = read_log(folder)
    settings, fields = log.metadata.settings, log.metadata.partition_by
    leaves = leaves_of(log.metadata.columns)
    chosen = spread(sorted(log.adds), footers)
    # Nothing outside is opened: a log is data of strangers. A shallow clone's files count as not read.
    addresses = (folder.address(log.adds[path].name) for path in chosen)
    read = read_footers(folder.objects, filter(folder.holds, addresses))
    statistics = [_statistics(add) for add in log.adds.values()]
    indexed = number_indexed(settings)
    columns = tuple(
        SourceColumn(
            leaf.path,
            leaf.type,
            frozenset({ColumnPlace.PARTITION} if leaf.path in fields else {leaf.place}),
            shown(leaf, read, all_read=len(read) == len(log.adds))
            | dict.fromkeys(_logged_facts(leaf, statistics, beyond=0 <= indexed <= place), FactAnswer.YES),
        )
        for place, leaf in enumerate(leaves)
    )
    protocol = log.protocol
    return SourceTable(
        format="delta",
        location=folder.root,
        version=f"{protocol.min_reader_version}/{protocol.min_writer_version}" if protocol is not None else "?/?",
        versioned="Delta protocol",
        columns=columns,
        settings=settings,
        instants={},
        facts=dict(_facts(folder, log, leaves, statistics)),
        files=len(log.adds),
        footers=len(read),
    )


def _statistics(add: AddAction) -> FileStatistics | None:
    """None if there are none, or broken ones."""
    try:
        return add.statistics
    except ValueError:
        return None


def _logged_facts(leaf: SourceLeaf, statistics: Statistics, *, beyond: bool) -> set[ColumnFact]:
    """`beyond` is whether Delta keeps no statistics of columns at that place."""
    return {fact for one in statistics for fact in _of_file(leaf, one, beyond=beyond)}


def _of_file(leaf: SourceLeaf, statistics: FileStatistics | None, *, beyond: bool) -> Iterator[ColumnFact]:
    if statistics is None:
        yield ColumnFact.LOG_NO_MAXIMUM
        return
    upper = at(statistics.upper, leaf.stored)
    known = [bound for bound in (at(statistics.lower, leaf.stored), upper) if bound is not None]
    if "NaN" in known:
        yield ColumnFact.LOG_NAN
    if leaf.type == "decimal" and any(_digits(one) > DOUBLE_DIGITS for one in known if isinstance(one, LoggedNumber)):
        yield ColumnFact.LOG_DIGITS
    if leaf.type == "string" and isinstance(upper, str) and upper.endswith(CUT):
        yield ColumnFact.LOG_CUT
    named = at(statistics.upper, leaf.names)
    if named is None and (beyond or at(statistics.nulls, leaf.stored) is not None):
        yield ColumnFact.LOG_NO_MAXIMUM


def _digits(number: LoggedNumber) -> int:
    return len(Decimal(number).as_tuple().digits)


def _facts(
    folder: TableFolder, log: DeltaLog, leaves: Sequence[SourceLeaf], statistics: Statistics
) -> Iterator[tuple[TableFact, ShownFact]]:
    mode = log.metadata.settings.get(MODE, "none")
    mapped = mode in MAPPED
    vectors = [path for path, add in log.adds.items() if add.deletion_vector is not None]
    yield TableFact.ENCODED_PATH, some((path for path, add in log.adds.items() if add.name != path), "paths such as ")
    yield TableFact.ABSOLUTE_PATH, some((path for path in log.adds if _is_elsewhere(folder, path)), "such as ")
    yield TableFact.CLOSE_COMMITS, _close_commits(log)
    yield TableFact.NO_BLIND_APPEND, _no_blind_append(log)
    yield TableFact.RETURNED, _returned(log)
    yield TableFact.DELETION_VECTOR, some(vectors, "of ")
    yield TableFact.COLUMN_MAPPING, yes_if(mapped, f"{MODE}={mode}")
    other = (leaf.path for leaf in leaves if leaf.stored != leaf.names)
    yield TableFact.OTHER_NAMES, some(other, "other names in the files: ") if mapped else ShownFact(FactAnswer.NO)
    yield TableFact.RENAMED, _renamed(log) if mapped else ShownFact(FactAnswer.NO)
    yield TableFact.NEWEST_DROPPED, _newest_dropped(log) if mapped else ShownFact(FactAnswer.NO)
    gone = dropped(leaves_of(metadata.columns) for metadata in log.history)
    yield TableFact.COLUMNS_DROPPED, yes_if(len(gone) > 1, f"dropped: {some(gone).by}")
    tops = {leaf.names[0] for leaf in leaves}
    there = any(tops & {*one.upper} for one in statistics if one is not None)
    yield TableFact.STATS_IN_LOG, yes_if(there, "Delta's log has statistics")


def _is_elsewhere(folder: TableFolder, path: str) -> bool:
    """Whether it is an address, and not one that begins with the table's."""
    return folder.address(path) == path and not path.startswith(folder.root)


def _close_commits(log: DeltaLog) -> ShownFact:
    """Clocks of several writers differ: a commit may begin before the one before it."""
    pairs = list(pairwise(log.times))
    close = sum(later - before < MINUTE for before, later in pairs if before is not None and later is not None)
    if close:
        return ShownFact(FactAnswer.YES, f"{many(close, 'commit')} within a minute of the one before")
    if any(None in pair for pair in pairs) or not log.from_start:
        return ShownFact(FactAnswer.OPEN, "the log does not say when all commits were")
    return ShownFact(FactAnswer.NO)


def _no_blind_append(log: DeltaLog) -> ShownFact:
    known = [log.commits.get(path) for path in log.adds] + [log.commit_info]
    silent = [commit for commit in known if commit and BLIND_APPEND not in commit]
    if silent:
        return ShownFact(FactAnswer.YES, f"{BLIND_APPEND} is in no commit by {silent[-1].get(ENGINE, 'its writer')}")
    return ShownFact(FactAnswer.NO if all(known) else FactAnswer.OPEN, "a commit is left in a checkpoint alone")


def _returned(log: DeltaLog) -> ShownFact:
    live = [path for path in log.adds if path in log.returned]
    if live or log.from_start:
        return some(live, "removed and added again: ")
    return ShownFact(FactAnswer.OPEN, "the log begins with a checkpoint")


def _newest_dropped(log: DeltaLog) -> ShownFact:
    """Delta gives ids upwards, and remembers the highest: a schema has a column of that id unless it was dropped."""
    newest = log.metadata.settings.get(MOST_COLUMNS, "")
    if not newest.isdigit():
        return ShownFact(FactAnswer.OPEN, f"the table has no {MOST_COLUMNS}")
    highest = [highest_id(metadata.schema_string) for metadata in log.history]
    if any(later < before for before, later in pairwise(highest)):
        return ShownFact(FactAnswer.YES, "a schema in the log lacks the newest column of the one before")
    return yes_if(
        highest[-1] < int(newest), f"{MOST_COLUMNS}={newest}, and {highest[-1]} is the highest id in the schema"
    )


def _renamed(log: DeltaLog) -> ShownFact:
    """Columns whose physical name had another name before."""
    names: dict[tuple[str, ...], str] = {}
    found = []
    for metadata in log.history:
        for leaf in leaves_of(metadata.columns):
            before = names.setdefault(leaf.stored, leaf.path)
            if before != leaf.path:
                found.append(f"{before} to {leaf.path}")
    if found or log.from_start:
        return some(found)
    return ShownFact(FactAnswer.OPEN, "the log begins with a checkpoint")
