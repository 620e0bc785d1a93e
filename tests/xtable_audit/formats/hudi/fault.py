"""The mutation kit for Hudi's own tables: a fault, and how the healthy case is spoilt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from tests.xtable_audit.formats.hudi import healthy
from xtable_audit.formats.hudi.index import INDEX
from xtable_audit.formats.hudi.indexed_table import HudiCase, HudiStage, HudiTrial, Mode
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Predicate

Record = dict[str, Any]
Spoil = Callable[[HudiCase], HudiCase]
FIRST, DROPPED, LAST = 0, 1, 2
"""The stages of the healthy table."""


@dataclass(frozen=True, eq=False)
class HudiFault:
    """`breaks` are the claims that must deviate, and no other may; `files` are those that the findings are about."""

    id: str
    spoil: Spoil
    breaks: Mapping[str, Verdict]
    files: Set[str] = frozenset()
    column: str | None = None
    loses: tuple[str, int] | None = None
    """What the finding says it costs: its example's words, and how many rows are lost by it."""

    def __str__(self) -> str:
        return self.id


def of_stage(number: int, change: Callable[[HudiStage], HudiStage]) -> Spoil:
    def spoil(case: HudiCase) -> HudiCase:
        stages = list(case.stages)
        stages[number] = change(stages[number])
        return replace(case, stages=tuple(stages))

    return spoil


def of_index(number: int, change: Callable[[list[Record]], Iterable[Record]]) -> Spoil:
    def changed(stage: HudiStage) -> HudiStage:
        return replace(stage, index=pa.Table.from_pylist(list(change(stage.index.to_pylist())), schema=INDEX))

    return of_stage(number, changed)


def misstated(
    id: str, breaks: Mapping[str, Verdict], kind: str, of: str, column: str, number: int = LAST, **changed: Any
) -> HudiFault:
    """Other words in one record."""

    def change(records: list[Record]) -> list[Record]:
        return [one | changed if _is(one, kind, of, column) else one for one in records]

    return HudiFault(id, of_index(number, change), breaks, _files(of, number), column)


def missing(
    id: str, breaks: Mapping[str, Verdict], kind: str, of: str, column: str | None = None, number: int = LAST
) -> HudiFault:
    """Without the record of one column, or of any."""
    without = of_index(number, lambda records: [one for one in records if not _is(one, kind, of, column)])
    return HudiFault(id, without, breaks, _files(of, number), column)


def _files(of: str, number: int) -> Set[str]:
    """The live file of that path, or those of that partition."""
    return {file for file in (healthy.FIRST if number == FIRST else healthy.NEWEST) if file.startswith(of)}


def add(kind: str, of: str, column: str, like: str) -> Spoil:
    """A record for `of` like that of another."""

    def change(records: list[Record]) -> list[Record]:
        return [*records, *(one | {"of": of} for one in records if _is(one, kind, like, column))]

    return of_index(LAST, change)


def _is(record: Record, kind: str, of: str, column: str | None) -> bool:
    return (record["kind"], record["of"]) == (kind, of) and column in (None, record["column"])


def answer(predicate: Predicate, mode: Mode, change: Callable[[HudiTrial], HudiTrial]) -> Spoil:
    """Another answer to one question in one mode."""

    def spoil(case: HudiCase) -> HudiCase:
        drawn = [t for t in case.trials if t.predicate == predicate and t.mode == mode]
        assert len(drawn) == 1
        return replace(case, trials=tuple(change(t) if t in drawn else t for t in case.trials))

    return spoil


def both(*spoils: Spoil) -> Spoil:
    def spoil(case: HudiCase) -> HudiCase:
        for one in spoils:
            case = one(case)
        return case

    return spoil
