"""The table of docs/readers.md: where each reader's answers come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.engines.readers import find
from lab.stack.project import ROOT
from tools.pages.marks import with_part
from tools.shortcuts.asked import AggregateAnswer, AnsweredFrom
from tools.shortcuts.questions import QUESTIONS

PAGE = ROOT / "docs" / "readers.md"
BEGIN, END = "<!-- by `python -m tools shortcuts --page`: do not edit -->", "<!-- end -->"


@dataclass(frozen=True)
class OfReader:
    """What one reader answered on a table of one format: by its defaults, and with its shortcut off."""

    name: str
    version: str
    by_default: Mapping[str, Sequence[AggregateAnswer]]
    """By the head of the page's column."""
    turned_off: AggregateAnswer


def lines(found: Sequence[OfReader]) -> Iterator[str]:
    """Markdown."""
    yield f"| reader | format | {' | '.join(QUESTIONS)} | `count(*)`, shortcut off |"
    yield "|---|---|" + "---|" * (len(QUESTIONS) + 1)
    for one in found:
        cells = [cell(one.by_default[head]) for head in QUESTIONS]
        format = find(one.name).formats[0].capitalize()
        yield f"| `{one.name}` {one.version} | {format} | {' | '.join(cells)} | {cell([one.turned_off])} |"


def cell(answered: Sequence[AggregateAnswer]) -> str:
    """One word where all alike came from one place; bold where an answer is wrong."""
    words = [_word(one) for one in answered]
    if len(set(words)) == 1:
        return words[0]
    return ", ".join(f"{one.asked.function}: {word}" for one, word in zip(answered, words, strict=True))


def _word(one: AggregateAnswer) -> str:
    return f"**{one.source}, wrong**" if one.right is False else str(one.source)


def row_of(page: str, name: str) -> str:
    """A reader's line on the page. Raises ValueError if it has none."""
    found = [
        line for line in page.partition(BEGIN)[2].partition(END)[0].splitlines() if line.startswith(f"| `{name}` ")
    ]
    if not found:
        raise ValueError(f"the page has no line of the reader {name}: write it by `python -m tools shortcuts --page`")
    return found[0]


def written(found: Sequence[OfReader], page: Path = PAGE) -> None:
    """Replaces the table of the page."""
    text, table = page.read_text(encoding="utf-8"), "\n".join(lines(found))
    page.write_text(with_part(text, BEGIN, END, f"\n{table}\n", page), encoding="utf-8")


def wrong(found: Sequence[OfReader]) -> Iterator[str]:
    """A line for each answer that is not that of the values."""
    for one in found:
        asked = [answered for many in one.by_default.values() for answered in many]
        for answered in [*asked, one.turned_off]:
            if answered.right is False:
                yield f"{one.name} {one.version} answers {answered.words} to {answered.asked}, from {answered.source}"
            if answered.source is AnsweredFrom.REFUSED:
                yield f"{one.name} {one.version} refuses {answered.asked}: {answered.words}"
