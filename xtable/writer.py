"""What writes a table's metadata: XTable's Iceberg target, one of its Delta targets or its Hudi target, of one release
or of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from lab.stack.versions import Release, release
from xtable_audit.model import subject_id
from xtable_audit.model.problem import Problem


@dataclass(frozen=True)
class Writer:
    """A target of XTable, and what of XTable reads or writes on the way there."""

    id: str
    """As ids of tables end: `xtable`, `iceberg_by_kernel`, `delta_by_kernel`."""
    target: str
    """The format of the metadata."""
    folder: str
    """Where the metadata is, below the table's root."""
    words: str = ""
    """Completes "XTable, to …"."""
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Additional properties of XTable's `TargetTable`."""
    by_command_line: bool = True
    """Whether XTable's command line reaches it: its configuration of a table names neither properties nor a reader."""
    reads_by_kernel: bool = False
    """Whether XTable reads Delta tables by Delta Kernel for it, not by Spark."""

    @property
    def to_iceberg(self) -> bool:
        """Whether its metadata is where Iceberg's is: it names data files by their addresses, so nowhere else."""
        return self.target == subject_id.ICEBERG

    @property
    def needs_kernel(self) -> bool:
        """Whether Delta Kernel reads or writes for it, which releases before 0.4.0 do not have."""
        return self in (KERNEL, ICEBERG_BY_KERNEL)

    @property
    def by_no_command_line(self) -> str:
        """Why a user's jar does not write it, for one that `by_command_line` is false of."""
        if self.reads_by_kernel:
            return "XTable's command line reads Delta by Spark, unless its option convertersConfig names another class."
        return f"XTable's command line cannot write {self.words}: it passes no properties to a target."

    def is_of(self, release: Release) -> bool:
        """Whether the release has it."""
        return release.delta_kernel or not self.needs_kernel

    def demand(self, version: str) -> None:
        """Raises Problem if this release of XTable does not have it."""
        if not self.is_of(release(version)):
            does = "read" if self.reads_by_kernel else "write"
            raise Problem(f"XTable {version} does not {does} Delta by Delta Kernel; 0.4.0 is the first that does.")


ICEBERG = Writer(subject_id.XTABLE, subject_id.ICEBERG, "metadata", "Iceberg")
ICEBERG_BY_KERNEL = Writer(
    "iceberg_by_kernel",
    subject_id.ICEBERG,
    "metadata",
    "Iceberg, reading Delta by Delta Kernel",
    by_command_line=False,
    reads_by_kernel=True,
)
STANDALONE = Writer("delta_by_standalone", subject_id.DELTA, "_delta_log", "Delta by Delta Standalone")
KERNEL = Writer(
    "delta_by_kernel",
    subject_id.DELTA,
    "_delta_log",
    "Delta by Delta Kernel",
    MappingProxyType({"xtable.delta.target.use_kernel": "true"}),
    by_command_line=False,
)
DELTA = (STANDALONE, KERNEL)
HUDI = Writer("hudi_by_xtable", subject_id.HUDI, ".hoodie", "Hudi")
WRITERS: Mapping[str, Writer] = MappingProxyType({one.id: one for one in (ICEBERG, ICEBERG_BY_KERNEL, *DELTA, HUDI)})
"""By the end of an id."""
TARGETS = tuple(dict.fromkeys(one.target for one in WRITERS.values() if one is not HUDI))
"""The formats that a run of all targets has XTable write. Hudi's target is audited on request alone."""


@dataclass(frozen=True)
class Way:
    """`since` is the release that an upgrade in place starts from; None if `release` writes everything."""

    release: Release
    since: Release | None = None

    @classmethod
    def of(cls, version: str, since: str | None = None) -> Way:
        """By their versions (`0.4.0` will do). Raises Problem for what is no version."""
        return cls(release(version), release(since) if since else None)

    @property
    def name(self) -> str:
        """`0.4.0-incubating`, or `0.2.0-incubating-to-0.4.0-incubating`."""
        return f"{self.since.version}-to-{self.release.version}" if self.since else self.release.version


def ways(among: Sequence[Release]) -> tuple[Way, ...]:
    """Each of the releases alone, newest first, then every upgrade in place between two of them."""
    newest_first = sorted(among, key=lambda one: one.order, reverse=True)
    upgrades = (Way(one, since) for place, one in enumerate(newest_first) for since in newest_first[place + 1 :])
    return (*(Way(one) for one in newest_first), *upgrades)
