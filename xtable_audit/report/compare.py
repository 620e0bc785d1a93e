"""Compares the findings of release FROM, of release TO and of an upgrade in place. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from xtable_audit.model.figures import many
from xtable_audit.model.finding import SEVERITY, WRONG_ANSWERS, Blame, Finding, Verdict
from xtable_audit.model.fingerprint import examples
from xtable_audit.report.claim_states import JUDGED, ClaimState, ClaimStates, How, columns, cost
from xtable_audit.report.document import Document


class Change(StrEnum):
    """The change of one claim on one table, worst first."""

    NEW = "new"
    """TO breaks it, FROM does not."""
    LEFT_BEHIND = "left behind"
    """TO alone does not break it, but it stays broken after the upgrade in place."""
    NEWLY_READ = "newly read"
    """TO breaks it on a table that FROM refuses or does not translate, so that nobody reads it yet."""
    CHANGED = "changed"
    """Both break it, in another way or at another cost."""
    GONE = "registered but gone"
    """The register lists it as broken, but it holds."""
    COULD_NOT_RUN = "could not run"
    UNJUDGED = "no longer judged"
    """FROM judges it, and TO or the upgrade in place has nothing to compare, or no table that can be read."""
    STILL = "still there"
    FIXED = "fixed"
    """FROM breaks it; neither TO nor the upgrade in place does."""


ORDER = list(Change)
HUDIS_INDEXES = "Hudi's own indexes"
"""The kind of source of a table that XTable does not translate."""
MISLEADING = WRONG_ANSWERS | {Verdict.FAILED_SILENTLY}
"""What nothing warns a user of: wrong rows, and failures that nothing reports."""


@dataclass(frozen=True)
class Difference:
    """One claim on one table (and reader) that does not simply hold in all three runs."""

    change: Change
    test: str
    claim: str
    """The claim's id."""
    sentence: str
    table: str | None
    reader: str | None
    before: Finding | None = None
    after: Finding | None = None
    in_place: Finding | None = None
    why: str = ""
    """The reason, for a claim that could not run, is no longer judged, is gone, or breaks by the upgrade itself."""
    worse: bool = False
    """Whether the finding is worse or of another kind, or the upgrade itself causes it."""

    @property
    def finding(self) -> Finding | None:
        """The finding to show for the difference."""
        match self.change:
            case Change.LEFT_BEHIND:
                return self.in_place
            case Change.FIXED | Change.UNJUDGED:
                return self.before
            case _:
                return self.after or self.before or self.in_place

    @property
    def fails(self) -> bool:
        return self.change in (Change.NEW, Change.GONE) or self.worse

    @property
    def misleads(self) -> bool:
        """Whether TO silently gives wrong results where FROM gives right ones; False where FROM refuses the table."""
        broken = self.change is Change.NEW or (self.change is Change.CHANGED and self.worse)
        return broken and self.after is not None and self.after.verdict in MISLEADING

    @property
    def affects_readers(self) -> bool:
        return self.finding is not None and self.finding.verdict is not Verdict.COSMETIC

    @property
    def registered(self) -> str | None:
        """The register's entry of the shown finding, else of FROM's: TO may be a release that the register lacks."""
        shown = [self.finding, self.before] if self.change in (Change.STILL, Change.LEFT_BEHIND) else [self.finding]
        return next((one.registered for one in shown if one and one.registered), None)


def compare(
    before: Document, after: Document, in_place: Document | None, *, names: tuple[str, str] = ("FROM", "TO")
) -> list[Difference]:
    """Every difference between FROM, TO and, if run, the upgrade in place; worst first. Reasons call both by `names`.

    Claims about Hudi's own indexes are left out: XTable has no part in them.
    """
    b, a = ClaimStates(names[0], before), ClaimStates(names[1], after)
    p = ClaimStates("in place", in_place) if in_place is not None else None
    tests = dict.fromkeys([*a.claims, *b.claims, *(p.claims if p else ())])
    found = (one for test in tests for one in _differences(test, b, a, p))
    return sorted((one for one in found if after.sources.get(one.table or "") != HUDIS_INDEXES), key=_order)


