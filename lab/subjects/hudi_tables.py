"""Hudi's own tables: a dataset and the release of Hudi that writes and reads it, and predicates for them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lab.stack.versions import hudi_releases
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.launch import SHIPS
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.subject_id import SubjectId

DRAWN_ON = "skip_types"
"""A healthy table of every type, for randomly drawn predicates."""
LAYERED = (*SHIPS, "skip_addresses")
"""Datasets on which the published predicate runs layer by layer."""
BOTH_INDEXES = 8
"""The first table version with partition statistics beside the column statistics."""


@dataclass(frozen=True)
class HudiSpec:
    dataset: str
    release: str

    @property
    def id(self) -> SubjectId:
        return SubjectId(self.dataset, f"hudi{self.release}")


def hudi_specs() -> tuple[HudiSpec, ...]:
    """Every dataset by every release of Hudi that writes both indexes."""
    versions = [release.version for release in hudi_releases() if release.table_version >= BOTH_INDEXES]
    return tuple(HudiSpec(name, version) for version in versions for name in (*SHIPS, *LAB))


NY = Compare("state", "=", "NY")
LONG = "a" * 5000


def is_(column: str, value: object) -> Predicate:
    return Compare(column, "=", value)


def above(column: str, value: object) -> Predicate:
    return Compare(column, ">", value)


def below(column: str, value: object) -> Predicate:
    return Compare(column, "<", value)


def zips(*codes: str) -> tuple[Predicate, ...]:
    """Predicates on ZIP codes: each code, all of them, and the ranges that the first one bounds."""
    first = codes[0]
    return (
        *(is_("zip_code", code) for code in codes),
        In("zip_code", codes),
        Compare("zip_code", "<=", first),
        Compare("zip_code", ">=", first),
        Compare("zip_code", "!=", first),
        And(NY, is_("zip_code", first)),
    )


EXAMPLES: dict[str, tuple[Predicate, ...]] = {
    "skip_prefix": (
        StartsWith("zip_code", "100"),
        And(NY, StartsWith("zip_code", "100")),
        StartsWith("zip_code", "10001"),
        And(Compare("zip_code", ">=", "100"), below("zip_code", "101")),
        is_("zip_code", "10002"),
        StartsWith("zip_code", "5"),
    ),
    "skip_nan": (
        is_("reading", 5.0),
        above("reading", 4.0),
        And(NY, is_("reading", 5.0)),
        is_("reading", math.nan),
        is_("reading", 2.0),
        below("reading", 4.0),
        IsNull("reading", negated=True),
        IsNull("reading"),
    ),
    "skip_long_text": (
        is_("text", "ab"),
        below("text", "b"),
        IsNull("text", negated=True),
        And(NY, is_("text", "ab")),
        is_("text", LONG),
        is_("text", "d"),
        above("text", "b"),
        IsNull("text"),
    ),
    "skip_list_extended": (
        is_("number", 1),
        below("number", 2),
        Or(is_("number", 1), is_("zip_code", "99999")),
        And(is_("number", 1), is_("zip_code", "10001")),
        And(NY, is_("number", 1)),
        is_("number", 2),
        is_("zip_code", "10001"),
    ),
    "skip_new_column": (
        Or(IsNull("note"), is_("zip_code", "1")),
        And(IsNull("note"), is_("zip_code", "10001")),
        IsNull("note"),
        is_("note", "new"),
        is_("zip_code", "10001"),
    ),
    "skip_bytes": (
        is_("raw", b"\x10"),
        above("raw", b"\x7f"),
        IsNull("raw", negated=True),
        NY,
    ),
    "skip_paths": (
        IsNull("state"),
        *(is_("zip_code", f"{number}0000") for number in range(5)),
        above("zip_code", "05000"),
        is_("state", "A/B c%"),
        And(is_("state", "A/B c%"), is_("zip_code", "10000")),
    ),
    "skip_widened": zips("10001", "90001", "14999"),
    "skip_minimum_deleted": zips("10200", "10001", "14999"),
    "skip_emptied": zips("12000", "10001", "14999"),
    "skip_clustered": zips("10001", "14999", "96199"),
    "skip_overwritten": zips("10500", "10001", "14999"),
    "skip_state_dropped": zips("95555", "90001", "10001"),
    "skip_rolled_back": zips("12000", "99999", "14999"),
    "skip_rebuilt": zips("15500", "97000", "10001"),
    "skip_logged": zips("90001", "10001", "14999"),
    "skip_compacted": zips("10001", "90001", "14999"),
    "skip_log_deleted": zips("10200", "10001", "14999"),
}
