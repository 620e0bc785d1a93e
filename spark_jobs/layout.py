"""The layout that lets a reader skip files: one file a month, sorted by pickup time."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark_jobs.columns import PICKUP_MONTH
from spark_jobs.trips import Trips

# The four months of the audit hash to four different tasks. More months share tasks, and still get a file each.
MONTH_TASKS = 4


def by_month(trips: Trips) -> DataFrame:
    """The rows, every month within one task and in order of pickup."""
    return trips.frame.repartition(MONTH_TASKS, PICKUP_MONTH).sortWithinPartitions(PICKUP_MONTH, trips.pickup)
