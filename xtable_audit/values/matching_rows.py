"""Live rows of a data file that match a predicate by actual values. Readers' answers are compared with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.limits import Limits
from xtable_audit.model.malformed import Malformed, check_reachable, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.scan_input import DataFile, WantedColumn
from xtable_audit.values.deleted_rows import live_rows, with_vector
from xtable_audit.values.opened import HeldFile, at_hand, batches, open_held
from xtable_audit.values.parquet import FileColumns, FileSchema
from xtable_audit.values.row_groups import rows_at_once

OPERATORS = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


@dataclass(frozen=True)
class FileCounted:
    """Number of matching live rows per predicate, in a file or some of its row groups; None if it is malformed."""

    path: str
    matches: tuple[int, ...] | None
    malformed: str | None = None


def count_file(
    objects: Objects,
    data_file: DataFile,
    columns: Sequence[WantedColumn],
    predicates: Sequence[Predicate],
    groups: tuple[int, ...] | None = None,
) -> FileCounted:
    """Counts one file, or consecutive row groups of it. `columns` are those of the predicates.

    Uses SQL's three-valued logic: null matches only IS NULL. A column that the file lacks has its constant in every
    row, or is null. Raises Malformed for a deletion vector that is not read.
    """
    path, data_file = data_file.path, with_vector(objects, data_file)
    try:
        with objects.open(path) as source, at_hand(source) as content:
            file = open_held(content, objects.limits.footer)
            return FileCounted(path, _matches(file, data_file, columns, predicates, groups, objects.limits))
    except FileNotFoundError:
        reason = "is named by the metadata but does not exist"
    except (pa.ArrowException, OSError) as error:
        check_reachable(path, error)
        reason = f"cannot be read as Parquet: {first_line(error)}"
    return FileCounted(path, None, reason)


def _matches(
    file: HeldFile,
    data_file: DataFile,
    columns: Sequence[WantedColumn],
    predicates: Sequence[Predicate],
    groups: tuple[int, ...] | None,
    limits: Limits,
) -> tuple[int, ...]:
    totals = [0] * len(predicates)
    deletes = data_file.deletes
    keys = [column for one in deletes.equality for column in one.columns]
    own = FileSchema.of(file.schema_arrow, data_file.mapping)
    found = FileColumns.of(own, (*columns, *keys), data_file.constants)
    first = sum(file.footer.rows[: groups[0]]) if groups else 0

    at_once = rows_at_once(file.footer, found.roots, groups, limits.row_group)
    for batch in batches(file, at_once, columns=sorted(found.roots), row_groups=groups):
        live = live_rows(len(batch), first, deletes, partial(found.values, batch))
        first += len(batch)
        seen = {column.path: found.values(batch, column) for column in columns}
        for place, predicate in enumerate(predicates):
            matching = holds(predicate, seen)
            if live is not None:
                matching = matching.filter(live)
            totals[place] += pc.sum(matching).as_py() or 0
    return tuple(totals)


def counted_rows(files: Sequence[FileCounted]) -> pa.Table:
    """An Arrow table that can cross a process: path, malformed, and matches (a list with one number per predicate)."""
    return pa.table(
        {
            "path": pa.array([file.path for file in files], pa.string()),
            "malformed": pa.array([file.malformed for file in files], pa.string()),
            "matches": pa.array([file.matches for file in files], pa.list_(pa.int64())),
        }
    )


def merge_counted(parts: Iterable[pa.Table]) -> pa.Table:
    """Sums the parts of each file, in order of first appearance. A file is malformed if a part is."""
    table = pa.concat_tables(parts)
    found: dict[str, FileCounted] = {}
    for row in table.to_pylist():
        part = FileCounted(row["path"], row["matches"] and tuple(row["matches"]), row["malformed"])
        before = found.get(part.path, part)
        if before is not part and before.malformed is None and part.malformed is None:
            pairs = zip(before.matches or (), part.matches or (), strict=True)
            part = FileCounted(part.path, tuple(map(sum, pairs)))
        found[part.path] = before if before.malformed is not None else part
    return counted_rows(list(found.values()))


def by_predicate(counted: pa.Table, predicates: int) -> list[dict[str, int]]:
    """For each of so many predicates the number of matching rows per file. Raises Malformed for the first malformed
    file.
    """
    for path, reason in zip(counted["path"].to_pylist(), counted["malformed"].to_pylist(), strict=True):
        if reason is not None:
            raise Malformed(path, reason)
    of_files = list(zip(counted["path"].to_pylist(), counted["matches"].to_pylist(), strict=True))
    return [{path: matches[place] for path, matches in of_files} for place in range(predicates)]


def holds(predicate: Predicate, values: dict[str, pa.Array]) -> pa.Array:
    """One boolean per row; null if the predicate is unknown there."""
    match predicate:
        case And(left, right):
            return pc.and_kleene(holds(left, values), holds(right, values))
        case Or(left, right):
            return pc.or_kleene(holds(left, values), holds(right, values))
        case Compare(column, operator, value):
            return OPERATORS[operator](values[column], pa.scalar(value, values[column].type))
        case In(column, listed, negated):
            known = values[column]
            found = listed_among(known, listed)
            return pc.and_(pc.is_valid(known), pc.invert(found)) if negated else found
        case IsNull(column, negated):
            return pc.is_valid(values[column]) if negated else pc.is_null(values[column])
        case StartsWith(column, prefix):
            return pc.starts_with(values[column], prefix)
    raise TypeError(f"{type(predicate).__name__} is not a predicate the judge knows")


def listed_among(values: pa.Array | pa.ChunkedArray, listed: Sequence[Any]) -> pa.Array | pa.ChunkedArray:
    """Whether each value is in `listed`; False for null. -0.0 equals 0.0, as in SQL."""
    wanted = pa.array(listed, values.type)
    if pa.types.is_floating(values.type):
        nought = pa.scalar(0.0, values.type)  # -0.0 + 0.0 = 0.0
        values, wanted = pc.add(values, nought), pc.add(wanted, nought)
    return pc.is_in(values, wanted)
