"""What leads to a finding, in words: by the facts of its `affects`, or by its own `condition` where it has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact
from xtable_audit.register.affects import KERNEL, USE_KERNEL, Affects
from xtable_audit.register.entry import Entry

COLUMNS = {None: "columns", ColumnPlace.TOP: "top-level columns", ColumnPlace.STRUCT: "fields of structs",
           ColumnPlace.PARTITION: "partition columns"}  # fmt: skip
_INDEX = "hoodie.metadata.index.column.stats.enable=true"
_LIST = "hoodie.metadata.index.column.stats.column.list"
_GROUPS = "hoodie.parquet.block.size"
_SPEC = "partitionSpec of XTable's configuration"
_MERGE_ON_READ = "hoodie.datasource.write.table.type=MERGE_ON_READ"
_EVOLUTION = "hoodie.datasource.write.schema.allow.auto.evolution.column.drop=true"
_MAPPING = "delta.columnMapping.mode"
COMES_BY: Mapping[TableFact | ColumnFact, tuple[str, ...]] = {
    TableFact.FROM_INDEX: (_INDEX,),
    TableFact.INDEX_UNPARTITIONED: (_INDEX,),
    TableFact.INDEX_LEAVES_OUT: (_INDEX, _LIST),
    TableFact.INDEX_OF_LEAVES: (_LIST,),
    TableFact.INDEX_ADDED: (_INDEX,),
    TableFact.NAME_IN_VALUE: ("hoodie.datasource.write.hive_style_partitioning=false",),
    TableFact.NESTED_PARTITION: ("hoodie.datasource.write.hive_style_partitioning=true",),
    TableFact.SPEC_OF_TIME: ("hoodie.keygen.timebased.timezone", "hoodie.keygen.timebased.output.dateformat", _SPEC),
    TableFact.SPEC_OF_TYPE: (_SPEC,),
    TableFact.ADDED_AGAIN: (_EVOLUTION,),
    TableFact.CLEAN_BY_VERSIONS: ("hoodie.cleaner.policy=KEEP_LATEST_FILE_VERSIONS",),
    TableFact.OVERWRITE_INTO_NEW: ("hoodie.datasource.write.operation=insert_overwrite_table",),
    TableFact.LOGS: (_MERGE_ON_READ,),
    TableFact.LOGS_BEFORE: (_MERGE_ON_READ,),
    TableFact.RENAMED: (_MAPPING,),
    TableFact.NEWEST_DROPPED: (_MAPPING,),
    TableFact.NO_STATS_IN_MANIFESTS: ("metadata.stats-mode=none",),
    ColumnFact.ORDER_UTF16: (_GROUPS,),
    ColumnFact.ORDER_SIGNED: (_GROUPS,),
    ColumnFact.INT96: ("hoodie.parquet.outputtimestamptype=INT96", "spark.sql.parquet.outputTimestampType=INT96"),
    ColumnFact.MILLISECONDS: ("hoodie.parquet.outputtimestamptype=TIMESTAMP_MILLIS",),
}
"""The settings by which a fact comes about, where it takes one."""


def condition_of(entry: Entry) -> str:
    """Each way to the finding, divided by semicolons, and the settings by which they come about."""
    if not entry.affects:
        return entry.condition
    ways: dict[str, list[str]] = {}
    for block in entry.affects:
        ways.setdefault(_from_to(block), []).append(", ".join(_asked(block)))
    said = [f"{pair}: {'; '.join(dict.fromkeys(asked))}" for pair, asked in ways.items()]
    settings = dict.fromkeys(setting for block in entry.affects for setting in _settings(block))
    return "; ".join([*said, *([f"settings: {', '.join(settings)}"] if settings else [])])


def _from_to(block: Affects) -> str:
    """`Hudi`, `Hudi to Delta`, `Hudi to Delta Kernel`, `Delta, read by Spark`."""
    if block.reader:
        return f"{block.format.capitalize()}, read by {block.reader}"
    return " to ".join(filter(None, [block.format.capitalize(), block.writer or block.target.capitalize()]))


def _asked(block: Affects) -> Iterator[str]:
    if block.types or block.place or block.column:
        shows = f" with {block.column}" if block.column else ""
        yield " ".join(filter(None, [_any_of(block.types), COLUMNS[block.place]])) + shows
    yield from (fact for fact in block.facts if fact is not TableFact.FROM_EITHER)
    yield from (f"{name}={value}" for name, value in block.settings)
    if block.instants:
        yield f"{_any_of(block.instants)} on the timeline"
    if block.since is not None:
        yield f"Iceberg metadata that XTable {block.since} began"
    if block.mended:
        yield f"Iceberg metadata that an earlier release began with {_any_of(block.mended)}"
    if block.unseen:
        yield f"if {block.unseen}"


def _settings(block: Affects) -> Iterator[str]:
    for fact in (block.column, *block.facts):
        yield from COMES_BY.get(fact, ()) if fact else ()
    if block.writer == KERNEL:
        yield USE_KERNEL


def _any_of(words: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
