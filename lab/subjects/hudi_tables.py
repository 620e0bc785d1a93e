"""Hudi's own tables: a dataset, and the release of Hudi that writes and reads it."""

from __future__ import annotations

from dataclasses import dataclass

from lab.stack.versions import hudi_releases
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.shipping_launch import SHIPS
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
