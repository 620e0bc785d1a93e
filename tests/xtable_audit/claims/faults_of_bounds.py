"""Faults of lower and upper bounds: every type in the typed table, and the columns of real ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

from tests.tables.draft import XTABLE, Draft, Fault
from tests.tables.typed import BOUNDED, PARTITION
from tests.xtable_audit.claims import mutate
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Compare, Predicate

NOT_CONTAINED = {"bounds_contain_values": Verdict.UNSOUND}
NOT_TIGHT = {"bounds_are_tight": Verdict.LOOSE}
SKIPS_LESS = {"points_skip_what_exact_bounds_would": Verdict.LOOSE}
NAN = {"no_bound_is_nan": Verdict.LOOSE}
ZEROS = {"zeros_are_in_total_order": Verdict.UNSOUND}
OF_NOTHING = {"bounds_are_of_values": Verdict.COSMETIC}
ABSENT = {"bounds_are_present": Verdict.LOOSE} | SKIPS_LESS

REAL = {
    XTABLE: ("tpep_pickup_datetime", "tpep_dropoff_datetime", "_hoodie_file_name"),
    "good_layout-control": ("tpep_pickup_datetime", "_hoodie_file_name"),
    "native_iceberg": ("tpep_pickup_datetime", "tpep_dropoff_datetime"),
}
"""Columns whose values differ from file to file, so that every fault costs a skip."""


def _point(column: str, place: int, extreme: str) -> Callable[[Draft], Predicate]:
    return lambda draft: Compare(column, "=", mutate.actual(draft, place, column, extreme))


def _every_kind(table: str, column: str, place: int) -> Iterator[Fault]:
    def fault(id: str, mutation: mutate.OfColumn, breaks: dict[str, Verdict], extreme: str = "") -> Fault:
        spoil = partial(mutation, place=place, column=column)
        loses = _point(column, place, extreme) if extreme else None
        return Fault(id.format(column), table, spoil, breaks, (place,), column, loses)

    yield fault("lower bound of {} one unit above its smallest value", mutate.raise_lower, NOT_CONTAINED, "min")
    yield fault("upper bound of {} one unit below its largest value", mutate.lower_upper, NOT_CONTAINED, "max")
    yield fault("lower bound of {} one unit lower", mutate.lower_lower, NOT_TIGHT)
    yield fault("upper bound of {} one unit higher", mutate.raise_upper, NOT_TIGHT)
    yield fault("bounds of {} as wide as the table", mutate.widen, NOT_TIGHT | SKIPS_LESS)
    yield fault("bounds of {} dropped", mutate.drop_bounds, ABSENT)


def _flags() -> Iterator[Fault]:
    """Booleans have no units: a file of both values, and one of True alone."""
    flag, mixed, all_true = "boolean", 1, 0
    yield Fault(
        "lower bound of boolean raised to True",
        "typed",
        lambda draft: draft.put(mixed, "lower_bounds", flag, True),
        NOT_CONTAINED,
        (mixed,),
        flag,
        lambda draft: Compare(flag, "=", False),
    )
    yield Fault(
        "upper bound of boolean lowered to False",
        "typed",
        lambda draft: draft.put(mixed, "upper_bounds", flag, False),
        NOT_CONTAINED,
        (mixed,),
        flag,
        lambda draft: Compare(flag, "=", True),
    )
    yield Fault(
        "lower bound of boolean lowered to False",
        "typed",
        lambda draft: draft.put(all_true, "lower_bounds", flag, False),
        NOT_TIGHT | SKIPS_LESS,
        (all_true,),
        flag,
    )


def _bound(draft: Draft, side: str, column: str, value: object, place: int = 1) -> None:
    draft.put(place, f"{side}_bounds", column, value)


def _undecodable() -> Iterator[Fault]:
    """Bounds of bytes that are no value of the column's type. Everything else of the table is judged as ever."""
    for words, column, content in (
        ("int of 3 bytes", "int", b"\1\2\3"),
        ("int of 8 bytes", "int", bytes(8)),
        ("int of no bytes", "int", b""),
        ("long of 3 bytes", "long", b"\1\2\3"),
        ("double of 5 bytes", "double", b"\1\2\3\4\5"),
        ("boolean of no bytes", "boolean", b""),
        ("date of 8 bytes", "date", bytes(8)),
        ("timestamp of 4 bytes", "timestamp", bytes(4)),
        ("decimal of no bytes", "decimal8", b""),
        ("decimal of 17 bytes", "decimal8", bytes(17)),
        ("string of no UTF-8", "string", b"\xff\xfe"),
    ):
        yield Fault(
            f"a bound of {words}",
            "typed",
            partial(mutate.set_bytes, place=1, column=column, content=content),
            {"bounds_are_of_the_columns_type": Verdict.UNREADABLE},
            (1,),
            column,
        )


FAULTS = (
    *(
        Fault(
            f"{side} bound of {column} NaN",
            "typed",
            partial(_bound, side=side, column=column, value=math.nan),
            NAN,
            (1,),
            column,
        )
        for column in ("float", "double")
        for side in ("lower", "upper")
    ),
    *(
        Fault(
            f"{side} bound of zeros {zero}",
            "typed",
            partial(_bound, side=side, column="zeros", value=zero, place=place),
            ZEROS,
            (place,),
            "zeros",
        )
        for side, zero, place in (("lower", 0.0, 0), ("upper", -0.0, 1))
    ),
    Fault(
        "a bound where no value is",
        "typed",
        partial(_bound, side="lower", column="nothing", value=""),
        OF_NOTHING,
        (1,),
        "nothing",
    ),
    *(fault for column in (*BOUNDED, PARTITION) for fault in _every_kind("typed", column, 1)),
    *(fault for table, columns in REAL.items() for column in columns for fault in _every_kind(table, column, 2)),
    *_flags(),
    *_undecodable(),
    Fault(
        "lower bound of int dropped", "typed", partial(mutate.drop_lower, place=1, column="int"), ABSENT, (1,), "int"
    ),
    Fault(
        "upper bound of int dropped", "typed", partial(mutate.drop_upper, place=1, column="int"), ABSENT, (1,), "int"
    ),
)
