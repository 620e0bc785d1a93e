"""The table of docs/round-trips.md: what each table has lost once it is Delta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.stack.project import ROOT
from tools.pages.marks import with_part
from tools.round_trips.faults import UNREAD, Lost, RoundTripFault, When
from xtable_audit.model.finding import SEVERITY, Verdict

PAGE = ROOT / "docs" / "round-trips.md"
BEGIN, END = "<!-- by `python -m tools round_trips`: do not edit -->", "<!-- end -->"
HEADS = (When.BOTH, When.SECOND, When.FIRST)


def lines(found: Sequence[Lost]) -> Iterator[str]:
    """Markdown. What fails in the second leg of every table is said once, above the others."""
    everywhere = frozenset.intersection(*(frozenset(one.second) for one in found if _is_read(one)))
    if everywhere:
        yield f"In every Delta table that there is: {', '.join(f'`{claim}`' for claim in sorted(everywhere))}."
        yield ""
    yield f"| table | wrong in {' | wrong in '.join(HEADS)} |"
    yield "|---|" + "---|" * len(HEADS)
    for one in found:
        cells = (", ".join(_words(one, fault, when) for fault in _left(one, when, everywhere)) for when in HEADS)
        yield f"| `{one.table}` | {' | '.join(cells)} |"


def _is_read(one: Lost) -> bool:
    return UNREAD not in one.second


def _left(one: Lost, when: When, everywhere: frozenset[str]) -> list[RoundTripFault]:
    """Gravest first; without what no reader sees."""
    faults = [fault for fault in one.of(when) if fault.claim not in everywhere and fault.verdict != Verdict.COSMETIC]
    return sorted(faults, key=lambda fault: (SEVERITY.index(Verdict(fault.verdict)), fault.claim))


def _words(one: Lost, fault: RoundTripFault, when: When) -> str:
    """Bold for what a direct translation to Delta has not."""
    columns = f" ({', '.join(fault.columns)})" if 0 < len(fault.columns) <= 2 else ""
    words = f"{Verdict(fault.verdict).words}: `{fault.claim}`{columns}"
    is_new = when is When.SECOND and one.direct is not None and fault.claim not in one.direct
    return f"**{words}**" if is_new else words


def written(found: Sequence[Lost], page: Path = PAGE) -> None:
    """Replaces the table of the page."""
    text = page.read_text(encoding="utf-8")
    table = "\n".join(lines(found))
    page.write_text(with_part(text, BEGIN, END, f"\n{table}\n", page), encoding="utf-8")
