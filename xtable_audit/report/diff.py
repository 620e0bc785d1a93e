"""What is new, gone and changed between any two runs, of releases, weeks or snapshots; in lines and by causes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xtable_audit.model.figures import few, many
from xtable_audit.model.fingerprint import shape
from xtable_audit.model.printable import shortened
from xtable_audit.model.result import owner
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report import check_screen, first_screen
from xtable_audit.report.compare import Change, Cost, Difference, compare, of_differences
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.summary import LONGEST, MOST, verdict
from xtable_audit.report.text import plain, table


@dataclass(frozen=True)
class Alike:
    """Differences that are shown together."""

    name: str
    differences: tuple[Difference, ...]

    @property
    def shown(self) -> Difference:
        return self.differences[0]

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.table or "" for one in self.differences))

    @property
    def cost(self) -> Cost:
        return of_differences(self.differences)

    @property
    def where(self) -> str:
        return few(self.tables, 2)

    @property
    def whose(self) -> str:
        """Whose fault it is, in words."""
        return ", ".join(dict.fromkeys(owner(one.finding.blame) for one in self.differences if one.finding))


def measured(differences: Sequence[Difference]) -> str:
    """`3 claims, 7 rows lost or wrong, in 1 file of 1 table`."""
    return f"{many(len(differences), 'claim')}, {of_differences(differences)}"


def lines(differences: Sequence[Difference]) -> list[Alike]:
    """Those with the same claim, the same reason and similar findings, in the order of the worst of each."""
    alike: dict[tuple[str, ...], list[Difference]] = {}
    for one in differences:
        alike.setdefault((_head(one), one.claim, one.why, _seen(one)), []).append(one)
    return [Alike(head, tuple(some)) for (head, *_), some in alike.items()]


def by_cause(differences: Sequence[Difference]) -> list[Alike]:
    """Those of one entry of the register, or of one claim; those with most claims first."""
    alike: dict[str, list[Difference]] = {}
    for one in differences:
        alike.setdefault(one.registered or one.sentence.rstrip("."), []).append(one)
    made = (Alike(name, tuple(some)) for name, some in alike.items())
    return sorted(made, key=lambda one: -len(one.differences))


def _head(one: Difference) -> str:
    """`UNSOUND XTF-012 duckdb`, `LOOSE -> UNSOUND`."""
    if one.finding is None:
        return ""
    verdict = str(one.finding.verdict)
    if one.change is Change.CHANGED and one.before and one.before.verdict != verdict:
        verdict = f"{one.before.verdict} -> {verdict}"
    return " ".join(part for part in (verdict, one.registered, one.reader) if part)


def _seen(one: Difference) -> str:
    return shape(one.finding.saw.replace(SubjectId.parse(one.table or "\0").dataset, "\0")) if one.finding else ""


TITLES = {
    Change.NEW: "New",
    Change.NEWLY_READ: "Newly read, on a table that was refused before",
    Change.CHANGED: "Changed",
    Change.GONE: "Registered but gone",
    Change.FIXED: "Gone",
}
"""The changes in the order of the page. What is still there is counted alone."""
NAMES = ("before", "after")


@dataclass(frozen=True)
class Diff:
    before: Document
    after: Document
    differences: tuple[Difference, ...]
    """Worst first."""

    @property
    def runs(self) -> tuple[tuple[str, Document], tuple[str, Document]]:
        before, after = NAMES
        return (before, self.before), (after, self.after)

    @property
    def title(self) -> str:
        numbers = Counter(one.change for one in self.differences)
        short = {change: title.partition(",")[0].lower() for change, title in TITLES.items()}
        words = [f"{numbers[change]:,} {word}" for change, word in short.items() if numbers[change]]
        return ", ".join(words) or "No difference"

    def of(self, *changes: Change) -> list[Difference]:
        return [one for one in self.differences if one.change in changes]

    @property
    def not_compared(self) -> Counter[str]:
        """How many claims only one of the runs could check, or found anything to compare for, by the reason."""
        return Counter(one.why for one in self.of(Change.COULD_NOT_RUN, Change.UNJUDGED))


def diff(before: Document, after: Document) -> Diff:
    """Raises UnreadableDocument for an audit of the suite's tables beside a check of a user's own."""
    if (before.own_table is None) != (after.own_table is None):
        raise UnreadableDocument("One run is an audit and the other a check: name two of the same kind.")
    return Diff(before, after, tuple(compare(before, after, None, names=NAMES)))


def markdown(of: Diff) -> str:
    return "\n".join(_page(of)) + "\n"


def named(document: Document) -> str:
    """What the run is of, and when it began."""
    own = document.own_table
    line = check_screen.headline(own) if own else first_screen.headline(document)
    return f"{line} · {document.run.started:%Y-%m-%d %H:%M} UTC"


def _page(of: Diff) -> Iterator[str]:
    yield from [f"# {of.title}", ""]
    yield from table("| | run | verdict |", ((name, plain(named(one)), plain(verdict(one))) for name, one in of.runs))
    for change, title in TITLES.items():
        if found := of.of(change):
            yield from ["", f"## {title}: {measured(found)}", ""]
            rows = lines(found)
            yield from table("| | the claim | where | affects | stored |", map(_row, rows[:MOST]))
            yield from ["", f"and {len(rows) - MOST:,} more such lines"] if len(rows) > MOST else []
    if still := of.of(Change.STILL):
        causes = ", ".join(f"{plain(one.name)} ({len(one.differences):,})" for one in by_cause(still)[:MOST])
        yield from ["", f"Still there: {many(len(still), 'claim')}: {causes}"]
    if unknown := of.not_compared.total():
        yield from ["", f"Not compared: {many(unknown, 'claim')} that only one of the runs could check"]


def _row(line: Alike) -> list[str]:
    one = line.shown
    seen = one.finding.saw if one.finding else one.why
    cells = (line.name, one.sentence, ", ".join(line.tables), str(line.cost), seen)
    return [plain(shortened(text, LONGEST)) for text in cells]
