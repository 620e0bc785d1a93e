"""Changes of claims between runs, as the pages of a gate and of two runs show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xtable_audit.model.figures import many
from xtable_audit.model.owner import owner
from xtable_audit.report.compare import Difference, of_differences
from xtable_audit.report.gate_page import DifferenceLine, by_cause
from xtable_audit.report.html.picture import Picture


@dataclass(frozen=True)
class OpeningLine:
    """One line of a page, which opens. `anchor` is where links lead; empty for none."""

    line: DifferenceLine
    anchor: str = ""
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class CauseRow:
    """Differences of one cause, which are folded into a row."""

    name: str
    title: str
    whose: str
    """Whose fault it is, in words."""
    claims: int
    affects: str
    do: str = ""


def cost(differences: Sequence[Difference]) -> str:
    return f"{many(len(differences), 'claim')}, {of_differences(differences)}"


def causes(
    differences: Sequence[Difference], titles: Mapping[str, str], to_do: Mapping[str, str] | None = None
) -> Iterator[CauseRow]:
    """Those with most claims first. `titles` and `to_do` are those of the register's entries, by id."""
    for name, alike in by_cause(differences).items():
        whose = dict.fromkeys(owner(one.finding.blame) for one in alike if one.finding)
        yield CauseRow(
            name,
            titles.get(name, ""),
            ", ".join(whose),
            len(alike),
            str(of_differences(alike)),
            (to_do or {}).get(name, ""),
        )
