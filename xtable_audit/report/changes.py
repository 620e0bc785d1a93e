"""Changes of claims between runs, in lines and by causes, as the pages of a gate and of two runs show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xtable_audit.model.figures import few, many
from xtable_audit.model.fingerprint import shape
from xtable_audit.model.owner import owner
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.report.compare import Change, Cost, Difference, of_differences


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
