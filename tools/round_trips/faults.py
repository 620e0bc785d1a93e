"""The claims that fail after each leg of a round trip, and the table of docs/round-trips.md that is made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lab.provision.checked_register import REGISTER
from lab.stack.project import ROOT
from lab.subjects.table import Table
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from tools.pages.marks import with_part
from tools.round_trips.trip import Legs
from xtable.writer import KERNEL
from xtable_audit.claims.readable import metadata_and_data_files_can_be_read
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.formats.installed import target_of
from xtable_audit.judge import judge_table
from xtable_audit.model.finding import SEVERITY, Blame, Finding, Verdict
from xtable_audit.register.extent import load_extents

# The claims that fail after each leg of a round trip, and those that fail without it.

UNREAD = metadata_and_data_files_can_be_read.id
LAYOUT = "layout"
SYNCED = every_sync_comes_through.id
TRIES_NO_BLAME = Blame.XTABLE, "of a round trip no blame is argued"


class When(StrEnum):
    """At which leg a claim fails."""

    BOTH = "both"
    FIRST = "the first leg alone"
    SECOND = "the second leg alone"


@dataclass(frozen=True, order=True)
class RoundTripFault:
    claim: str
    verdict: str
    columns: tuple[str, ...]
    words: str


@dataclass(frozen=True)
class Lost:
    """What a round trip loses."""

    table: str
    first: Mapping[str, RoundTripFault]
    """By claim: what is wrong in the Iceberg table."""
    second: Mapping[str, RoundTripFault]
    """What is wrong in the Delta table."""
    direct: frozenset[str] | None
    """The claims that fail where XTable translates the first source to Delta directly; None if it is not recorded."""

    def of(self, when: When) -> tuple[RoundTripFault, ...]:
        """In order of claims; those of the second leg for both."""
        ids = {
            When.BOTH: self.first.keys() & self.second.keys(),
            When.FIRST: self.first.keys() - self.second.keys(),
            When.SECOND: self.second.keys() - self.first.keys(),
        }[when]
        return tuple(sorted((self.second if when is not When.FIRST else self.first)[id] for id in ids))


def lost(legs: Legs) -> Lost:
    first, second = ({one.claim: one for one in faults(table)} for table in (legs.first, legs.second))
    return Lost(legs.first.dataset, first, second, direct(legs.first.dataset))


def faults(table: Table) -> Iterator[RoundTripFault]:
    """Every claim about a table of its format is judged, as `xtable-audit check` does with a source; but no sync is to
    blame for how the first source's rows lie in its files.
    """
    if table.case is None:
        yield RoundTripFault(UNREAD, "UNREADABLE", (), table.unreadable or "")
        return
    failed = [one.failure for one in table.syncs if one.failure is not None]
    if failed:
        yield RoundTripFault(SYNCED, "UNREADABLE", (), f"{len(failed)} of {len(table.syncs)} syncs fail: {failed[0]}")
    every = target_of(table.metadata_location).check.claims.values()
    for claim in (one for one in every if one.family != LAYOUT):
        if (found := judge_table(claim, table.case, TRIES_NO_BLAME).finding) is not None:
            yield _fault(found)


def _fault(found: Finding) -> RoundTripFault:
    return RoundTripFault(found.claim, str(found.verdict), found.columns, f"{found.saw}; expected {found.expected}")


def direct(table: str, release: str = "0.4.0", register: Path = REGISTER) -> frozenset[str] | None:
    """The claims that fail where Delta Kernel writes the first source's files as Delta, by the register's extents: they
    have all that fails in recorded runs. None of a Delta table, which is not translated to Delta.
    """
    entry = BATTERY.get(table) or RECIPES[table]
    if entry.format == "DELTA":
        return None
    suffix = f"[{table}-{KERNEL.id}]"
    known = load_extents(register)
    assert known is not None, f"{register} has no extents beside it"
    tests = ((test, seen) for entry in known.of.values() for test, seen in entry.items())
    return frozenset(test.removesuffix(suffix) for test, seen in tests if test.endswith(suffix) and release in seen)


# The table of docs/round-trips.md: what each table has lost once it is Delta.

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
