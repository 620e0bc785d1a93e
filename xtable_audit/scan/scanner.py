"""The interface of a scanner, which measures data files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from xtable_audit.model.predicate import Predicate
from xtable_audit.model.wanted import DataFiles, Wanted, WantedColumn


@dataclass(frozen=True)
class Power:
    """What works on a scan."""

    cores: int
    files: int
    """Files that are read at once."""
    machines: int = 1
    """Links to the store: each core of a cluster counts as a machine."""


class Scanner(Protocol):
    """A local pool (`xtable_audit.scan.local`) or a cluster. Each call reads each file once.

    A malformed file yields a row with the reason.
    """

    @property
    def power(self) -> Power: ...

    def batches(self, files: DataFiles) -> Iterator[DataFiles]:
        """All files, in their order, in parts: what was measured of one is worth keeping before the next is read."""

    def look_up(self, files: DataFiles) -> pa.Table:
        """`size` in bytes, and `modified`, nanoseconds since 1970, of each file, in the order of the files.

        Both are null for a file that does not exist or cannot be looked up: `measure` tells why. `modified` is null
        where the store does not know it.
        """

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        """The rows of `xtable_audit.values.measured_rows`, in the order of the files."""

    def count(self, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> pa.Table:
        """Matching live rows per file, as `matching_rows.counted_rows`, in the order of the files.

        `columns` include at least those of the predicates.
        """
