"""Whose fault a finding is, by what the controls show of the same files. Knows no table, no reader and no JVM.

The first control is another translator, PyIceberg's `add_files`: what it leaves out as well, of the same file and
column, lies in the files (`source layout`); a false value is false, whoever else writes it. It reads footers by itself,
so it cannot tell XTable from the code that XTable relies on. The second is that code: what Hudi answers (`xtable via
hudi`), or Delta's log says (`delta`), of the same file and column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from xtable_audit.blame.source_stats import SourceStats
from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.claims.schema import field_ids_are_unique, required_columns_have_no_nulls
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Verdict, worst
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.judge_planner import select
from xtable_audit.subject.case import Case

Ruling = tuple[Blame, str]
"""Whose fault it is, and why it lies there, in a clause."""

ON_METRICS = ("bounds", "counts", "twins")
"""Families of claims on what the source itself says of its files."""


@dataclass(frozen=True)
class Teller:
    blame: Blame
    says: str


TELLERS = {
    "hudi": Teller(Blame.XTABLE_VIA_HUDI, "Hudi, asked of the same files and columns, says"),
    "delta": Teller(Blame.DELTA, "the statistics in the Delta log say"),
}
"""Whom XTable relies on for what it says of a source's files."""


@dataclass(frozen=True)
class Site:
    """Where a claim breaks and how: one file and column, or the words of what was seen, where it names no file."""

    file: str
    column: str | None
    kind: str
    verdict: Verdict


def sites(claim: Claim[Any, Deviation], case: Case, found: Iterable[Deviation]) -> frozenset[Site]:
    paths = case.stored.paths
    return frozenset(
        Site(file, one.column, one.kind, one.verdict or claim.breaks)
        for one in found
        for file in ([paths[place] for place in one.places] or [one.saw])
    )


def gravest(found: frozenset[Site]) -> frozenset[Site]:
    """Those that give the finding its verdict."""
    verdict = worst([site.verdict for site in found])
    return frozenset(site for site in found if site.verdict == verdict)


@dataclass(frozen=True)
class Control:
    """What the control translator does by the same claim."""

    sites: frozenset[Site]
    unable: frozenset[str] = frozenset()
    """Columns of which it never writes anything, whatever they hold."""

    @classmethod
    def of(cls, claim: TableClaim, case: Case) -> Control:
        """PyIceberg's `add_files` writes nothing of columns in structs."""
        top = {field.name for field in case.stored.schema.fields}
        inner = frozenset(leaf.path for leaf in case.stored.leaves if leaf.path not in top)
        return cls(sites(claim, case, claim.deviations(case)), inner if claim.family in ON_METRICS else frozenset())

    def acquits(self, site: Site) -> bool:
        """What it leaves out as well. A false value is false, whoever else writes it: it could have been left out."""
        legal = (site.kind, site.verdict) != ("false", Verdict.UNSOUND)
        return legal and site in self.sites and site.column not in self.unable


Lost = Mapping[Predicate, frozenset[str]]
"""Predicate -> files with matching rows that are dropped for it."""


def _lost(predicate: Predicate, files: Iterable[str]) -> set[Site]:
    return {Site(file, str(predicate), "absent", Verdict.UNSOUND) for file in files}


@dataclass(frozen=True)
class Relied:
    """What the source itself says, by the same claim: of the files that it was asked of."""

    teller: str
    sites: frozenset[Site]
    files: frozenset[str]
    silent: frozenset[str] = frozenset()
    """Those of whose columns it says nothing at all: it is configured so."""

    @classmethod
    def of(cls, claim: TableClaim, case: Case, stats: SourceStats) -> Relied:
        """`case` is that of `xtable_audit.blame.source_stats.told_by_source`."""
        silent = frozenset(file for file, told in stats.files.items() if not told["columns"])
        return cls(stats.teller, sites(claim, case, claim.deviations(case)), frozenset(stats.files), silent)

    @classmethod
    def of_losses(cls, case: Case, stats: SourceStats, losses: Lost) -> Relied:
        """The files that its metrics alone would lose. Partition tuples are not its statement."""
        paths, lost = case.stored.paths, set()
        for predicate, files in losses.items():
            kept = select(case.stored, predicate, by_tuples=False)
            lost |= _lost(predicate, files & {paths[place] for place in np.flatnonzero(~kept)})
        return cls(stats.teller, frozenset(lost), frozenset(stats.files))

    def errs(self, site: Site) -> bool:
        return site in self.sites and site.file in self.files


