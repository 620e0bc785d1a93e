"""Leaves out what is missing from the metadata because the table's properties or the specification leave it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow as pa

from xtable_audit.claims.bounds import bounds_are_present, bounds_are_tight, points_skip_what_exact_bounds_would
from xtable_audit.claims.counts import null_counts_are_exact, value_counts_are_exact
from xtable_audit.claims.deviation import ABSENT, Deviation, TableClaim
from xtable_audit.formats.targets import target_of
from xtable_audit.formats.writer import MetadataWriter
from xtable_audit.model.finding import Verdict
from xtable_audit.model.set_aside import SetAside
from xtable_audit.model.truncation import TRUNCATED
from xtable_audit.table.metrics_mode import MetricsMode
from xtable_audit.table.stored_metrics import StoredMetrics

OF_BOUNDS = (bounds_are_present, points_skip_what_exact_bounds_would)
OF_LENGTH = (bounds_are_tight, points_skip_what_exact_bounds_would)
OF_COUNTS = (value_counts_are_exact, null_counts_are_exact)
OPTIONAL = {value_counts_are_exact: "value counts", null_counts_are_exact: "null counts"}
HARMLESS = (Verdict.LOOSE, Verdict.COSMETIC)


@dataclass
class AsConfigured:
    """`aside` has what was left out, with the property that asks for it."""

    stored: StoredMetrics
    writer: MetadataWriter
    aside: dict[SetAside, None] = field(default_factory=dict)

    def left(self, claim: TableClaim, deviations: Iterable[Deviation]) -> list[Deviation]:
        """The deviations that nothing explains. Wrong results are never explained.

        Counts are optional: without them readers may skip fewer files for IS NULL and IS NOT NULL, and answer the same.
        What XTable leaves out of its own accord is a finding all the same: the source has it.
        """
        return [one for one in deviations if not self._explains(claim, one)]

    def _explains(self, claim: TableClaim, one: Deviation) -> bool:
        if (one.verdict or claim.breaks) not in HARMLESS:
            return False
        mode = self._modes.get(one.column or "")
        if mode is not None and (what := self._left_out(claim, one, mode)):
            return self._note(f"{what}, as {mode.because}", one)
        if claim in OPTIONAL and one.kind == ABSENT and not self.writer.is_xtable:
            return self._note(f"{OPTIONAL[claim]} are not stored of every file; they are optional", one)
        return False

    def _note(self, reason: str, one: Deviation) -> bool:
        self.aside[SetAside(reason, column=one.column)] = None
        return True

    def _left_out(self, claim: TableClaim, one: Deviation, mode: MetricsMode) -> str:
        if one.kind == ABSENT and claim in OF_BOUNDS and not mode.bounds:
            return "no bounds are stored"
        if one.kind == ABSENT and claim in OF_COUNTS and not mode.counts:
            return "no counts are stored"
        if claim in OF_LENGTH and mode.length is not None and mode.length < TRUNCATED and self._is_text(one.column):
            return "bounds are cut"
        return ""

    def _is_text(self, column: str | None) -> bool:
        return any(
            leaf.path == column and (pa.types.is_string(leaf.arrow) or pa.types.is_binary(leaf.arrow))
            for leaf in self.stored.leaves
        )

    @cached_property
    def _modes(self) -> dict[str, MetricsMode]:
        """XTable takes what its source has, whatever the number of columns."""
        found = target_of(self.stored.metadata_location).check.modes(self.stored).items()
        return {path: mode for path, mode in found if not (self.writer.is_xtable and mode.by_number)}
