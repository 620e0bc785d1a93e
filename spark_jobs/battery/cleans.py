"""Cleans between two syncs that remove files which the first of them found (xtable#824)."""

from __future__ import annotations

from dataclasses import replace

from spark_jobs.battery.histories import history, then, upsert
from spark_jobs.battery.table import Step, service

KEEP_ONE_COMMIT = {"hoodie.cleaner.policy": "KEEP_LATEST_COMMITS", "hoodie.cleaner.commits.retained": "1"}
UPSERTED_TWICE = tuple(replace(upsert("a", [key], start), staged=False) for key, start in (("a1", 50), ("a2", 60)))
"""Then one commit is retained and the version before it, and the first version of the file may go."""

TABLES = (
    history(
        "unseen_clean",
        "A cleaner that removes the files which the last sync found, before the next sync (xtable#824).",
        then(*UPSERTED_TWICE, service("clean"), upsert("b", ["b1"], 70)),
        KEEP_ONE_COMMIT,
    ),
    history(
        "running_clean",
        "A sync while a clean is in flight that has removed the files which the last sync found (xtable#824).",
        then(
            *UPSERTED_TWICE,
            replace(service("clean", words="a clean begins and deletes the first version of a file"), staged=False),
            Step("the clean is in flight", None, in_flight=(4,)),
            Step("the clean completes", None),
            upsert("b", ["b1"], 70),
        ),
        KEEP_ONE_COMMIT,
    ),
)
