"""What the bounds in Paimon's manifests show of a column of one file, by the type that the file was written with."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.formats.footers import GREGORIAN, MILLISECOND, SECOND, is_rounded_up
from xtable_audit.formats.paimon.leaf_types import MICROS, MILLIS, digits, leaf_type, precision
from xtable_audit.formats.paimon.manifests import ColumnStatistics
from xtable_audit.formats.paimon.snapshots import SchemaField
from xtable_audit.model.source_fact import ColumnFact

WIDTHS = {"byte": 1, "short": 2}
"""Bytes of the types of whose minima XTable reads more."""


def of_bounds(field: SchemaField, statistics: ColumnStatistics, place: int) -> Iterator[ColumnFact]:
    """`place` is that of the column in the statistics, which have both bounds of it. Raises ValueError for a row that
    is too short.
    """
    kind = leaf_type(field)
    if kind in WIDTHS and statistics.minima.integer(place, WIDTHS[kind]) < 0:
        yield ColumnFact.MANIFEST_BELOW_ZERO
    if kind.startswith("timestamp"):
        yield from _of_timestamps(precision(field), statistics, place)
    if kind == "decimal":
        of_all, after_point = digits(field)
        bounds = (row.unscaled(place, of_all) for row in (statistics.minima, statistics.maxima))
        if any(is_rounded_up(bound, of_all, after_point) for bound in bounds):
            yield ColumnFact.DOUBLE_DIGITS


def _of_timestamps(precision: int, statistics: ColumnStatistics, place: int) -> Iterator[ColumnFact]:
    lower, upper = (row.micros(place, precision) for row in (statistics.minima, statistics.maxima))
    if precision <= MICROS and upper % SECOND >= MILLISECOND:
        yield ColumnFact.MILLISECOND_PART
    if precision <= MICROS and min(lower, upper) < GREGORIAN:
        yield ColumnFact.BEFORE_1582
    if precision > MILLIS and any(bound < 0 and bound % SECOND for bound in (lower, upper)):
        yield ColumnFact.BEFORE_1970
