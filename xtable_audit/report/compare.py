"""What an upgrade changes: the findings of FROM, of TO, and of an upgrade in place, held against each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from xtable_audit.model.finding import SEVERITY, Blame, Finding, Verdict
from xtable_audit.model.fingerprint import examples
from xtable_audit.report.document import Document
from xtable_audit.report.states import How, Results, State, columns, cost


class Change(StrEnum):
    """What became of one claim on one table, worst first."""

    NEW = "new"
    """TO breaks it, FROM does not."""
    LEFT_BEHIND = "left behind"
    """TO alone does not break it, yet it is broken after the upgrade in place: stale for ever."""
    CHANGED = "changed"
    """Both break it, in another way or at another cost; or FROM refuses the table, and TO is no worse than that."""
    GONE = "registered but gone"
    """The register says it is broken, and it holds."""
    COULD_NOT_RUN = "could not run"
    STILL = "still there"
    FIXED = "fixed"
    """FROM breaks it, TO does not, nor the upgrade in place."""


ORDER = list(Change)
WRONG_ANSWERS = {Verdict.UNSOUND, Verdict.DUPLICATE, Verdict.STALE, Verdict.FAILED_SILENTLY}


@dataclass(frozen=True)
class Difference:
    """One claim on one table (and reader) that all three runs do not hold alike in silence."""

    change: Change
    test: str
    claim: str
    table: str | None
    reader: str | None
    before: Finding | None = None
    after: Finding | None = None
    in_place: Finding | None = None
    why: str = ""
    """In words, for what could not run, is gone, or comes of the upgrade itself."""
    worse: bool = False
    """Changed for the worse, or into another kind of finding; or made by the upgrade itself."""

    @property
    def finding(self) -> Finding | None:
        """The finding to show for it."""
        match self.change:
            case Change.LEFT_BEHIND:
                return self.in_place
            case Change.FIXED:
                return self.before
            case _:
                return self.after or self.before or self.in_place

    @property
    def fails(self) -> bool:
        return self.change in (Change.NEW, Change.GONE) or self.worse

    @property
    def misleads(self) -> bool:
        """Whether TO answers wrongly here, without a word, where FROM did not."""
        broken = self.change is Change.NEW or (self.change is Change.CHANGED and self.worse)
        return broken and self.after is not None and self.after.verdict in WRONG_ANSWERS


def compare(before: Document, after: Document, in_place: Document | None) -> list[Difference]:
    """Every difference, worst first, between FROM, TO and the upgrade in place, if run."""
    b, a = Results("FROM", before), Results("TO", after)
    p = Results("in place", in_place) if in_place is not None else None
    tests = dict.fromkeys([*a.claims, *b.claims, *(p.claims if p else ())])
    return sorted((one for test in tests for one in _differences(test, b, a, p)), key=_order)


def _differences(test: str, b: Results, a: Results, p: Results | None) -> Iterator[Difference]:
    claim = next(run.claims[test] for run in (a, b, p) if run and test in run.claims)
    shared = {field: getattr(claim, field) for field in ("test", "claim", "table", "reader")}
    for run in (b, a):
        if run.gone(test):
            yield Difference(Change.GONE, **shared, why=f"{run.name}: {run.gone(test)}")
    before, after, in_place = b.state(test), a.state(test), p.state(test) if p else None
    unknown = [state for state in (before, after, in_place) if state and state.how is How.UNKNOWN]
    shared |= {"before": before.finding, "after": after.finding, "in_place": in_place and in_place.finding}
    if unknown:
        yield Difference(Change.COULD_NOT_RUN, **shared, why=unknown[0].why)
    stale = p is not None and in_place is not None and _is_stale(a, after, p, in_place)
    if stale:
        made = before.how is How.HELD
        why = "neither release alone does it: the upgrade itself makes it" if made else ""
        yield Difference(Change.LEFT_BEHIND, **shared, why=why, worse=made)
    match before.how, after.how:
        case How.FOUND, How.FOUND:
            assert before.finding is not None
            assert after.finding is not None
            if _is_same(b, before.finding, a, after.finding):
                yield Difference(Change.STILL, **shared)
            else:
                yield Difference(Change.CHANGED, **shared, worse=_is_worse(b, before.finding, a, after.finding))
        case How.HELD, How.FOUND:
            yield Difference(Change.NEW, **shared)
        case How.REFUSED, How.FOUND:
            assert after.finding is not None
            change = Change.NEW if _is_graver(after.finding, Verdict.UNREADABLE) else Change.CHANGED
            yield Difference(change, **shared, why="FROM has no such table at all")
        case How.FOUND, How.HELD if not stale and not unknown:
            yield Difference(Change.FIXED, **shared)


def _is_stale(a: Results, after: State, p: Results, in_place: State) -> bool:
    """Whether the upgrade in place leaves something that TO alone does not do, or does at less cost."""
    if in_place.finding is None or after.how is How.UNKNOWN:
        return False
    if after.how is How.REFUSED:
        return _is_graver(in_place.finding, Verdict.UNREADABLE)
    return after.finding is None or _is_worse(a, after.finding, p, in_place.finding)


def _is_same(one: Results, before: Finding, other: Results, after: Finding) -> bool:
    """Whether the same is seen at the same cost. Each tells one of the files alike, and another has other values."""
    alike = (one.kind(before), cost(before), columns(before)) == (other.kind(after), cost(after), columns(after))
    of_other_files = examples(before.saw) != examples(after.saw)
    return alike and (of_other_files or one.words(before) == other.words(after))


def _is_worse(one: Results, before: Finding, other: Results, after: Finding) -> bool:
    """Whether `after` is the graver verdict or touches more, or is another kind of finding as grave as `before`.

    Not where both refuse the table: in other words, perhaps, for a release's and a jar's are not put alike.
    """
    graver = SEVERITY.index(before.verdict) - SEVERITY.index(after.verdict)
    if graver:
        return graver > 0
    more = any(now > then for then, now in zip(cost(before), cost(after), strict=True))
    if more or after.verdict is Verdict.UNREADABLE:
        return more
    blamed = before.blame if after.blame == Blame.SOURCE_LAYOUT else after.blame  # nobody's fault is no worse
    return one.kind(before) != other.kind(replace(after, blame=blamed)) or not columns(after) <= columns(before)


def _is_graver(finding: Finding, than: Verdict) -> bool:
    return SEVERITY.index(finding.verdict) < SEVERITY.index(than)


def _order(one: Difference) -> tuple[int, int, int, str]:
    finding = one.finding
    if finding is None:
        return ORDER.index(one.change), len(SEVERITY), 0, one.test
    return ORDER.index(one.change), SEVERITY.index(finding.verdict), -cost(finding)[1], one.test


@dataclass(frozen=True)
class Cost:
    """What findings touch, each table counted once, by its gravest finding."""

    tables: int
    files: int
    rows: int

    def __str__(self) -> str:
        if not self.tables:
            return "nothing"
        return " of ".join([f"{many(self.rows, 'row')} in {many(self.files, 'file')}", many(self.tables, "table")])


def total(differences: Iterable[Difference]) -> Cost:
    """The cost of all of them. Unlisted files count as files without rows: nobody has counted those."""
    files: dict[str, int] = {}
    rows: dict[str, int] = {}
    for one in differences:
        if one.finding is not None:
            table, (touched, held, unlisted) = one.table or "", cost(one.finding)
            files[table] = max(files.get(table, 0), touched + unlisted)
            rows[table] = max(rows.get(table, 0), held)
    return Cost(len(files), sum(files.values()), sum(rows.values()))


def many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
