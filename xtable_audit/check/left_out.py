"""What no claim of a check compared, and why: families of claims of which none applies to the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xtable_audit.claims.deviation import TableClaim
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult

OF_SOURCE = ("rows", "columns", "history", "states")
"""Families that need the table's source."""


def left_out(
    results: Iterable[ClaimResult], claims: Mapping[str, TableClaim], families: Mapping[str, str], *, lacks_source: bool
) -> Iterator[str]:
    """A clause for each reason. `families`: what each is about that a healthy table may have nothing for.

    `lacks_source`: the table has a source, or may have one, and none is named.
    """
    by_family: dict[str, set[Outcome]] = {}
    for result in results:
        if result.claim in claims:
            by_family.setdefault(claims[result.claim].family, set()).add(result.outcome)
    none = {family for family, outcomes in by_family.items() if outcomes == {Outcome.NOT_APPLICABLE}}
    if absent := [words for family, words in families.items() if family in none]:
        yield f"{', '.join(absent)}: the table has none to compare"
    if lacks_source and none & {*OF_SOURCE}:
        yield "rows and commits of a source: none is named (--source)"
