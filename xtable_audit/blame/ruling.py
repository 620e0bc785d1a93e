"""Decides whose fault a finding is, by two controls over the same files. Uses no table, reader or JVM itself.

The first control is another translator, PyIceberg's `add_files`. What it also omits, for the same file and column, is
due to the files (`source layout`); a false value stays a fault, even if the control writes it too. It reads footers
itself, so it cannot distinguish XTable from the code that XTable relies on. The second control is that code: the
statistics of Hudi (`xtable via hudi`), of Delta's log (`delta`) or of Iceberg's manifests (`iceberg`) for the same file
and column.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from xtable_audit.blame.source_stats import Carried, SourceStats, carried, with_source_statistics
from xtable_audit.claims.deviation import ABSENT, FALSE, Deviation, TableClaim
from xtable_audit.formats.installed import source_format
from xtable_audit.model.claim import Claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Blame, Verdict, worst
from xtable_audit.model.predicate import Predicate, columns_of
from xtable_audit.model.sync import Thrown
from xtable_audit.planning.judge_planner import select
from xtable_audit.subject.case import Case

Ruling = tuple[Blame, str]
"""The blame, and its reason in a clause."""

COUNTS = "counts"
ON_METRICS = ("bounds", COUNTS, "twins")
"""Families of claims about values that the source's own statistics hold too."""
OF_BOUNDS, OF_COUNTS = ("lower", "upper"), ("null_count",)
"""The metrics that claims of the family `counts` are not about, and those that they are."""


@dataclass(frozen=True)
class Site:
    """Where and how a claim breaks."""

    file: str | None
    """The path of a data file; None if the deviation is of none."""
    column: str | None
    kind: str
    verdict: Verdict
    stored: str = ""
    """What is stored there, if the deviation is of no data file: two tables break the claim alike if it is the same."""

    @property
    def place(self) -> tuple[str | None, str, str | None]:
        return self.file, self.stored, self.column


def sites(claim: Claim[Any, Deviation], case: Case, found: Iterable[Deviation]) -> frozenset[Site]:
    paths = case.stored.paths
    return frozenset(
        Site(file, one.column, one.kind, one.verdict or claim.breaks, one.saw if file is None else "")
        for one in found
        for file in (tuple(paths[place] for place in one.places) or (None,))
    )


def gravest(found: frozenset[Site]) -> frozenset[Site]:
    """The sites with the worst verdict, which is the finding's."""
    verdict = worst([site.verdict for site in found])
    return frozenset(site for site in found if site.verdict == verdict)


@dataclass(frozen=True)
class Control:
    """Where the control translator's table breaks the same claim."""

    sites: frozenset[Site]
    unable: frozenset[str] = frozenset()
    """Columns for which it never writes metrics."""

    @classmethod
    def of(cls, claim: TableClaim, case: Case) -> Control:
        """PyIceberg's `add_files` writes no metrics for columns in structs."""
        inner = frozenset(leaf.path for leaf in case.stored.leaves if leaf.parent is not None)
        return cls(sites(claim, case, claim.deviations(case)), inner if claim.family in ON_METRICS else frozenset())

    def acquits(self, site: Site) -> bool:
        """Whether the control breaks the claim there too.

        It never acquits what is false, misleads a reader and could be omitted: a value, or a column.
        """
        legal = site.kind != FALSE or site.verdict not in (Verdict.UNSOUND, Verdict.STALE)
        return legal and site in self.sites and site.column not in self.unable


Lost = Mapping[Predicate, frozenset[str]]
"""Predicate -> matching files that are dropped for it."""


def _lost(predicate: Predicate, files: Iterable[str]) -> set[Site]:
    return {Site(file, str(predicate), ABSENT, Verdict.UNSOUND) for file in files}


@dataclass(frozen=True)
class Relied:
    """Where the source's own statistics break the same claim. `files` are those with recorded statistics."""

    source: str
    sites: frozenset[Site]
    files: frozenset[str]
    silent: frozenset[str] = frozenset()
    """Files without statistics of any column, which is a matter of the source's configuration."""
    carried: Carried | None = None
    """Where the target has the source's own metrics; None if the source is to blame elsewhere too."""

    @classmethod
    def of(cls, claim: TableClaim, case: Case, stats: SourceStats) -> Relied:
        """`case` is the target's."""
        own = with_source_statistics(case, stats)
        silent = frozenset(file for file, statistics in stats.files.items() if not statistics["columns"])
        metrics = OF_COUNTS if claim.family == COUNTS else OF_BOUNDS
        same = carried(case, stats, metrics) if _must_be_carried(stats) else None
        return cls(stats.source, sites(claim, own, claim.deviations(own)), frozenset(stats.files), silent, same)

    @classmethod
    def of_losses(cls, case: Case, stats: SourceStats, losses: Lost) -> Relied:
        """The files that its metrics alone drop. Its statistics hold no partition tuples."""
        own = with_source_statistics(case, stats).stored
        same = carried(case, stats, (*OF_BOUNDS, *OF_COUNTS)) if _must_be_carried(stats) else None
        lost = set()
        for predicate, files in losses.items():
            kept = select(own, predicate, by_tuples=False)
            here = files & {own.paths[place] for place in np.flatnonzero(~kept)}
            lost |= _lost(predicate, (file for file in here if same is None or _all_in(same, file, predicate)))
        return cls(stats.source, frozenset(lost), frozenset(stats.files))

    def errs(self, site: Site) -> bool:
        passed_on = self.carried is None or (site.file, site.column) in self.carried
        return site in self.sites and site.file in self.files and passed_on