def _differences(test: str, b: ClaimStates, a: ClaimStates, p: ClaimStates | None) -> Iterator[Difference]:
    claim = next(run.claims[test] for run in (a, b, p) if run and test in run.claims)
    shared = {field: getattr(claim, field) for field in ("test", "claim", "sentence", "table", "reader")}
    for run in (b, a):
        if run.gone(test):
            yield Difference(Change.GONE, **shared, why=f"{run.name}: {run.gone(test)}")
    before, after, in_place = b.state(test), a.state(test), p.state(test) if p else None
    unknown = [state for state in (before, after, in_place) if state and state.how is How.UNKNOWN]
    shared |= {"before": before.finding, "after": after.finding, "in_place": in_place and in_place.finding}
    if unknown:
        yield Difference(Change.COULD_NOT_RUN, **shared, why=unknown[0].why)
    lost = _no_longer_judged(before, ((a, after), (p, in_place)))
    if lost:
        yield Difference(Change.UNJUDGED, **shared, why=lost)
    stale = p is not None and in_place is not None and _is_stale(a, after, p, in_place)
    if stale:
        made = before.how in (How.HELD, How.NOTHING)
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
        case How.HELD | How.NOTHING, How.FOUND:
            yield Difference(Change.NEW, **shared)
        case How.REFUSED, How.FOUND:
            assert after.finding is not None
            yield Difference(Change.NEWLY_READ, **shared, worse=_is_graver(after.finding, Verdict.UNREADABLE))
        case How.FOUND, How.HELD if not stale and not unknown and not lost:
            yield Difference(Change.FIXED, **shared)


def _no_longer_judged(before: ClaimState, later: Iterable[tuple[ClaimStates | None, ClaimState | None]]) -> str:
    """Why a claim that FROM judges is not judged later on, with the run; "" if it is, or could not run.

    That a fault is not seen where nothing is compared does not show that it is fixed.
    """
    if before.how not in JUDGED:
        return ""
    lost = ((run, state) for run, state in later if run and state and state.how in (How.NOTHING, How.REFUSED))
    return next((f"{run.name}: {state.why}" for run, state in lost), "")


def _is_stale(a: ClaimStates, after: ClaimState, p: ClaimStates, in_place: ClaimState) -> bool:
    """Whether the upgrade in place leaves a finding that TO alone does not have, or has at less cost."""
    if in_place.finding is None or after.how is How.UNKNOWN:
        return False
    if after.how is How.REFUSED:
        return _is_graver(in_place.finding, Verdict.UNREADABLE)
    return after.finding is None or _is_worse(a, after.finding, p, in_place.finding)


def _is_same(one: ClaimStates, before: Finding, other: ClaimStates, after: Finding) -> bool:
    """Whether both are the same finding at the same cost. If their example files differ, their values may differ."""
    alike = (one.kind(before), cost(before), columns(before)) == (other.kind(after), cost(after), columns(after))
    of_other_files = examples(before.saw) != examples(after.saw)
    return alike and (of_other_files or one.words(before) == other.words(after))


def _is_worse(one: ClaimStates, before: Finding, other: ClaimStates, after: Finding) -> bool:
    """Whether `after` has a worse verdict, affects more, or is another kind of finding with the same verdict.

    If both are UNREADABLE, their kind does not count: the error messages of a release and of a jar may differ.
    """
    graver = SEVERITY.index(before.verdict) - SEVERITY.index(after.verdict)
    if graver:
        return graver > 0
    more = any(now > then for then, now in zip(cost(before), cost(after), strict=True))
    if more or after.verdict is Verdict.UNREADABLE:
        return more
    blamed = before.blame if after.blame == Blame.SOURCE_LAYOUT else after.blame  # blame on the layout is not worse
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
    """What findings affect. Each table counts once, with its largest numbers of files and rows."""

    tables: int
    files: int
    rows: int
    """Rows that readers lose, get twice, or get wrong, by the values."""

    def __str__(self) -> str:
        if not self.tables:
            return "nothing"
        rows = f"{many(self.rows, 'row')} lost or wrong" if self.rows else ""
        files = f"{many(self.files, 'file')} of {many(self.tables, 'table')}"
        return f"{rows}, in {files}" if rows else files


def total(findings: Iterable[Finding]) -> Cost:
    files: dict[str, int] = {}
    rows: dict[str, int] = {}
    for one in findings:
        files[one.table] = max(files.get(one.table, 0), one.impact.files + one.impact.unlisted)
        wrong = one.impact.rows_lost_or_wrong if one.verdict in WRONG_ANSWERS else 0
        rows[one.table] = max(rows.get(one.table, 0), wrong)
    return Cost(len(files), sum(files.values()), sum(rows.values()))


def of_differences(differences: Iterable[Difference]) -> Cost:
    """The cost of the findings that the differences show."""
    return total(one.finding for one in differences if one.finding)
