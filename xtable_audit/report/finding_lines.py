"""One finding of a user's own table on the terminal: what is wrong, whose fault it is, and what mends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from xtable_audit.model.finding import Finding, Impact
from xtable_audit.report.document import Document
from xtable_audit.report.folded import folded, labelled, to_copy
from xtable_audit.report.what_to_do import what_to_do

NAMED = 3
"""Maximum number of known findings that are named as its cause."""


NOTHING = "no remedy is known"
AS_ABOVE = "as above"


def findings_lines(groups: Iterable[Sequence[Finding]], document: Document) -> Iterator[Text]:
    """Each group of findings with one cause. A remedy of several is printed once."""
    printed: set[str] = set()
    for group in groups:
        yield from finding_lines(group, document, _remedies(group, document, printed))


def finding_lines(group: Sequence[Finding], document: Document, remedies: Sequence[str]) -> Iterator[Text]:
    """The first finding of the group; the others have its cause."""
    finding, *others = group
    accepted = document.own_table is not None and finding.registered in document.own_table.accepted
    status = f"known as {finding.registered}" if finding.registered else "not known"
    parts = [f"{finding.verdict.words} ({finding.verdict})", status + (", accepted" if accepted else "")]
    parts += [f"column {finding.column}"] if finding.column else []
    yield Text("")
    head, *more = folded("FINDING  " + " · ".join(parts))
    yield Text(head, "bold")
    yield from (Text(f"         {line}", "bold") for line in more)
    lines = {
        "claim": finding.sentence,
        "stored": finding.saw,
        "expected": finding.expected,
        "impact": str(finding.impact) if _counts(finding.impact) else "",
        "example": finding.example,
        "also": f"fails: {' · '.join(f'{one.sentence} ({one.verdict})' for one in others)}" if others else "",
        **_whose(finding, document),
    }
    beside = {"stored": finding.expected, "expected": finding.saw}
    for label, words in lines.items():
        if words:
            yield from (Text(line) for line in labelled(label, words, beside.get(label, "")))
    for number, words in enumerate(_maybe(finding, document)):
        yield from (Text(line) for line in labelled("" if number else "maybe", words))
    for number, words in enumerate(remedies):
        yield from (Text(line) for line in to_copy("or" if number else "do", words))


def _counts(impact: Impact) -> bool:
    """Whether it counts anything: what is beside the data files affects none of them."""
    return any((impact.files, impact.unlisted, impact.tried, impact.wrong))


def _maybe(finding: Finding, document: Document) -> list[str]:
    """Known findings that it may be."""
    assert document.own_table is not None
    ids = () if finding.registered else document.own_table.candidates.get(finding.claim, ())
    named = [f"{id}: {document.register[id].title}" for id in ids[:NAMED]]
    more = [f"{len(ids) - NAMED} more: {', '.join(ids[NAMED:])}"] if len(ids) > NAMED else []
    return [*named, *more]


def _whose(finding: Finding, document: Document) -> dict[str, str]:
    """Cause of a known finding; of another who wrote it."""
    entry = document.register.get(str(finding.registered))
    if entry is None:
        return {"blame": f"{finding.blame}: {finding.because}"}
    return {"cause": f"{finding.blame}: {entry.title}. More: xtable-audit known {finding.registered}"}


def _remedies(group: Sequence[Finding], document: Document, printed: set[str]) -> list[str]:
    """Those of the root; if it has none, of the first that has. `printed` are those of the findings before."""
    every = next(filter(None, (what_to_do(one, document) for one in group)), [])
    new = [words for words in every if words not in printed]
    printed.update(new)
    return [*([AS_ABOVE] if len(new) < len(every) else []), *new] or [NOTHING]
