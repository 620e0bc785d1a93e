"""How many trips the generated data holds, month by month. Pure arithmetic, no Spark."""

from __future__ import annotations

from xtable_audit.model.problem import Problem

# The published audit's rows: NYC yellow taxi, files of January to March 2023, pickup year 2023 kept.
PUBLISHED_MONTHS = {"2023-01": 3_066_726, "2023-02": 2_914_003, "2023-03": 3_403_619}

# Trips in those files whose pickup is in April, outside every file's label. All of them are kept at every scale:
# a hundredth of 85 would be no month to speak of, and this fourth file of a few rows is what makes the audit sharp.
STRAYS = {"2023-04": 85}

DEFAULT_SCALE = 0.01
DEFAULT_SEED = 7

# Spark deals rows round robin, each input partition starting at an offset drawn from its number. With 9 generated
# partitions `repartition(4)` yields the published 2,346,107 / 2,346,108 / 2,346,109 / 2,346,109 rows at scale 1.
INPUT_PARTITIONS = 9


def month_counts(scale: float) -> dict[str, int]:
    """Rows for each pickup month, oldest first, at least one a month. `scale` 1 is the published audit.

    Raises Problem for a scale that is not positive.
    """
    if not scale > 0:
        raise Problem(f"--scale must be a positive number (1 is the published 9,384,433 rows), not {scale:g}.")
    return {month: max(1, round(rows * scale)) for month, rows in PUBLISHED_MONTHS.items()} | STRAYS


def total_rows(scale: float) -> int:
    """Rows of the whole table, strays included."""
    return sum(month_counts(scale).values())
