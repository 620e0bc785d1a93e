"""Where in a table an error is: the type of its column, its partition field, the stage, and the table's size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from tools.power.errors import At
from tools.power.spoil import FaultPlace
from xtable_audit.subject.case import Case

FILES = {1: "one file", 8: "2 to 8 files", 100: "9 to 100 files"}
COLUMNS = {8: "up to 8 columns", 32: "9 to 32 columns", 100: "33 to 100 columns", 1000: "101 to 1,000 columns"}
SYNCS = {3: "up to 3 syncs", 8: "4 to 8 syncs"}
NAMES = {"large_string": "string", "large_binary": "binary", "date32[day]": "date", "bool": "boolean"}
"""Arrow's names of types to plain ones."""


@dataclass(frozen=True, order=True)
class PlaceFacts:
    """What is true of a place, such as "type": "decimal"."""

    dimension: str
    words: str


LAST = PlaceFacts("stage", "the state after the last sync")
ONE_FILE = PlaceFacts("files", "one file")
STRUCT = PlaceFacts("depth", "a field of a struct")


def where(case: Case, place: FaultPlace, at: At, stage: str, syncs: int) -> Iterator[PlaceFacts]:
    """Each kind of place that this one is of."""
    yield PlaceFacts("stage", f"the state after {stage}")
    yield PlaceFacts("files", _class_of(case.stored.files.num_rows, FILES, "more than 100 files"))
    yield PlaceFacts("columns", _class_of(len(case.stored.leaves), COLUMNS, "more than 1,000 columns"))
    yield PlaceFacts("syncs", _class_of(syncs, SYNCS, "more than 8 syncs"))
    if at is At.COLUMN:
        leaf = next(leaf for leaf in case.stored.leaves if leaf.path == place.name)
        yield PlaceFacts("type", type_in_words(leaf.arrow))
        yield STRUCT if "." in place.name else PlaceFacts("depth", "a column of the table")
    if at is At.FIELD:
        for field, leaf in case.stored.partitioning.fields(case.stored.leaves):
            if field.name == place.name:
                yield PlaceFacts("partition", f"{field.transform}({type_in_words(leaf.arrow)})")


def type_in_words(type: pa.DataType) -> str:
    if pa.types.is_decimal(type):
        return "decimal"
    if pa.types.is_timestamp(type):
        return "timestamp with zone" if type.tz else "timestamp"
    if pa.types.is_time(type):
        return "time"
    if pa.types.is_fixed_size_binary(type):
        return "fixed"
    return NAMES.get(str(type), str(type))


def _class_of(number: int, classes: dict[int, str], more: str) -> str:
    return next((words for most, words in classes.items() if number <= most), more)
