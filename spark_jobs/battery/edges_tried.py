"""Edges of numbers and of values in a file, and which tables of the battery try them, by the tables' definitions.

`python -m spark_jobs.battery . --edges` prints them for docs/edges.md, with what no table tries, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import pyarrow.types as is_

from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.tried import (
    Tried,
    begins_with_base_and_log,
    drops_and_adds,
    has_both_signs,
    has_commits,
    has_equal_beginnings,
    has_files,
    has_first_null,
    has_length,
    has_nothing_between,
    has_partitions,
    has_rows,
    is_synced_within_a_second,
)

Format = Literal["HUDI", "DELTA"]
FORMATS: tuple[Format, ...] = ("HUDI", "DELTA")
FIRST = ("edge_", "types_")
"""How the tables begin that are named first: they are made for edges."""
NAMED = 3
"""Tables that a cell names; of the others it says how many they are."""
TYPES = {
    "int": is_.is_int32,
    "long": is_.is_int64,
    "float": is_.is_float32,
    "double": is_.is_float64,
    "decimal": is_.is_decimal,
    "date": is_.is_date32,
    "timestamp": is_.is_timestamp,
}


@dataclass(frozen=True)
class Edge:
    """A place where faults sit. `tried` is whether a table is there; `not_tried` says of a format why none is."""

    words: str
    tried: Tried
    not_tried: Mapping[Format, str] = field(default_factory=dict)

    def by(self, format_: Format, tables: Iterable[BatteryTable] = BATTERY.values()) -> list[str]:
        """The tables that try it, those made for edges first."""
        names = [table.name for table in tables if table.format == format_ and self.tried(table)]
        return sorted(names, key=lambda name: [not name.startswith(family) for family in FIRST])


LARGE = "not tried: `--scale 1` has large files, with ordinary values"
FOOTERS = "not tried: XTable reads each file's footer, for minutes"
NO_BYTES = "not tried: Delta's log has no bounds of binary columns"
NO_LOGS = "not possible"

EDGES = (
    *(Edge(f"a file of {count} rows", has_rows(count)) for count in (10, 20, 100)),
    Edge("a file of more than a row group's usual million rows", has_rows(2**20), {"HUDI": LARGE, "DELTA": LARGE}),
    Edge("more than eight partitions", has_partitions(8)),
    Edge("more than a hundred partitions", has_partitions(100), {"HUDI": FOOTERS}),
    Edge("more than a dozen files in a partition", has_files(12)),
    Edge("more than a thousand files in a partition", has_files(1000), {"HUDI": FOOTERS}),
    Edge("more than eight commits between two syncs", has_commits(8)),
    Edge("commits in one second", lambda table: table.in_one_second),
    Edge("a commit in the second of the last one that was synced", is_synced_within_a_second),
    Edge("a commit without a file between others, seen by a sync of its own", has_nothing_between(seen_alone=True)),
    Edge("a commit without a file between others, seen with the next", has_nothing_between(seen_alone=False)),
    Edge("a first sync over base files and logs", begins_with_base_and_log, {"DELTA": NO_LOGS}),
    Edge("a column dropped, another one added, and no type changed", drops_and_adds),
    *(Edge(f"both signs in one file: {name}", has_both_signs(of_type)) for name, of_type in TYPES.items()),
    *(
        Edge(f"a binary value of {length} bytes", has_length(is_.is_binary, length), {"DELTA": NO_BYTES})
        for length in (0, 16, 17, 300)
    ),
    Edge("binary values with sixteen equal bytes in front", has_equal_beginnings(is_.is_binary), {"DELTA": NO_BYTES}),
    Edge("strings with sixteen equal bytes in front", has_equal_beginnings(is_.is_string)),
    *(
        Edge(f"a column's first null in a later file: {name}", has_first_null(of_type))
        for name, of_type in (TYPES | {"string": is_.is_string}).items()
    ),
)


def page() -> str:
    """The edges as a table in Markdown."""
    rows = (f"| {edge.words} | {cell(edge, 'HUDI')} | {cell(edge, 'DELTA')} |\n" for edge in EDGES)
    return "| edge | Hudi | Delta |\n|---|---|---|\n" + "".join(rows)


def cell(edge: Edge, format_: Format) -> str:
    """The tables that try it, or why none does."""
    names = edge.by(format_)
    if not names:
        return edge.not_tried.get(format_, "not tried")
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(f"`{name}`" for name in names[:NAMED]) + more
