"""Faults of Hudi's indexes: which records there are, their counts, and their bounds.

Bounds are spoilt of every type, of files and of partitions, at an early and at the last stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tests.xtable_audit.formats.hudi.fault import FIRST, LAST, HudiFault, add, missing, misstated, of_index, of_stage
from tests.xtable_audit.formats.hudi.healthy import CA1, NY1, NY2, NY2_OLD
from xtable_audit.formats.hudi.index import INDEX
from xtable_audit.model.finding import Verdict

UNSOUND, LOOSE, COSMETIC = Verdict.UNSOUND, Verdict.LOOSE, Verdict.COSMETIC
IN_FILE, IN_PARTITION = "column_stats", "partition_stats"
NY, CA = "state=NY", "state=CA"
GONE = {"no_statistics_of_what_is_gone": COSMETIC}
CONTAIN = {
    IN_FILE: {"column_statistics_contain_every_value": UNSOUND},
    IN_PARTITION: {"partition_statistics_contain_every_value": UNSOUND},
}
TIGHT = {IN_FILE: {"column_statistics_are_tight": LOOSE}, IN_PARTITION: {"partition_statistics_are_tight": LOOSE}}
CALLED = {"bounds_called_tight_are_tight": COSMETIC}
UNREADABLE = {"every_bound_can_be_read": Verdict.UNREADABLE}
NAN = {"nan_lies_within_the_bounds": UNSOUND}
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
PLACES = {IN_FILE: NY1, IN_PARTITION: "state=NY"}
GREATEST = {IN_FILE: "3.0", IN_PARTITION: "7.0"}


def of_files(verdict: Verdict) -> dict[str, Verdict]:
    return {"every_live_file_has_its_column_statistics": verdict}


def of_partitions(verdict: Verdict) -> dict[str, Verdict]:
    return {"every_live_partition_has_its_partition_statistics": verdict}


def nulls(verdict: Verdict) -> dict[str, Verdict]:
    return {"null_counts_are_right": verdict}


def counted(verdict: Verdict) -> dict[str, Verdict]:
    return {"value_counts_are_right": verdict}


OF_RECORDS = (
    missing("a file without statistics of one column", of_files(UNSOUND), IN_FILE, NY1, "zip_code"),
    missing("a file without any", of_files(LOOSE), IN_FILE, NY1),
    missing("a file without statistics of nulls alone", of_files(COSMETIC), IN_FILE, NY1, "nothing"),
    missing("a file without, at the first stage", of_files(UNSOUND), IN_FILE, NY2_OLD, "day", FIRST),
    missing("a partition without statistics of one column", of_partitions(UNSOUND), IN_PARTITION, CA, "number"),
    missing("a partition without any", of_partitions(UNSOUND), IN_PARTITION, CA),
    missing("a partition without statistics of nulls alone", of_partitions(COSMETIC), IN_PARTITION, CA, "nothing"),
    HudiFault(
        "indexes without a record",
        of_stage(LAST, lambda stage: replace(stage, index=INDEX.empty_table())),
        of_files(LOOSE) | of_partitions(LOOSE),
    ),
    HudiFault("statistics of a partition that is gone", add(IN_PARTITION, "state=AZ", "day", CA), GONE),
    HudiFault("statistics of a file that is gone", add(IN_FILE, "z.parquet", "day", CA1), GONE),
    HudiFault(
        "statistics of a file that was cleaned", of_stage(LAST, lambda stage: replace(stage, beside=frozenset())), GONE
    ),
    HudiFault(
        "statistics of a column that is gone",
        of_index(LAST, lambda records: [*records, records[0] | {"column": "renamed"}]),
        GONE,
        {NY1, NY2},
        "renamed",
    ),
    misstated("nulls of a file equal to its values", nulls(UNSOUND), IN_FILE, NY1, "gap", nulls=4),
    misstated("no nulls in a file that has one", nulls(UNSOUND), IN_FILE, NY1, "gap", nulls=0),
    misstated("unknown nulls of a file", nulls(UNSOUND), IN_FILE, NY1, "gap", nulls=None),
    misstated("one null too many in a file", nulls(COSMETIC), IN_FILE, NY1, "gap", nulls=2),
    misstated("nulls of a partition equal to its values", nulls(COSMETIC), IN_PARTITION, NY, "number", nulls=8),
    misstated("values of a partition doubled", counted(COSMETIC), IN_PARTITION, NY, "number", values=16),
    misstated(
        "one value less in a file, at the first stage", counted(COSMETIC), IN_FILE, CA1, "number", FIRST, values=1
    ),
    misstated("as many values in a file as nulls", counted(UNSOUND), IN_FILE, NY1, "gap", values=1),
)


def _every_kind(kind: str, column: str) -> Iterator[HudiFault]:
    where = (kind, PLACES[kind], column)
    below, inside, above = STEPS[column]
    who, loose = f"{kind} of {column}", TIGHT[kind]
    yield misstated(f"{who}: lower bound raised", CONTAIN[kind], *where, lower=above)
    yield misstated(f"{who}: upper bound lowered", CONTAIN[kind], *where, upper=below)
    if column != "state":  # of one value alone
        yield misstated(f"{who}: upper bound between the values", CONTAIN[kind], *where, upper=inside)
    yield misstated(f"{who}: no bounds", CONTAIN[kind], *where, lower=None, upper=None)
    yield misstated(f"{who}: lower bound lowered", loose, *where, lower=below, tight=False)
    yield misstated(f"{who}: upper bound raised, called tight", loose | CALLED, *where, upper=above)


def _of_nan(kind: str) -> Iterator[HudiFault]:
    where, who = (kind, PLACES[kind], "with_nan"), f"{kind} of with_nan"
    every = CONTAIN[kind] | NAN | TIGHT[kind]
    id = f"{who}: both bounds 0.0, as of Parquet's footers"
    yield misstated(id, every, *where, lower="0.0", upper="0.0", tight=False)
    yield misstated(f"{who}: the greatest number for NaN", NAN, *where, upper=GREATEST[kind])
    yield misstated(f"{who}: lower bound NaN", CONTAIN[kind], *where, lower='"NaN"')


def _of_files(what: str, breaks: Mapping[str, Verdict], of: str, column: str, **changed: Any) -> HudiFault:
    return misstated(f"{IN_FILE} of {column}: {what}", breaks, IN_FILE, of, column, **changed)


OF_BOUNDS = (
    *(fault for column in STEPS for fault in _every_kind(IN_FILE, column)),
    *(fault for column in OF_PARTITIONS for fault in _every_kind(IN_PARTITION, column)),
    *(fault for kind in PLACES for fault in _of_nan(kind)),
    _of_files("lower bound raised to true", CONTAIN[IN_FILE], NY2, "flag", lower="true"),
    _of_files("upper bound raised to true", TIGHT[IN_FILE], NY1, "flag", upper="true", tight=False),
    _of_files("upper bound NaN among numbers", TIGHT[IN_FILE], CA1, "double", upper='"NaN"', tight=False),
    _of_files("upper bound infinite", TIGHT[IN_FILE], CA1, "double", upper='"Infinity"', tight=None),
    misstated(
        "partition_stats of nothing: bounds of values that are gone",
        TIGHT[IN_PARTITION] | CALLED,
        *(IN_PARTITION, "state=CA", "nothing"),
        lower='"a"',
        upper='"b"',
    ),
    misstated(
        "at the first stage: lower bound raised", CONTAIN[IN_FILE], IN_FILE, CA1, "zip_code", FIRST, lower='"90002"'
    ),
    misstated(
        "at the first stage: partition's upper bound raised",
        TIGHT[IN_PARTITION],
        *(IN_PARTITION, "state=CA", "zip_code", FIRST),
        upper='"96200"',
        tight=False,
    ),
    *(
        _of_files(f"{bound} for a bound", UNREADABLE, NY1, column, lower=bound)
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


FAULTS = (*OF_RECORDS, *OF_BOUNDS)
