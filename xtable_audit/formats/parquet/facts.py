"""A folder of Parquet files as it is now, with the facts that decide which findings it meets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xtable_audit.formats.configuration import Configuration
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.footers import Footer, Stored, read_footers, shown
from xtable_audit.formats.parquet.state import listed, partition_columns
from xtable_audit.formats.source import (
    FactAnswer,
    Lacking,
    ShownFact,
    SourceColumn,
    SourceLeaf,
    SourceTable,
    open_without_configuration,
    some,
    spread,
    yes_if,
)
from xtable_audit.model.source_fact import ColumnPlace, TableFact

ENDING = "parquet"
"""Of the names that XTable takes for data files."""
PHYSICAL = {
    "BOOLEAN": "boolean", "INT32": "int", "INT64": "long", "INT96": "timestamp", "FLOAT": "float", "DOUBLE": "double",
    "BYTE_ARRAY": "bytes", "FIXED_LEN_BYTE_ARRAY": "fixed",
}  # fmt: skip
LOGICAL = {"String": "string", "Date": "date", "Decimal": "decimal", "Time": "time"}
INTS = {8: "byte", 16: "short", 32: "int", 64: "long"}


def folder_table(folder: TableFolder, config: Configuration | None, footers: int) -> SourceTable:
    """Raises Problem for a folder that holds no Parquet file, or of whose chosen footers none can be read."""
    found, others = listed(folder)
    live = sorted(found)
    read = read_footers(folder.objects, map(folder.uri, spread(live, footers)))
    all_read = len(read) == len(live)
    types = {path: leaf_type(column) for footer in read for path, column in footer.columns.items()}
    leaves = [_leaf(path, type) for path, type in types.items()]
    columns = [
        SourceColumn(leaf.path, leaf.type, frozenset({leaf.place}), shown(leaf, read, all_read=all_read))
        for leaf in leaves
    ]
    alone = [name for name in partition_columns(live) if name not in types]
    columns += [SourceColumn(name, "string", frozenset({ColumnPlace.PARTITION})) for name in alone]
    return SourceTable(
        format="parquet",
        location=folder.root,
        version="",
        versioned="Parquet files without a log",
        columns=tuple(columns),
        settings={},
        instants={},
        facts={
            TableFact.NO_LOG: ShownFact(FactAnswer.YES, "a folder without a log"),
            TableFact.HIDDEN: some(path for path in others if path.endswith(ENDING)),
            TableFact.REPEATED: _repeated(read, all_read=all_read),
            TableFact.NULLABLE: _nullable(read, all_read=all_read),
            **dict(_of_spec(alone, config)),
        },
        files=len(live),
        footers=len(read),
    )


def leaf_type(column: Stored) -> str:
    """One of LEAF_TYPES."""
    logical = column.logical.partition("(")[0]
    if logical == "Int":
        bits = next(bits for bits in INTS if f"bitWidth={bits}," in column.logical)
        return INTS[bits] if bits < 32 or "isSigned=true" in column.logical else f"uint{bits}"
    if logical == "Timestamp":
        return "timestamp" if "isAdjustedToUTC=true" in column.logical else "timestamp_ntz"
    return LOGICAL.get(logical) or (PHYSICAL[column.physical] if logical == "None" else "other")


def _leaf(path: str, type: str) -> SourceLeaf:
    names = tuple(path.split("."))
    return SourceLeaf(names, names, type)


def _repeated(read: Sequence[Footer], *, all_read: bool) -> ShownFact:
    found = sorted({path for footer in read for path in footer.repeated})
    if found or all_read:
        return some(found)
    return ShownFact(FactAnswer.OPEN, TableFact.REPEATED, Lacking.FOOTERS)


def _nullable(read: Sequence[Footer], *, all_read: bool) -> ShownFact:
    found = [one.nullable[0] for one in read if one.nullable]
    if found and len(found) == len(read):
        return some(sorted(set(found)), "not REQUIRED: ")
    if found or not all_read:
        return ShownFact(FactAnswer.OPEN, TableFact.NULLABLE, None if all_read else Lacking.FOOTERS)
    return ShownFact(FactAnswer.NO)


def _of_spec(alone: Sequence[str], config: Configuration | None) -> Iterator[tuple[TableFact, ShownFact]]:
    """How partitionSpec fits the folder. `alone` are columns of paths that no file has."""
    if config is None:
        open_facts = {TableFact.PATH_ALONE: bool(alone), TableFact.SPEC_AS_VALUE: True, TableFact.SPEC_BY_TIME: True}
        yield from open_without_configuration(open_facts)
        return
    yield TableFact.PATH_ALONE, yes_if(bool(alone) and not config.spec, f"no file has {', '.join(alone)}")
    by_value = (field.name for field in config.spec if field.transform == "VALUE")
    yield TableFact.SPEC_AS_VALUE, some(by_value, "partitionSpec has ")
    by_time = (f"{field.name}:{field.transform}" for field in config.spec if field.transform != "VALUE")
    yield TableFact.SPEC_BY_TIME, some(by_time, "partitionSpec has ")
