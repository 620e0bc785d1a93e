"""What a table has as a Hudi table, beside what every format's claims see of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xtable_audit.formats.hudi.metadata_table.records import MetadataTable
from xtable_audit.formats.hudi.timeline import HudiTimeline
from xtable_audit.model.hudi_instant import HudiInstantFile
from xtable_audit.table.plain_table import PlainTable
from xtable_audit.table.stored_metrics import StoredMetrics


@dataclass(frozen=True)
class LiveFile:
    """A data file that a reader of the table's state opens."""

    partition: str
    """Its folder below the table, as the table has it."""
    name: str
    time: str
    """The instant that added it."""
    size: int | None
    listed: str = ""
    """Its path below the table as the commit that added it has it, with Hudi's marker of another writer's file."""

    @property
    def path(self) -> str:
        """Below the table."""
        return f"{self.partition}/{self.name}".lstrip("/")


@dataclass(frozen=True)
class HudiTarget(PlainTable):
    """A table's state after one instant."""

    timeline: HudiTimeline | None = field(default=None, repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)
    at: HudiInstantFile | None = None
    metadata: MetadataTable | None = field(default=None, repr=False)
    """None if the table has no metadata table."""
    live: Mapping[str, LiveFile] = field(default_factory=dict)
    """By address."""

    @property
    def earlier(self) -> tuple[str, ...]:
        """The write before alone."""
        assert self.timeline is not None
        assert self.at is not None
        before = [one for one in self.timeline.writes if one.time < self.at.time]
        return (HudiInstantFile(self.at.root, before[-1].name).location,) if before else ()


def hudi_of(stored: StoredMetrics) -> HudiTarget:
    """The table as Hudi has it."""
    assert isinstance(stored.native, HudiTarget), f"{stored.metadata_location} is no Hudi table"
    return stored.native
