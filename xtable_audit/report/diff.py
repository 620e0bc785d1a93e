"""What is new, gone and changed between any two runs, in Markdown: of releases, of weeks, of one table's snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from xtable_audit.model.figures import many
from xtable_audit.model.printable import shortened
from xtable_audit.report import check_screen, first_screen
from xtable_audit.report.compare import Change, Difference, compare, of_differences
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.gate_page import Line, by_cause, lines
from xtable_audit.report.markdown import plain
from xtable_audit.report.summary import LONGEST, MOST, verdict

TITLES = {
    Change.NEW: "New",
    Change.NEWLY_READ: "New, on a table that was refused before",
    Change.CHANGED: "Changed",
    Change.GONE: "Registered but gone",
    Change.FIXED: "Gone",
}
"""The changes in the order of the page. What is still there is counted alone."""


def diff(before: Document, after: Document) -> str:
    """Raises UnreadableDocument for an audit of the suite's tables beside a check of a user's own."""
    if (before.own_table is None) != (after.own_table is None):
        raise UnreadableDocument("One run is an audit and the other a check: name two of the same kind.")
    found = compare(before, after, None)
    return "\n".join(_page(before, after, found)) + "\n"


def _page(before: Document, after: Document, found: Sequence[Difference]) -> Iterator[str]:
    numbers = Counter(one.change for one in found)
    words = [f"{numbers[change]:,} {title.lower()}" for change, title in TITLES.items() if numbers[change]]
    yield from [f"# {', '.join(words) or 'No difference'}", "", "| | run | verdict |", "|---|---|---|"]
    for name, document in (("before", before), ("after", after)):
        yield f"| {name} | {plain(_named(document))} | {plain(verdict(document))} |"
    for change, title in TITLES.items():
        if of := [one for one in found if one.change is change]:
            yield from ["", f"## {title}: {many(len(of), 'claim')}, {of_differences(of)}", ""]
            yield from ["| | the claim | where | affects | stored |", "|---|---|---|---|---|"]
            rows = lines(of)
            yield from map(_row, rows[:MOST])
            yield from ["", f"and {len(rows) - MOST:,} more such lines"] if len(rows) > MOST else []
    if still := [one for one in found if one.change is Change.STILL]:
        causes = ", ".join(f"{plain(cause)} ({len(alike):,})" for cause, alike in list(by_cause(still).items())[:MOST])
        yield from ["", f"Still there: {many(len(still), 'claim')}: {causes}"]
    if unknown := numbers[Change.COULD_NOT_RUN]:
        yield from ["", f"Not compared: {many(unknown, 'claim')} that only one of the runs could check"]


def _named(document: Document) -> str:
    own = document.own_table
    line = check_screen.headline(own) if own else first_screen.headline(document)
    return f"{line} · {document.run.started:%Y-%m-%d %H:%M} UTC"


def _row(line: Line) -> str:
    one = line.differences[0]
    seen = one.finding.saw if one.finding else one.why
    cells = (line.head, line.sentence, ", ".join(line.tables), str(of_differences(line.differences)), seen)
    return f"| {' | '.join(plain(shortened(text, LONGEST)) for text in cells)} |"
