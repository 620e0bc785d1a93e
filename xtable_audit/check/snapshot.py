"""Which state of a table is judged: the current one, an older snapshot, or a branch or tag."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from xtable_audit.model.figures import few
from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot

FEW = 5
"""Maximum number of snapshots or references that a message lists."""


@dataclass(frozen=True)
class Chosen:
    """At most one field is set; none is for the current snapshot."""

    snapshot: int | None = None
    as_of: datetime | None = None
    reference: str | None = None
    """A branch or a tag."""

    def __call__(self, metadata: TableMetadata) -> TableMetadata:
        """The metadata with the chosen snapshot as its current one. Raises Problem if there is none.

        An older snapshot is read by its own schema, the head of a branch by the table's (Iceberg spec, Snapshots).
        """
        if self == Chosen():
            return metadata
        chosen = self._snapshot(metadata)
        refs = {name: ref for name, ref in metadata.refs.items() if name != "main"}
        update: dict[str, object] = {"current_snapshot_id": chosen.snapshot_id, "refs": refs}
        known = {schema.schema_id for schema in metadata.schemas}
        if not self._is_branch(metadata) and chosen.schema_id in known:
            update["current_schema_id"] = chosen.schema_id
        return metadata.model_copy(update=update)

    def _is_branch(self, metadata: TableMetadata) -> bool:
        return self.reference is not None and metadata.refs[self.reference].snapshot_ref_type == "branch"

    def _snapshot(self, metadata: TableMetadata) -> Snapshot:
        if self.reference is not None:
            if self.reference not in metadata.refs:
                raise Problem(f"the table has no branch or tag {self.reference}; it has {_listed(metadata.refs)}")
            return self._by_id(metadata, metadata.refs[self.reference].snapshot_id)
        if self.as_of is not None:
            moment = int(self.as_of.timestamp() * 1000)
            logged = [entry for entry in metadata.snapshot_log if entry.timestamp_ms <= moment]
            if not logged:
                first = min((one.timestamp_ms for one in metadata.snapshots), default=None)
                since = f"; its first is of {_time(first)}" if first is not None else ""
                raise Problem(f"the table had no snapshot at {self.as_of.isoformat()}{since}")
            return self._by_id(metadata, logged[-1].snapshot_id)
        assert self.snapshot is not None
        return self._by_id(metadata, self.snapshot)

    def _by_id(self, metadata: TableMetadata, id: int) -> Snapshot:
        found = metadata.snapshot_by_id(id)
        if found is None:
            newest = sorted(metadata.snapshots, key=lambda one: one.timestamp_ms, reverse=True)
            there = _listed(one.snapshot_id for one in newest)
            raise Problem(f"the table has no snapshot {id}; its newest are {there}")
        return found


def _time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")


def _listed(names: Iterable[object]) -> str:
    return few([str(one) for one in names], FEW) or "none"
