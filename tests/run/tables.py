"""Tables for tests of expectations: a case, and nothing in a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyarrow import fs

from lab.subjects.table import Offer, Table
from xtable_audit.model.objects import Objects
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.subject.case import Case

XTABLE_0_4 = {"xtable": "0.4.0"}
NOWHERE = Objects(fs.SubTreeFileSystem("/nonexistent", fs.LocalFileSystem()))


def table_with(
    id: str,
    case: Case | None,
    location: str,
    versions: Mapping[str, str] = XTABLE_0_4,
    objects: Objects = NOWHERE,
    **more: Any,
) -> Table:
    """The table of that id, recorded, with its control."""
    subject_id = SubjectId.parse(id)
    control = SubjectId(subject_id.dataset, "control")
    offer = Offer(subject_id, "test", control=control)
    return Table(offer, objects, location, **({"mode": "recorded", "case": case, "versions": versions} | more))
