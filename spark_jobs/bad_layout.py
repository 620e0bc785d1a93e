"""bad_layout: Hudi, the same rows dealt over four files of one constant partition. Every file spans every month."""

from __future__ import annotations

from pyspark.sql import functions as F

from spark_jobs import hudi_table, job
from spark_jobs.columns import LAYOUT_BUCKET
from spark_jobs.recipes import RECIPES
from spark_jobs.trips import Trips

FILES = 4


def write(trips: Trips, target: str) -> job.CommitFacts:
    rows = trips.frame.withColumn(LAYOUT_BUCKET, F.lit("all")).repartition(FILES)
    return hudi_table.write(rows, target, table="bad_layout", partition=LAYOUT_BUCKET)


if __name__ == "__main__":
    job.main(RECIPES["bad_layout"], write)
