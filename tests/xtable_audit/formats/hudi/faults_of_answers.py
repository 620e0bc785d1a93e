"""Faults of Hudi's reader: rows, files and layers of single answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.xtable_audit.formats.hudi.fault import HudiFault, Spoil, answer, both
from tests.xtable_audit.formats.hudi.healthy import (
    CA1,
    CA2,
    EITHER,
    GAPS,
    IN_STATE,
    NONE,
    NY1,
    NY2,
    PUBLISHED,
    TX,
    UNKNOWN,
    WITH_NAN,
)
from xtable_audit.formats.hudi.indexed_table import HudiTrial, Mode
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Predicate

UNSOUND, DUPLICATE, UNREADABLE, LOOSE, COSMETIC = (
    Verdict.UNSOUND,
    Verdict.DUPLICATE,
    Verdict.UNREADABLE,
    Verdict.LOOSE,
    Verdict.COSMETIC,
)
LOST = {"no_row_is_lost_by_skipping": UNSOUND}
LEFT_OUT = {"no_matching_file_is_left_out": UNSOUND}
CONTROL = {"no_row_is_lost_without_skipping": UNSOUND}
REFUSED = {"every_question_is_answered": UNREADABLE}
OFF = {"nothing_is_skipped_when_skipping_is_off": LOOSE}
LAYERS = {"planned_files_are_those_the_layers_leave": LOOSE}
PARTITIONS = {"partition_statistics_leave_the_partitions_that_could_match": LOOSE}
FILES = {"column_statistics_leave_the_files_that_could_match": LOOSE}


def read(verdict: Verdict) -> dict[str, Verdict]:
    return {"read_files_are_those_planned": verdict}


def answered(predicate: Predicate, mode: Mode, **changed: Any) -> Spoil:
    return answer(predicate, mode, lambda trial: replace(trial, **changed))


def reads(trial: HudiTrial, *files: str) -> HudiTrial:
    """As a scan of these files would look, all the way from the column statistics."""
    planned = frozenset(files)
    return replace(trial, planned=planned, read=planned, after_column_statistics=len(planned))


REFUSAL = dict.fromkeys(
    ("rows", "planned", "live", "after_partition_statistics", "after_column_statistics", "partitions", "read")
)
"""What a refusal leaves out."""

FAULTS = (
    HudiFault(
        "a row lost in a file that is planned",
        answered(PUBLISHED, "on", rows=0),
        LOST,
        loses=("WHERE zip_code = '10001': 1 row by the values, 0 found by Hudi", 1),
    ),
    HudiFault(
        "rows of two predicates lost",
        both(answered(PUBLISHED, "on", rows=0), answered(UNKNOWN, "on", rows=4)),
        LOST,
        loses=("WHERE zip_code = '10001': 1 row by the values, 0 found by Hudi", 5),
    ),
    HudiFault(
        "a row too many with skipping", answered(PUBLISHED, "on", rows=2), {"no_row_is_lost_by_skipping": DUPLICATE}
    ),
    HudiFault(
        "NaN not found as greater than 9",
        answered(WITH_NAN, "on", rows=2),
        LOST,
        loses=("WHERE with_nan > 9.0: 5 rows by the values, 2 found by Hudi", 3),
    ),
    HudiFault(
        "a partition lost, and its rows with it",
        answer(EITHER, "on", lambda trial: reads(replace(trial, rows=1, partitions=("state=NY",)), NY1)),
        LOST | LEFT_OUT,
        {CA2},
        loses=("WHERE (zip_code = '96199') OR (number < 2): 2 rows by the values, 1 found by Hudi", 1),
    ),
    HudiFault(
        "a file lost without a row", answer(PUBLISHED, "on", lambda trial: reads(trial)), LEFT_OUT, {NY1}, "zip_code"
    ),
    HudiFault(
        "no plan, and a row lost",
        answered(PUBLISHED, "on", rows=0, planned=None, after_column_statistics=None),
        LOST,
        {NY1},
    ),
    HudiFault("a row lost without skipping, found with it", answered(GAPS, "off", rows=3), CONTROL, column="gap"),
    HudiFault(
        "a row lost with and without skipping",
        both(answered(GAPS, "off", rows=3), answered(GAPS, "on", rows=3)),
        CONTROL,
    ),
    HudiFault(
        "a row too many without the metadata table",
        answered(NONE, "unlisted", rows=1),
        {"no_row_is_lost_without_skipping": DUPLICATE},
    ),
    HudiFault(
        "a refusal",
        answered(PUBLISHED, "on", **REFUSAL, error="ClassCastException: no"),
        REFUSED,
        {NY1, NY2, CA1, CA2, TX},
    ),
    HudiFault(
        "a file left out without skipping",
        answer(NONE, "off", lambda trial: reads(trial, NY1, NY2, CA1, CA2)),
        OFF,
        {TX},
    ),
    HudiFault(
        "a file of the partition left out without skipping",
        answer(IN_STATE, "unlisted", lambda trial: reads(trial, NY2)),
        OFF,
        {NY1},
    ),
    HudiFault("more files planned than are left", answered(PUBLISHED, "on", after_column_statistics=0), LAYERS),
    HudiFault("a layer that adds files", answered(GAPS, "on", after_partition_statistics=99), LAYERS),
    HudiFault(
        "a partition left that cannot match",
        answered(PUBLISHED, "on", partitions=("state=CA", "state=NY"), after_partition_statistics=4),
        PARTITIONS,
        {CA1, CA2},
    ),
    HudiFault(
        "partition statistics not queried",
        answered(PUBLISHED, "on", partitions=None, after_partition_statistics=5),
        PARTITIONS,
        {CA1, CA2, TX},
    ),
    HudiFault(
        "a file left that cannot match", answer(PUBLISHED, "on", lambda trial: reads(trial, NY1, NY2)), FILES, {NY2}
    ),
    HudiFault(
        "files read that are not planned", answered(PUBLISHED, "on", read={NY1, NY2, CA1}), read(LOOSE), {NY2, CA1}
    ),
    HudiFault("an empty request log", answered(PUBLISHED, "on", read=frozenset()), read(COSMETIC), {NY1}),
)
