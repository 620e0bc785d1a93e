"""Leaves out of findings what the table's properties or the specification leave out, and what the user ignores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

import pyarrow as pa

from xtable_audit.claims.bounds import bounds_are_present, bounds_are_tight, points_skip_what_exact_bounds_would
from xtable_audit.claims.counts import null_counts_are_exact, value_counts_are_exact
from xtable_audit.claims.deviation import ABSENT, Deviation, TableClaim
from xtable_audit.formats.check_support import MetadataWriter
from xtable_audit.formats.installed import target_of
from xtable_audit.model.finding import Finding, Verdict
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.own_table import Ignored, State, ignores
from xtable_audit.model.result import ClaimResult, SetAside
from xtable_audit.model.target_rules import TRUNCATED
from xtable_audit.register.ignore_file import IgnoreEntry, in_force
from xtable_audit.table.optional_metrics import MetricsMode
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


JUDGED = (Outcome.HELD, Outcome.FINDING, Outcome.KNOWN, Outcome.NOT_APPLICABLE)


@dataclass
class Ignores:
    """The entries for one table; `ended` no longer count."""

    entries: tuple[IgnoreEntry, ...] = ()
    ended: tuple[IgnoreEntry, ...] = ()
    _used: set[IgnoreEntry] = field(default_factory=set)

    @classmethod
    def of(cls, entries: Iterable[IgnoreEntry], *names: str, today: date | None = None) -> Ignores:
        """`names` are those of the table. `today` is that of UTC, unless it is given."""
        return cls(*in_force(entries, *names, today=today))

    def left(self, claim: TableClaim, deviations: list[Deviation]) -> list[Deviation]:
        """The deviations without those of ignored columns, if there are others: the finding is then of the others.

        Otherwise all of them: the finding is shown, and does not count.
        """
        by_column = {one.column: one for one in self.entries if one.claim == claim.id and one.column}
        others = [one for one in deviations if one.column not in by_column]
        if others and len(others) < len(deviations):
            self._used |= {by_column[one.column] for one in deviations if one.column in by_column}
        return others or deviations

    def excuse(self, finding: Finding) -> str:
        """Why the finding is ignored, in a clause; "" if it is not."""
        return ignores([_row(one, "matched") for one in self.entries], finding)

    def matching(self, finding: Finding) -> list[IgnoreEntry]:
        """The entries that name the finding, or a column that was left out of its claim."""
        return [one for one in self.entries if one in self._used or _matches(one, finding)]

    def rows(self, results: Sequence[ClaimResult], *, partly: bool) -> tuple[Ignored, ...]:
        """What became of each entry. `partly`: part of the table, or of the claims, was judged."""
        counting = [_row(one, self._state(one, results, partly)) for one in self.entries]
        return (*counting, *(_row(one, "ended") for one in self.ended))

    def _state(self, entry: IgnoreEntry, results: Sequence[ClaimResult], partly: bool) -> State:
        found = (result.finding for result in results if result.finding)
        if entry in self._used or any(_matches(entry, one) for one in found):
            return "matched"
        judged = not entry.claim or any(one.claim == entry.claim and one.outcome in JUDGED for one in results)
        return "unmatched" if judged and not partly else "not judged"


def _row(entry: IgnoreEntry, state: State) -> Ignored:
    return Ignored(entry.finding, entry.claim, entry.column, entry.reason, entry.until.isoformat(), state)


def _matches(entry: IgnoreEntry, finding: Finding) -> bool:
    if entry.finding:
        return entry.finding == finding.registered
    return entry.claim == finding.claim and (not entry.column or entry.column in finding.columns)
