"""Faults of which records there are, and of their counts."""

from __future__ import annotations

from dataclasses import replace

from tests.audit.skipping.fault import FIRST, LAST, HudiFault, add, missing, misstated, of_index, of_stage
from tests.audit.skipping.healthy import CA1, NY1, NY2, NY2_OLD
from xtable_audit.formats.hudi.index import INDEX
from xtable_audit.model.finding import Verdict

UNSOUND, LOOSE, COSMETIC = Verdict.UNSOUND, Verdict.LOOSE, Verdict.COSMETIC
IN_FILE, IN_PARTITION = "column_stats", "partition_stats"
NY, CA = "state=NY", "state=CA"


def of_files(verdict: Verdict) -> dict[str, Verdict]:
    return {"every_live_file_has_its_column_statistics": verdict}


def of_partitions(verdict: Verdict) -> dict[str, Verdict]:
    return {"every_live_partition_has_its_partition_statistics": verdict}


GONE = {"no_statistics_of_what_is_gone": COSMETIC}


def nulls(verdict: Verdict) -> dict[str, Verdict]:
    return {"null_counts_are_right": verdict}


def counted(verdict: Verdict) -> dict[str, Verdict]:
    return {"value_counts_are_right": verdict}


FAULTS = (
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
