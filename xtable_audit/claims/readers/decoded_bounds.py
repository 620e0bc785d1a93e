"""Bounds as an engine decodes them, against the stored metrics. Independent of any engine."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.claims.deviation import Deviation, last
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show
from xtable_audit.table.stored_metrics import StoredMetrics

Decoded = Mapping[str, Mapping[str, tuple[Any, Any]]]
"""File -> column -> (min, max), typed as the column; None if the engine has no bound."""


@dataclass(frozen=True)
class Decoding:
    """Bounds of one table's files, as the judge and as an engine decode them."""

    theirs: Decoded
    stored: StoredMetrics


COMPARABLE = Need["Decoding"](
    "a column of which the engine lists bounds",
    lambda decoding: len(compared_columns(decoding.theirs, decoding.stored)),
    of_run=True,
)


@claim(
    "the engine decodes each file's bounds to the values that the manifests hold",
    needs=COMPARABLE,
    spec="Iceberg spec, Appendix D",
    breaks=Verdict.UNSOUND,
)
def bounds_are_decoded_as_they_are_written(decoding: Decoding) -> Iterator[Deviation]:
    yield from compare(decoding.theirs, decoding.stored)


def compare(theirs: Decoded, stored: StoredMetrics) -> Iterator[Deviation]:
    """Where an engine's files or bounds differ from the stored metrics: one deviation per column, and for the files one
    for missing and one for extra ones.

    Leaves out columns for which the engine has no bounds (nested ones). Listed delete files are not a deviation.
    """
    listed = {_bare(path): bounds for path, bounds in theirs.items()}
    ours = [_bare(path) for path in stored.paths]
    absent = tuple(place for place, path in enumerate(ours) if path not in listed)
    extra = set(listed) - set(ours)
    if absent:
        yield Deviation(
            absent, f"{many(len(listed), 'file')}, without {last(ours[absent[0]])}", many(len(ours), "file")
        )
    if len(extra) > stored.delete_files:
        yield Deviation((), f"{last(min(extra))}, which the metadata does not list", many(len(ours), "file"))
    for column, bounds in stored.columns.items():
        pairs = list(zip(bounds["lower"].to_pylist(), bounds["upper"].to_pylist(), strict=True))
        kind = bounds["lower"].type
        wrong = tuple(
            place
            for place, path in enumerate(ours)
            if column in listed.get(path, ()) and not _same_pair(listed[path][column], pairs[place], kind)
        )
        if wrong:
            first = wrong[0]
            saw = f"{_range(listed[ours[first]][column])} for {last(ours[first])}"
            yield Deviation(wrong, saw, f"{_range(pairs[first])}, as the manifest says", column)


def compared_columns(theirs: Decoded, stored: StoredMetrics) -> frozenset[str]:
    """The columns for which both have bounds. If there are none, `compare` compares no bounds."""
    return frozenset(column for bounds in theirs.values() for column in bounds) & frozenset(stored.columns)


def _same_pair(theirs: tuple[Any, Any], ours: tuple[Any, Any], kind: pa.DataType) -> bool:
    return all(_same(one, other, kind) for one, other in zip(theirs, ours, strict=True))


def _same(theirs: Any, ours: Any, kind: pa.DataType) -> bool:
    if theirs is None or ours is None:
        return theirs is ours
    if pa.types.is_floating(kind):
        try:
            number = float(theirs)  # a driver may return a float as text
        except (TypeError, ValueError):
            return False
        if pa.types.is_float32(kind):
            number = float(np.float32(number))
        return number == ours or (math.isnan(number) and math.isnan(ours))
    if isinstance(theirs, dt.datetime) and isinstance(ours, dt.time):
        return theirs.time() == ours  # some engines have no time type and return a timestamp
    if type(theirs) is bool or type(ours) is bool:
        return theirs is ours
    return bool(theirs == ours)


def _range(pair: tuple[Any, Any]) -> str:
    return f"[{show(pair[0])} … {show(pair[1])}]"


def _bare(path: str) -> str:
    """The path without its scheme, which differs between engines."""
    return path.partition("://")[2] or path
