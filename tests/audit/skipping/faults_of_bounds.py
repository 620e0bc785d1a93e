"""Faults of bounds in Hudi's indexes: of every type, of files and of partitions, at an early and at the last stage."""

from __future__ import annotations

from collections.abc import Iterator

from tests.audit.skipping.fault import FIRST, LAST, HudiFault, put
from tests.audit.skipping.healthy import CA1, CA2, NY1, NY2
from xtable_audit.model.finding import Verdict

IN_FILE, IN_PARTITION = "column_stats", "partition_stats"
CONTAIN = {
    IN_FILE: {"column_statistics_contain_every_value": Verdict.UNSOUND},
    IN_PARTITION: {"partition_statistics_contain_every_value": Verdict.UNSOUND},
}
TIGHT = {
    IN_FILE: {"column_statistics_are_tight": Verdict.LOOSE},
    IN_PARTITION: {"partition_statistics_are_tight": Verdict.LOOSE},
}
CALLED = {"bounds_called_tight_are_tight": Verdict.COSMETIC}
UNREADABLE = {"every_bound_can_be_read": Verdict.UNREADABLE}
NAN = {"nan_lies_within_the_bounds": Verdict.UNSOUND}

# Of NY1 and the partition NY, whose first row is that of key 1: below its least value, between its least and greatest,
# above its greatest.
STEPS: dict[str, tuple[str, str, str]] = {
    "zip_code": ('"10000"', '"10100"', '"99999"'),
    "text": ('"一"', '"中9"', '"😀😀"'),
    "number": ("0", "2", "1000"),
    "long": ("0", "2000000000000", "1000000000000000"),
    "float": ("1.25", "2.0", "1000.5"),
    "double": ("-1000.0", "-0.75", "0.0"),
    "day": ("-1000", "-5", '"2030-01-01"'),
    "at": ('"2022-12-31T23:59:59.999999Z"', '"2023-01-01T02:00:00.000000+00:00"', "1704067200000000"),
    "wall": ('"1969-12-30T00:00:00.000000Z"', '"1969-12-31T02:00:00.000000Z"', '"2001-01-01T00:00:00.000000Z"'),
    "money": ("1.24", '"2.00"', "99.990000000000000"),
    "wide": ("-99999999999999999999.5", "-20000000000000000.0", "0"),
    "bytes": ('"AAA="', '"9wA="', '"//8="'),
    "gap": ("0", "2", "1000"),
    "inside.leaf": ("1", "4", "1000"),
    "state": ('"NX"', '"NY0"', '"NZ"'),
}
OF_PARTITIONS = ("zip_code", "double", "wide", "state")
"""What is proven of every type for files is proven of a few for partitions."""
PLACES = {IN_FILE: (NY1, frozenset({NY1})), IN_PARTITION: ("state=NY", frozenset({NY1, NY2}))}


def _every_kind(kind: str, column: str) -> Iterator[HudiFault]:
    of, files = PLACES[kind]
    below, inside, above = STEPS[column]
    who = f"{kind} of {column}"
    yield HudiFault(f"{who}: lower bound raised", put(kind, of, column, lower=above), CONTAIN[kind], files, column)
    yield HudiFault(f"{who}: upper bound lowered", put(kind, of, column, upper=below), CONTAIN[kind], files, column)
    if column != "state":  # of one value alone
        yield HudiFault(
            f"{who}: upper bound between the values", put(kind, of, column, upper=inside), CONTAIN[kind], files, column
        )
    yield HudiFault(f"{who}: no bounds", put(kind, of, column, lower=None, upper=None), CONTAIN[kind], files, column)
    yield HudiFault(
        f"{who}: lower bound lowered", put(kind, of, column, lower=below, tight=False), TIGHT[kind], files, column
    )
    yield HudiFault(
        f"{who}: upper bound raised, called tight",
        put(kind, of, column, upper=above),
        TIGHT[kind] | CALLED,
        files,
        column,
    )


GREATEST = {IN_FILE: "3.0", IN_PARTITION: "7.0"}


def _of_nan(kind: str) -> Iterator[HudiFault]:
    of, files = PLACES[kind]
    column, who = "with_nan", f"{kind} of with_nan"
    yield HudiFault(
        f"{who}: both bounds 0.0, as of Parquet's footers",
        put(kind, of, column, lower="0.0", upper="0.0", tight=False),
        CONTAIN[kind] | NAN | TIGHT[kind],
        files,
        column,
    )
    yield HudiFault(
        f"{who}: the greatest number for NaN", put(kind, of, column, upper=GREATEST[kind]), NAN, files, column
    )
    yield HudiFault(f"{who}: lower bound NaN", put(kind, of, column, lower='"NaN"'), CONTAIN[kind], files, column)


FAULTS = (
    *(fault for column in STEPS for fault in _every_kind(IN_FILE, column)),
    *(fault for column in OF_PARTITIONS for fault in _every_kind(IN_PARTITION, column)),
    *(fault for kind in PLACES for fault in _of_nan(kind)),
    HudiFault(
        "column_stats of flag: lower bound raised to true",
        put(IN_FILE, NY2, "flag", lower="true"),
        CONTAIN[IN_FILE],
        frozenset({NY2}),
        "flag",
    ),
    HudiFault(
        "column_stats of flag: upper bound raised to true",
        put(IN_FILE, NY1, "flag", upper="true", tight=False),
        TIGHT[IN_FILE],
        frozenset({NY1}),
        "flag",
    ),
    HudiFault(
        "column_stats of double: upper bound NaN among numbers",
        put(IN_FILE, CA1, "double", upper='"NaN"', tight=False),
        TIGHT[IN_FILE],
        frozenset({CA1}),
        "double",
    ),
    HudiFault(
        "column_stats of double: upper bound infinite",
        put(IN_FILE, CA1, "double", upper='"Infinity"', tight=None),
        TIGHT[IN_FILE],
        frozenset({CA1}),
        "double",
    ),
    HudiFault(
        "partition_stats of nothing: bounds of values that are gone",
        put(IN_PARTITION, "state=CA", "nothing", lower='"a"', upper='"b"'),
        TIGHT[IN_PARTITION] | CALLED,
        frozenset({CA1, CA2}),
        "nothing",
    ),
    HudiFault(
        "at the first stage: lower bound raised",
        put(IN_FILE, CA1, "zip_code", FIRST, lower='"90002"'),
        CONTAIN[IN_FILE],
        frozenset({CA1}),
        "zip_code",
    ),
    HudiFault(
        "at the first stage: partition's upper bound raised",
        put(IN_PARTITION, "state=CA", "zip_code", FIRST, upper='"96200"', tight=False),
        TIGHT[IN_PARTITION],
        frozenset({CA1, CA2}),
        "zip_code",
    ),
    *(
        HudiFault(
            f"column_stats of {column}: {bound} for a bound",
            put(IN_FILE, NY1, column, LAST, lower=bound),
            UNREADABLE,
            frozenset(),
            column,
        )
        for column, bound in (
            ("number", '"1"'),
            ("number", "99999999999"),
            ("number", "true"),
            ("zip_code", "10001"),
            ("flag", "1"),
            ("money", "1.255"),
            ("money", '"not base64"'),
            ("day", '"yesterday"'),
            ("at", '"2023"x'),
            ("bytes", '"!"'),
            ("double", "[1.0]"),
            ("wide", "true"),
        )
    ),
)
