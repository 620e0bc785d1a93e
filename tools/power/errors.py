"""What a translator may get wrong in one place of a table, and the claims that must then fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial

from tools.power import spoil
from tools.power.spoil import FaultPlace
from xtable_audit.subject.case import Case


class At(Enum):
    """What an error is made at."""

    COLUMN = "a column of a file"
    FIELD = "a partition field of a file"
    FILE = "a file"

    def has(self, dimension: str) -> bool:
        """Whether places of this sort differ in that dimension."""
        of = {"type": At.COLUMN, "depth": At.COLUMN, "partition": At.FIELD}
        return of.get(dimension, self) is self


@dataclass(frozen=True)
class Error:
    """`claims` are the ids of those that can catch it in the last state of a table."""

    words: str
    at: At
    claims: tuple[str, ...]
    make: Callable[[Case, FaultPlace], Case | None]
    compares_files: bool = False
    """Whether it takes something from another file of the table."""

    @property
    def of_bounds(self) -> bool:
        return self.claims in (CONTAINED, TIGHT, PRESENT)

    @property
    def of_rows(self) -> bool:
        """Whether it is in the rows that are shown, which are compared by columns of the table."""
        return self.claims == ROWS

    def __str__(self) -> str:
        return self.words


CONTAINED, TIGHT, PRESENT = ("bounds_contain_values",), ("bounds_are_tight",), ("bounds_are_present",)
VALUES, NULLS, NANS = ("value_counts_are_exact",), ("null_counts_are_exact",), ("nan_counts_are_exact",)
ROWS = ("values_are_those_of_the_source", "no_row_is_missing", "no_row_is_stale")
TUPLES = ("tuples_equal_every_row",)

ERRORS = (
    Error("a lower bound above a value", At.COLUMN, CONTAINED, partial(spoil.bound, side="lower", beyond="max")),
    Error("an upper bound below a value", At.COLUMN, CONTAINED, partial(spoil.bound, side="upper", beyond="min")),
    Error("a bound as wide as the table", At.COLUMN, TIGHT, spoil.wide_bound, compares_files=True),
    Error("a bound that is missing", At.COLUMN, PRESENT, spoil.no_bound),
    Error("a null count of 0 for nulls", At.COLUMN, NULLS, spoil.no_null),
    Error("a null count too high", At.COLUMN, NULLS, partial(spoil.count_too_high, metric="null_count")),
    Error("a value count too high", At.COLUMN, VALUES, partial(spoil.count_too_high, metric="value_count")),
    Error("a NaN count too high", At.COLUMN, NANS, partial(spoil.count_too_high, metric="nan_count")),
    Error("a value of another row", At.COLUMN, ROWS, spoil.other_value),
    Error("a column that is lost", At.COLUMN, ROWS, spoil.lost_column),
    Error("a column that was dropped", At.COLUMN, ("no_column_is_left_over",), spoil.column_left_over),
    Error("the tuple of another file", At.FIELD, TUPLES, spoil.tuple_of_another_file, compares_files=True),
    Error("null for a tuple", At.FIELD, TUPLES, spoil.no_tuple),
    Error("a spec without the field", At.FIELD, ("spec_is_the_configured_one",), spoil.spec_without_field),
    Error(
        "a record count too high",
        At.FILE,
        ("record_counts_are_exact",),
        partial(spoil.one_more_of_file, what="record_count"),
    ),
    Error("a file size too high", At.FILE, ("sizes_are_exact",), partial(spoil.one_more_of_file, what="size")),
    Error("a file that is lost", At.FILE, ("no_file_is_missing",), spoil.lost_file),
    Error("a file that stays", At.FILE, ("no_file_is_stale",), spoil.stale_file),
    Error("a file listed twice", At.FILE, ("no_file_is_listed_twice",), spoil.listed_twice, compares_files=True),
)
