"""Faults of which records there are, and of their counts."""

from __future__ import annotations

from dataclasses import replace

from tests.audit.skipping.fault import FIRST, LAST, HudiFault, add, drop, of_index, of_stage, put
from tests.audit.skipping.healthy import CA1, CA2, NY1, NY2, NY2_OLD
from xtable_audit.formats.hudi.index import INDEX
from xtable_audit.model.finding import Verdict

IN_FILE, IN_PARTITION = "column_stats", "partition_stats"


def of_files(verdict: Verdict) -> dict[str, Verdict]:
    return {"every_live_file_has_its_column_statistics": verdict}


def of_partitions(verdict: Verdict) -> dict[str, Verdict]:
    return {"every_live_partition_has_its_partition_statistics": verdict}


GONE = {"no_statistics_of_what_is_gone": Verdict.COSMETIC}


def nulls(verdict: Verdict) -> dict[str, Verdict]:
    return {"null_counts_are_right": verdict}


def counted(verdict: Verdict = Verdict.COSMETIC) -> dict[str, Verdict]:
    return {"value_counts_are_right": verdict}


ALL = frozenset({NY1, NY2, CA1, CA2})
NY, CA = frozenset({NY1, NY2}), frozenset({CA1, CA2})

FAULTS = (
    HudiFault(
        "a file without statistics of one column",
        drop(IN_FILE, NY1, "zip_code"),
        of_files(Verdict.UNSOUND),
        frozenset({NY1}),
        "zip_code",
    ),
    HudiFault("a file without any", drop(IN_FILE, NY1), of_files(Verdict.LOOSE), frozenset({NY1})),
    HudiFault(
        "a file without statistics of nulls alone",
        drop(IN_FILE, NY1, "nothing"),
        of_files(Verdict.COSMETIC),
        frozenset({NY1}),
        "nothing",
    ),
    HudiFault(
        "a file without, at the first stage",
        drop(IN_FILE, NY2_OLD, "day", FIRST),
        of_files(Verdict.UNSOUND),
        frozenset({NY2_OLD}),
        "day",
    ),
    HudiFault(
        "a partition without statistics of one column",
        drop(IN_PARTITION, "state=CA", "number"),
        of_partitions(Verdict.UNSOUND),
        CA,
        "number",
    ),
    HudiFault("a partition without any", drop(IN_PARTITION, "state=CA"), of_partitions(Verdict.UNSOUND), CA),
    HudiFault(
        "a partition without statistics of nulls alone",
        drop(IN_PARTITION, "state=CA", "nothing"),
        of_partitions(Verdict.COSMETIC),
        CA,
        "nothing",
    ),
    HudiFault(
        "indexes without a record",
        of_stage(LAST, lambda stage: replace(stage, index=INDEX.empty_table())),
        of_files(Verdict.LOOSE) | of_partitions(Verdict.LOOSE),
    ),
    HudiFault("statistics of a partition that is gone", add(IN_PARTITION, "state=AZ", "day", "state=CA"), GONE),
    HudiFault("statistics of a file that is gone", add(IN_FILE, "z.parquet", "day", CA1), GONE),
    HudiFault(
        "statistics of a file that was cleaned",
        of_stage(LAST, lambda stage: replace(stage, beside=frozenset())),
        GONE,
    ),
    HudiFault(
        "statistics of a column that is gone",
        of_index(LAST, lambda records: [*records, records[0] | {"column": "renamed"}]),
        GONE,
        NY,
        "renamed",
    ),
    HudiFault(
        "nulls of a file equal to its values",
        put(IN_FILE, NY1, "gap", nulls=4),
        nulls(Verdict.UNSOUND),
        frozenset({NY1}),
        "gap",
    ),
    HudiFault(
        "no nulls in a file that has one",
        put(IN_FILE, NY1, "gap", nulls=0),
        nulls(Verdict.UNSOUND),
        frozenset({NY1}),
        "gap",
    ),
    HudiFault(
        "unknown nulls of a file",
        put(IN_FILE, NY1, "gap", nulls=None),
        nulls(Verdict.UNSOUND),
        frozenset({NY1}),
        "gap",
    ),
    HudiFault(
        "one null too many in a file",
        put(IN_FILE, NY1, "gap", nulls=2),
        nulls(Verdict.COSMETIC),
        frozenset({NY1}),
        "gap",
    ),
    HudiFault(
        "nulls of a partition equal to its values",
        put(IN_PARTITION, "state=NY", "number", nulls=8),
        nulls(Verdict.COSMETIC),
        NY,
        "number",
    ),
    HudiFault(
        "values of a partition doubled",
        put(IN_PARTITION, "state=NY", "number", values=16),
        counted(),
        NY,
        "number",
    ),
    HudiFault(
        "one value less in a file, at the first stage",
        put(IN_FILE, CA1, "number", FIRST, values=1),
        counted(),
        frozenset({CA1}),
        "number",
    ),
    HudiFault(
        "as many values in a file as nulls",
        put(IN_FILE, NY1, "gap", values=1),
        counted(Verdict.UNSOUND),
        frozenset({NY1}),
        "gap",
    ),
)
