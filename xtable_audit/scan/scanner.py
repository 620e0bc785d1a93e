"""Who measures data files: one question, whoever runs the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pyarrow as pa

from xtable_audit.model.predicate import Predicate
from xtable_audit.model.wanted import Column, DataFiles, Wanted


class Scanner(Protocol):
    """A local pool (`xtable_audit.scan.local`), or a cluster. Each file is read once a question.

    A file that is malformed is a row that says so.
    """

    def measure(self, files: DataFiles, wanted: Wanted) -> pa.Table:
        """The rows of `xtable_audit.values.measured_rows`, in the order of the files."""

    def count(self, files: DataFiles, columns: Sequence[Column], predicates: Sequence[Predicate]) -> pa.Table:
        """The matching live rows of each file: the rows of `matching_rows.counted_rows`, in the order of the files.

        `columns` are those of the predicates at least.
        """