def _must_be_carried(stats: SourceStats) -> bool:
    own = source_format(stats.source).statistics
    return own is not None and own.carried


def _all_in(carried: Carried, file: str, predicate: Predicate) -> bool:
    return all((file, column) in carried for column in columns_of(predicate))


def of_translation(seen: frozenset[Site], control: Control | None, relied: Relied | str) -> Ruling:
    """The ruling on metadata that XTable wrote. `control` is None if the control translator has no such table. `relied`
    is a text if there are no source statistics to compare: the reason, or "" if they do not bear on the claim.
    """
    left = gravest(seen)
    if control is not None:
        left = frozenset(site for site in left if not control.acquits(site) or _source_is_right(site, relied))
    if not left:
        return Blame.SOURCE_LAYOUT, "the control translator does the same to the same files and columns"
    erring = left if isinstance(relied, str) else frozenset(site for site in left if relied.errs(site))
    if isinstance(relied, Relied) and {site.file for site in left} <= relied.silent:
        return Blame.CONFIGURATION, "the source is configured to keep no statistics, and XTable reads no others"
    return _by_relied((Blame.XTABLE, _beside(left, control)), relied, len(left), len(erring))


def _source_is_right(site: Site, relied: Relied | str) -> bool:
    """Whether the source's statistics are right there: then XTable errs, even if the control errs too."""
    return isinstance(relied, Relied) and site.file in relied.files and not relied.errs(site)


def _by_relied(ruling: Ruling, relied: Relied | str, all: int, erring: int) -> Ruling:
    """XTable's own fault, unless the statistics it relies on are wrong in every place."""
    blame, because = ruling
    if isinstance(relied, str):
        return blame, f"{because}; {relied}" if relied else because
    source = source_format(relied.source).statistics
    assert source is not None, f"{relied.source} has no statistics of its own"
    alike, unlike = ("the same", "others") if source.carried else ("wrong too", "right")
    if erring == all:
        return source.blame, f"{source.phrase} {alike}; {because}"
    where = f" in {all - erring} of {all} places" if erring else ""
    return blame, f"{source.phrase} {unlike}{where}; {because}"


def _beside(left: frozenset[Site], control: Control | None) -> str:
    """What the control translator does at the sites that it does not acquit."""
    if control is None:
        return "XTable wrote this metadata, and the control translator none of this source"
    if any(site in control.sites and site.column not in control.unable for site in left):
        return "the control translator does the same there, which acquits nobody"
    if left & control.sites:
        return "the control translator writes no metrics of columns in structs, which acquits nobody"
    if {site.place for site in left} & {site.place for site in control.sites}:
        return "the control translator errs there in another way"
    return "the control translator's metadata is right there"


def of_losses(author: Ruling, losses: Lost, control: int | None, relied: Relied | str) -> Ruling:
    """The ruling on matching files that a planner drops because it trusts the metadata. `author` is the ruling on the
    metadata's writer. `control` is the number of predicates for which the control translator's metadata drops matching
    files; None if not measured.
    """
    blame, because = author
    if blame != Blame.XTABLE:
        return author
    if control is not None:
        also = f"loses rows of {many(control, 'predicate')}" if control else "loses none"
        because = f"{because}; the control translator's over the same source {also}"
    lost = {site for predicate, files in losses.items() for site in _lost(predicate, files)}
    erring = lost if isinstance(relied, str) else {site for site in lost if relied.errs(site)}
    return _by_relied((blame, because), relied, len(lost), len(erring))


def of_a_planner(author: Ruling, planner: str, case: Case) -> Ruling:
    """The ruling on matching files that one planner alone drops: its own fault, unless two fields of the spec have one
    id, which must be unique (Iceberg spec, Partition Specs).
    """
    blame, because = author
    if len({field.id for field in case.stored.partitioning.spec}) < len(case.stored.partitioning.spec):
        return blame, f"{planner} goes by the spec's field ids, and two fields have one; {because}"
    return Blame.reader(planner), f"{planner} alone drops them"


def of_a_reader(reader: str, fares_no_better: bool) -> Ruling:
    """The ruling on a reader that errs although the metadata keeps every matching file. `fares_no_better`: whether it
    also errs on the control's table.
    """
    if fares_no_better:
        return Blame.reader(reader), "it fares no better on the control translator's table over the same source"
    return Blame.XTABLE, "the reader does not do it on the control translator's table over the same source"


def of_a_failed_sync(author: Ruling, failures: Iterable[Thrown], exceptions: Collection[str]) -> Ruling:
    """XTable's own fault, unless Hudi's own function fails on the same files with the same exception. `exceptions` are
    those of the sync.
    """
    theirs = next((one for one in failures if one.exception in exceptions), None)
    if author[0] == Blame.XTABLE and theirs is not None:
        return Blame.XTABLE_VIA_HUDI, f"Hudi's own function fails on the same files: {theirs.words}"
    return author
