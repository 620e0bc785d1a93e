"""What differs between a run and what is frozen, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tools.frozen.digests import Differences, Frozen
from tools.frozen.run import FrozenRun
from xtable_audit.model.figures import many

MOST = 200
"""Lines that are printed of one run."""


@dataclass(frozen=True)
class DifferencesPage:
    lines: tuple[str, ...]
    differs: bool


def page(run: FrozenRun, frozen: Frozen, before: FrozenRun | None, *, selected: bool) -> DifferencesPage:
    """`before` is another run of the same name, whose lines show what exactly changed."""
    now = Frozen.of(run.lines, run.command)
    differences = Differences.between(frozen, now, selected=selected)
    head = f"{run.name}: {many(len(run.lines.lines), 'line')}, "
    if not differences:
        of = f", of {many(len(now.tables), 'table')} that it selects" if selected else ""
        return DifferencesPage((f"{head}as frozen{of}", *_intermittent(now)), False)
    return DifferencesPage((f"{head}not as frozen", *_names(differences), *_lines(run, before, differences)), True)


def _intermittent(of: Frozen) -> Iterator[str]:
    for words, number in of.intermittent.items():
        yield f"  {many(number, 'line')} may end in either way. {words}"


def _names(of: Differences) -> Iterator[str]:
    for what, tables, claims in (
        ("new", of.new_tables, of.new_claims),
        ("missing", of.missing_tables, of.missing_claims),
        ("changed", of.changed_tables, of.changed_claims),
    ):
        for kind, names in (("table", tables), ("claim", claims)):
            if names:
                yield f"  {what} {many(len(names), kind)}: {', '.join(sorted(names))}"


def _lines(run: FrozenRun, before: FrozenRun | None, differences: Differences) -> Iterator[str]:
    if before is None:
        found = [f"  ? {line.text}" for line in differences.crossed(run.lines.lines)]
        yield "  where changed tables and claims cross there is now (the exact lines: --before RUN):"
    else:
        tables = differences.new_tables | differences.missing_tables | differences.changed_tables
        then, now = (Counter(one.text for one in of.lines.lines if one.table in tables) for of in (before, run))
        gone = ((text, "-") for text in (then - now).elements())
        came = ((text, "+") for text in (now - then).elements())
        found = [f"  {sign} {text}" for text, sign in sorted([*gone, *came])]
        yield "  before (-) and now (+):"
    yield from found[:MOST]
    if len(found) > MOST:
        yield f"  and {many(len(found) - MOST, 'more line')}"
