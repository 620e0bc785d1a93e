"""Hudi's own tables by their ids: a dataset, and the release of Hudi that wrote and reads it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.shipping_launch import SHIPS
from stack.versions import hudi_releases
from subjects.hudi_examples import EXAMPLES
from xtable_audit.model.subject_id import SubjectId

DRAWN_ON = "skip_types"
"""A healthy table of every type, on which predicates are drawn."""

BOTH_INDEXES = 8
"""Of this table version on there are partition statistics beside the column statistics."""


@dataclass(frozen=True)
class HudiSpec:
    dataset: str
    release: str

    @property
    def id(self) -> str:
        """What users type after `-k`."""
        return str(SubjectId(self.dataset, f"hudi{self.release}"))


_RELEASES = tuple(one.version for one in hudi_releases() if one.table_version >= BOTH_INDEXES)

HUDI_TABLES = {spec.id: spec for spec in (HudiSpec(name, release) for release in _RELEASES for name in (*SHIPS, *LAB))}


def _ids(*datasets: str) -> tuple[str, ...]:
    return tuple(id for id, spec in HUDI_TABLES.items() if spec.dataset in datasets)


PUBLISHED = _ids(*SHIPS)
LAYERED = (*SHIPS, "skip_addresses")
"""Datasets that the published predicate is put to, layer by layer."""
BOTH_INDEXED = _ids(*(name for name, ship in SHIPS.items() if ship.indexes == "both"))
ONE_STATE_IN_TWENTY = _ids(*(name for name, ship in SHIPS.items() if ship.zips == "random"))
"""Where every file of a state could match, so that the share of the files is the state's."""
LABORATORY = _ids(*LAB)
ASKED = _ids(*{*EXAMPLES, DRAWN_ON, *LAYERED} - {*SHIPS})
"""Those that predicates are put to."""


def over_hudi(*ids: str) -> pytest.MarkDecorator:
    """Run the test once for each of these tables."""
    return pytest.mark.parametrize("hudi_table", ids)


def release_of(id: object) -> str | None:
    """The release of Hudi behind one of these ids; None for any other."""
    spec = HUDI_TABLES.get(str(id))
    return spec.release if spec else None
