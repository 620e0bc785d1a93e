"""good_layout: Hudi, partitioned by pickup_month and sorted by pickup time, one file a month."""

from __future__ import annotations

from spark_jobs import hudi_table, job
from spark_jobs.columns import PICKUP_MONTH
from spark_jobs.layout import by_month
from spark_jobs.recipes import RECIPES
from spark_jobs.trips import Trips


def write(trips: Trips, target: str) -> job.CommitFacts:
    return hudi_table.write(by_month(trips), target, table="good_layout", partition=PICKUP_MONTH)


if __name__ == "__main__":
    job.main(RECIPES["good_layout"], write)
