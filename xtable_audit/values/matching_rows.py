"""Which rows of a data file match a predicate, by its values: the ground every reader's answer is held against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.columns import Leaf
from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith, columns_of
from xtable_audit.values.parquet import BATCH_ROWS, column_values, locate, open_parquet

OPERATORS = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


def count_matches(
    objects: Objects,
    paths: Iterable[str],
    leaves: tuple[Leaf, ...],
    predicates: Sequence[Predicate],
    constants: Mapping[str, Mapping[str, pa.Scalar]] | None = None,
) -> list[dict[str, int]]:
    """For each predicate the matching rows of each file, every file read once.

    SQL's three-valued logic: a null never matches but for IS NULL. `constants`: file -> column -> the value of its
    identity partition, for columns that the file itself lacks (see `StoredMetrics.constants`); others are null there.
    """
    named = {column for predicate in predicates for column in columns_of(predicate)}
    wanted = tuple(leaf for leaf in leaves if leaf.path in named)
    known = constants or {}
    counted = {path: _matches(objects, path, wanted, predicates, known.get(path, {})) for path in paths}
    return [{path: counts[place] for path, counts in counted.items()} for place in range(len(predicates))]


def _matches(
    objects: Objects,
    path: str,
    leaves: tuple[Leaf, ...],
    predicates: Sequence[Predicate],
    constants: Mapping[str, pa.Scalar],
) -> list[int]:
    totals = [0] * len(predicates)
    try:
        with objects.open(path) as source:
            file = open_parquet(source)
            places = {leaf: locate(file.schema_arrow, leaf) for leaf in leaves}
            roots = sorted({place[0] for place in places.values() if place})
            for batch in file.iter_batches(BATCH_ROWS, columns=roots):
                values = {
                    leaf.path: column_values(batch, place, leaf.arrow)
                    if place
                    else pa.repeat(constants.get(leaf.path, pa.scalar(None, leaf.arrow)), len(batch))
                    for leaf, place in places.items()
                }
                for place, predicate in enumerate(predicates):
                    totals[place] += pc.sum(holds(predicate, values)).as_py() or 0
    except FileNotFoundError:
        raise Malformed(path, "is named by the metadata but does not exist") from None
    except (pa.ArrowException, OSError) as error:
        raise Malformed(path, f"cannot be read as Parquet: {first_line(error)}") from error
    return totals


def holds(predicate: Predicate, values: dict[str, pa.Array]) -> pa.Array:
    """A boolean a row; null where the predicate is unknown."""
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
    """Whether each value is one of those listed, -0.0 being 0.0 as in SQL; False for null."""
    wanted = pa.array(listed, values.type)
    if pa.types.is_floating(values.type):
        nought = pa.scalar(0.0, values.type)  # -0.0 + 0.0 = 0.0
        values, wanted = pc.add(values, nought), pc.add(wanted, nought)
    return pc.is_in(values, wanted)
