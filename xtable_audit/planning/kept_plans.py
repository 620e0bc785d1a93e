"""A planner's answers, kept from run to run: it plans once for the same metadata and the same predicates."""

from __future__ import annotations

from collections.abc import Sequence, Set

from xtable_audit.model.code import digest
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.file_set import LiveFiles
from xtable_audit.planning.planners import Planner
from xtable_audit.table.stored_metrics import StoredMetrics


def kept_plans(
    objects: Objects, stored: StoredMetrics, planner: Planner, identity: str, content: str | None = None
) -> Planner:
    """The planner, or what an earlier run had of it. `identity` has its name, and what decides its answers besides the
    metadata and the predicates. `content` is a digest of all that a planner reads of the metadata; without it, the
    bytes decide.
    """
    files = LiveFiles.of(stored.files["path"].sort())  # entries may be in another order

    def plan(metadata_location: str, predicates: Sequence[Predicate]) -> list[Set[str] | None]:
        read = [] if content else [metadata_location, *stored.native.metadata_files]
        packed = objects.kept(
            "planned",
            digest(identity, content or metadata_location, repr(predicates)),
            read,
            lambda _: [files.packed(one) for one in planner(metadata_location, predicates)],
        )
        return [files.unpacked(one) for one in packed]

    return plan