def of_translation(seen: frozenset[Site], control: Control | None, relied: Relied | str) -> Ruling:
    """Of what XTable wrote. `control` is None where the control translator has no such table; `relied` are the words
    that say why the source was not asked, none where it says nothing of the matter.
    """
    left = gravest(seen)
    if control is not None:
        left = frozenset(site for site in left if not control.acquits(site) or _was_told_the_truth(site, relied))
    if not left:
        return Blame.SOURCE_LAYOUT, "the control translator does the same to the same files and columns"
    erring = left if isinstance(relied, str) else frozenset(site for site in left if relied.errs(site))
    if isinstance(relied, Relied) and {site.file for site in left} <= relied.silent:
        return Blame.CONFIGURATION, "the source is configured to keep no statistics, and XTable reads no others"
    return _by_relied((Blame.XTABLE, _beside(left, control)), relied, len(left), len(erring))


def _was_told_the_truth(site: Site, relied: Relied | str) -> bool:
    """Whether the source was right there: then XTable errs, even if the control does too."""
    return isinstance(relied, Relied) and site.file in relied.files and not relied.errs(site)


def _by_relied(ruling: Ruling, relied: Relied | str, all: int, erring: int) -> Ruling:
    """XTable's own fault, unless what it relies on errs everywhere that it errs."""
    blame, because = ruling
    if isinstance(relied, str):
        return blame, f"{because}; {relied}" if relied else because
    teller = TELLERS[relied.teller]
    if erring == all:
        return teller.blame, f"{teller.says} the same; {because}"
    where = f" in {all - erring} of {all} places" if erring else ""
    return blame, f"{teller.says} the truth{where}; {because}"


def _beside(left: frozenset[Site], control: Control | None) -> str:
    """What the control translator does where it does not acquit."""
    if control is None:
        return "XTable wrote this metadata, and the control translator none of this source"
    if any(site in control.sites and site.column not in control.unable for site in left):
        return "the control translator does the same there, which acquits nobody"
    if left & control.sites:
        return "the control translator writes nothing of columns in structs, which acquits nobody"
    if {(site.file, site.column) for site in left} & {(site.file, site.column) for site in control.sites}:
        return "the control translator errs there in another way"
    return "the control translator holds it there"


def of_losses(author: Ruling, losses: Lost, control: int | None, relied: Relied | str) -> Ruling:
    """Of matching files that whoever trusts the metadata drops. `author` wrote it; `control` is for how many predicates
    the control translator's metadata drops such files, None where it was not asked.
    """
    blame, because = author
    if blame != Blame.XTABLE:
        return author
    if control is not None:
        also = f"loses rows of {many(control)}" if control else "loses none"
        because = f"{because}; the control translator's over the same source {also}"
    lost = {site for predicate, files in losses.items() for site in _lost(predicate, files)}
    erring = lost if isinstance(relied, str) else {site for site in lost if relied.errs(site)}
    return _by_relied((blame, because), relied, len(lost), len(erring))


def of_a_planner(author: Ruling, planner: str, case: Case, lost: Iterable[tuple[str, frozenset[str]]]) -> Ruling:
    """Of matching files (column, files) that one planner alone drops: its own fault unless the schema or the spec lies.

    IS NULL on what the schema calls required is answered without a look (Iceberg spec, Schemas). Bounds and tuples are
    found by field ids, which are each one column's or one partition field's (Schemas; Partition Specs).
    """
    blame, because = author
    if len({field.field_id for field in case.stored.spec.fields}) < len(case.stored.spec.fields):
        return blame, f"{planner} goes by the spec's field ids, and two fields have one; {because}"
    lies = {
        (site.file, site.column)
        for claim in (required_columns_have_no_nulls, field_ids_are_unique)
        for site in sites(claim, case, claim.deviations(case))
    }
    if all((file, column) in lies for column, files in lost for file in files):
        return blame, f"{planner} believes the schema, which is false; {because}"
    return Blame.reader(planner), f"{planner} alone drops them"


def of_a_reader(reader: str, fares_no_better: bool) -> Ruling:
    """Of what a reader does although the metadata keeps every matching file; the control's table was tried too."""
    if fares_no_better:
        return Blame.reader(reader), "it fares no better on the control translator's table over the same source"
    return Blame.XTABLE, "the reader does not do it on the control translator's table over the same source"


def of_a_failed_sync(author: Ruling, failures: Iterable[str], words: str) -> Ruling:
    """XTable's own, unless Hudi, asked for the same files, fails by the same exception."""
    theirs = next((told for told in failures if _exception(told) and _exception(told) in words), None)
    if author[0] == Blame.XTABLE and theirs is not None:
        return Blame.XTABLE_VIA_HUDI, f"Hudi's own function fails by it, asked for the same files: {theirs}"
    return author


def _exception(words: str) -> str:
    return words.rpartition("caused by ")[2].partition(":")[0].strip()


def many(predicates: int) -> str:
    return "1 predicate" if predicates == 1 else f"{predicates:,} predicates"
