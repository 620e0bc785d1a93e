"""Whether a source table is what a block of the register describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xtable_audit.formats.source import FactAnswer, Lacking, ShownFact, SourceColumn, SourceTable, some, yes_if
from xtable_audit.model.source_fact import ColumnPlace, TableFact
from xtable_audit.register.affects import Affects


@dataclass(frozen=True)
class Match:
    """Whether a block holds, and what shows it."""

    answer: FactAnswer
    because: tuple[str, ...] = ()
    unseen: str = ""
    lacks: Lacking | None = None
    """Set if facts are open for want of this alone."""
    writer: str = ""
    """What of XTable alone has it; empty if it is so whatever writes."""


NOT = Match(FactAnswer.NO)


def match(block: Affects, source: SourceTable) -> Match:
    """Releases, `since` and `mended` are not looked at."""
    if block.format != source.format:
        return NOT
    parts = list(_parts(block, source))
    answer = min(
        (part.answer for part in parts), default=FactAnswer.YES if block.reader or block.target else FactAnswer.NO
    )
    if answer == FactAnswer.NO:
        return NOT
    because = tuple(dict.fromkeys(part.by for part in parts if part.by))
    answer = min(answer, FactAnswer.OPEN) if block.unseen else answer
    return Match(answer, because, block.unseen, _lacks(parts), block.writer)


def columns_shown(block: Affects, source: SourceTable) -> frozenset[str] | None:
    """The columns that show what the block asks for, or may; None if it asks for none."""
    if not (block.types or block.place or block.column):
        return None
    return frozenset(path for path, answer in _by_column(block, source).items() if answer != FactAnswer.NO)


def _lacks(parts: Sequence[ShownFact]) -> Lacking | None:
    """What all that is open lacks."""
    lacking = {part.lacks for part in parts if part.answer == FactAnswer.OPEN}
    return lacking.pop() if len(lacking) == 1 else None


def _parts(block: Affects, source: SourceTable) -> Iterator[ShownFact]:
    """The answer to each condition of the block, and what shows it."""
    if block.types or block.place or block.column:
        yield _of_columns(block, source)
    for fact in block.facts:
        yield source.shown(fact)
    for name, value in block.settings:
        yield yes_if(source.settings.get(name, "").lower() == value.lower(), f"{name}={value}")
    if block.instants:
        there = [kind for kind in block.instants if source.instants.get(kind)]
        yield yes_if(bool(there), f"{' and '.join(there)} on the timeline")


def _of_columns(block: Affects, source: SourceTable) -> ShownFact:
    """The clearest answer of any column, with the columns that give it."""
    answers = _by_column(block, source)
    best = max(answers.values(), default=FactAnswer.NO)
    of = [column for column in source.columns if answers.get(column.path) == best]
    what = str(block.column or " or ".join(block.types) or "columns")
    unread = best == FactAnswer.OPEN and source.footers < source.files and all(_is_open(block, column) for column in of)
    shown = some((column.path for column in of), f"{what}: ").by
    return ShownFact(best, shown, Lacking.FOOTERS if unread else None)


def _by_column(block: Affects, source: SourceTable) -> dict[str, FactAnswer]:
    """The answer of each column that is meant, by its path."""
    from_index = TableFact.FROM_INDEX in block.facts or (
        TableFact.FROM_EITHER in block.facts and source.shown(TableFact.FROM_INDEX).answer == FactAnswer.YES
    )
    return {
        column.path: min(_of_column(block, column), column.indexed if from_index else FactAnswer.YES)
        for column in source.columns
        if _is_meant(block, column)
    }


def _is_open(block: Affects, column: SourceColumn) -> bool:
    """Whether it is the fact about the column that is open, and not whether the index has the column."""
    return block.column is not None and column.facts.get(block.column) == FactAnswer.OPEN


def _of_column(block: Affects, column: SourceColumn) -> FactAnswer:
    return FactAnswer.YES if block.column is None else column.facts.get(block.column, FactAnswer.NO)


def _is_meant(block: Affects, column: SourceColumn) -> bool:
    if block.types and column.type not in block.types:
        return False
    if block.place is not None:
        return block.place in column.places
    return bool(column.places & {ColumnPlace.TOP, ColumnPlace.STRUCT})
