"""skip_addresses: the rows of the v6_* tables under both of Hudi's indexes, beside what XTable makes of them."""

from __future__ import annotations

from spark_jobs.battery import releases
from spark_jobs.battery.skipping.common import lab

TABLES = (
    lab(
        "addresses",
        "The rows of v6_*, in files of the same rows, as Hudi 1.x writes them by itself.",
        releases.bulk(),
        releases.later("one file more in NY"),
        columns="",
    ),
)
