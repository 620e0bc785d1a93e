"""The interface of a scanner, which measures data files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pyarrow as pa

from xtable_audit.model.predicate import Predicate
from xtable_audit.model.wanted import Column, DataFiles, Wanted


class Scanner(Protocol):
    """A local pool (`xtable_audit.scan.local`) or a cluster. Each call reads each file once.

    A malformed file yields a row with the reason.
    """

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        """The rows of `xtable_audit.values.measured_rows`, in the order of the files."""

    def count(self, files: DataFiles, columns: Sequence[Column], predicates: Sequence[Predicate]) -> pa.Table:
        """Matching live rows per file, as `matching_rows.counted_rows`, in the order of the files.

        `columns` include at least those of the predicates.
        """
