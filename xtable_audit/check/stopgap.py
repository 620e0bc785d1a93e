"""How the rows that a false bound loses are found before it is mended: what makes a reader not skip files by a column.

Each is proven: a test asks the reader for a row that false bounds lose, as it is and in this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from xtable_audit.claims.bounds import bounds_contain_values
from xtable_audit.model.identifier import quoted
from xtable_audit.model.result import ClaimResult

UNTIL = "Until it is mended, query by what does not skip files by"


def with_stopgaps(ways: Mapping[str, str], results: Iterable[ClaimResult]) -> tuple[ClaimResult, ...]:
    """The results; a finding that bounds of a column lose rows says last how they are found meanwhile.

    Not of a field of a struct, for which none was tried.
    """
    return tuple(_with(ways, result) if ways else result for result in results)


def _with(ways: Mapping[str, str], result: ClaimResult) -> ClaimResult:
    finding = result.finding
    if finding is None or finding.claim != bounds_contain_values.id or not finding.column or "." in finding.column:
        return result
    stopgap = f"{UNTIL} {finding.column}: {stopgaps(ways, finding.column)}"
    return replace(result, finding=replace(finding, advice=(*finding.advice, stopgap)))


def stopgaps(ways: Mapping[str, str], column: str) -> str:
    """A way for each reader that has one."""
    return "; ".join(way.format(quoted=quoted(column)) for way in ways.values())
