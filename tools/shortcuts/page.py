"""The table of docs/readers.md: where each reader's answers come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.engines.readers import find
from lab.stack.project import ROOT
from tools.pages.marks import with_part
from tools.shortcuts.asked import AggregateAnswer, AnsweredFrom
from tools.shortcuts.questions import CHOOSING, QUESTIONS

PAGE = ROOT / "docs" / "readers.md"
BEGIN, END = "<!-- by `python -m tools shortcuts --page`: do not edit -->", "<!-- end -->"
CHOICE = "<!-- files chosen, by `python -m tools shortcuts --page`: do not edit -->"


@dataclass(frozen=True)
class OfReader:
    """What one reader answered on a table of one format: by its defaults, and with its shortcut off."""

    name: str
    version: str
    by_default: Mapping[str, Sequence[AggregateAnswer]]
    """By the head of the page's column."""
    turned_off: AggregateAnswer
    limited: AggregateAnswer


def lines(found: Sequence[OfReader]) -> Iterator[str]:
    """Markdown: what readers answer from metadata."""
    yield from _table([*QUESTIONS, "`count(*)`, shortcut off"], found, _answered)


def lines_of_choice(found: Sequence[OfReader]) -> Iterator[str]:
    """Markdown: for what readers choose files by metadata."""
    yield from _table([*CHOOSING, "`LIMIT n`"], found, _chosen)


def _table(heads: Sequence[str], found: Sequence[OfReader], cells: Callable[[OfReader], list[str]]) -> Iterator[str]:
    yield f"| reader | format | {' | '.join(heads)} |"
    yield "|---|---|" + "---|" * len(heads)
    for one in found:
        format = find(one.name).formats[0].capitalize()
        yield f"| `{one.name}` {one.version} | {format} | {' | '.join(cells(one))} |"


def _answered(one: OfReader) -> list[str]:
    return [*(cell(one.by_default[head]) for head in QUESTIONS), cell([one.turned_off])]


def _chosen(one: OfReader) -> list[str]:
    """Of an order both ways were asked: a reader leaves out files in that way in which it meets the others first."""
    ways = list(AnsweredFrom)
    best = [min(one.by_default[head], key=lambda way: ways.index(way.source)) for head in CHOOSING]
    return [*(cell([way]) for way in best), cell([one.limited])]


def cell(answered: Sequence[AggregateAnswer]) -> str:
    """One word where all alike came from one place; bold where an answer is wrong."""
    words = [_word(one) for one in answered]
    if len(set(words)) == 1:
        return words[0]
    return ", ".join(f"{one.asked.function}: {word}" for one, word in zip(answered, words, strict=True))


def _word(one: AggregateAnswer) -> str:
    return f"**{one.source}, wrong**" if one.right is False else str(one.source)


def row_of(page: str, name: str, begin: str = BEGIN) -> str:
    """A reader's line in one of the page's tables. Raises ValueError if it has none."""
    found = [
        line for line in page.partition(begin)[2].partition(END)[0].splitlines() if line.startswith(f"| `{name}` ")
    ]
    if not found:
        raise ValueError(f"the page has no line of the reader {name}: write it by `python -m tools shortcuts --page`")
    return found[0]


def written(found: Sequence[OfReader], page: Path = PAGE) -> None:
    """Replaces the tables of the page."""
    text = page.read_text(encoding="utf-8")
    for begin, table in ((BEGIN, lines(found)), (CHOICE, lines_of_choice(found))):
        text = with_part(text, begin, END, "\n" + "\n".join(table) + "\n", page)
    page.write_text(text, encoding="utf-8")


def wrong(found: Sequence[OfReader]) -> Iterator[str]:
    """A line for each answer that is not that of the values, and for what is refused."""
    for one in found:
        asked = [answered for many in one.by_default.values() for answered in many]
        for answered in [*asked, one.turned_off, one.limited]:
            if answered.right is False:
                yield f"{one.name} {one.version} answers {answered.words} to {answered.asked}, from {answered.source}"
            if answered.source is AnsweredFrom.REFUSED:
                yield f"{one.name} {one.version} refuses {answered.asked}: {answered.words}"
