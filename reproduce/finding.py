"""How each finding is reproduced: a table that XTable syncs, one of Hudi's laboratory, or files written by hand."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from packaging.version import Version

from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from stack.versions import HudiRelease, Release, hudi_releases, releases
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.register.entry import Entry, Where

BY_HAND = Path(__file__).with_name("readers")
"""Findings of readers: a folder for each, with a `check.py` that needs no table of this suite."""


class Way(StrEnum):
    """By what a finding is reproduced."""

    SYNC = "a sync by XTable"
    SPARK = "Spark and Hudi alone"
    READER = "a reader alone"


def way_of(entry: Entry) -> Way | None:
    """None for a finding that no small table shows."""
    if (BY_HAND / entry.id).is_dir():
        return Way.READER
    if "xtable" in entry.components and _dataset(entry) in BATTERY:
        return Way.SYNC
    return Way.SPARK if "hudi" in entry.components and _dataset(entry) in LAB else None


def demanded_way(entry: Entry) -> Way:
    """As `way_of`. Raises Problem for None."""
    way = way_of(entry)
    if way is None:
        raise Problem(
            f"{entry.id} is a finding of {entry.components[0]} that no small table shows: its page says more."
        )
    return way


def table_of(entry: Entry) -> BatteryTable:
    """The table that shows the finding best, by Hudi's newest release with it where it is Hudi's own.

    Raises KeyError for a reader's.
    """
    if way_of(entry) is Way.SPARK:
        return replace(LAB[_dataset(entry)], hudi=newest_hudi_with(entry).version)
    return BATTERY[_dataset(entry)]


def _dataset(entry: Entry) -> str:
    return SubjectId.parse(entry.reproduce or min(entry.subjects)).dataset


def newest_with(entry: Entry) -> Release:
    """The newest release of XTable that has the finding on its table."""
    subject = f"{table_of(entry).name}-xtable"
    having = [
        one
        for one in releases()
        if any(
            subject in where.subjects and where.releases.contains(Version(one.short)) for where in _of(entry, "xtable")
        )
    ]
    return having[0] if having else releases()[0]


def newest_hudi_with(entry: Entry) -> HudiRelease:
    """The newest release of Hudi that has the finding."""
    return next(
        one
        for one in hudi_releases()
        if any(where.releases.contains(Version(one.version)) for where in _of(entry, "hudi"))
    )


def _of(entry: Entry, component: str) -> list[Where]:
    return [where for where in entry.where if where.component == component]


def of_upgrades(entry: Entry) -> bool:
    """Whether only an upgrade in place shows it."""
    return all(where.upgrade_from is not None for where in entry.where)
