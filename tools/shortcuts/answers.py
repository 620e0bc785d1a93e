"""Asks one reader, tells by its requests where the answer came from, and writes the table of docs/readers.md."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from lab.engines.readers import find
from lab.stack.project import ROOT
from lab.store.log import Request, RequestLog
from tools.pages.marks import with_part
from tools.shortcuts.questions import CHOOSING, QUESTIONS, HealthyTable, truth
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.readers.reader import AggregatingReader, NotOffered, Refusal

# Asks one reader, and tells by its requests where the answer came from.

TAIL = 131_072
"""Bytes at the end of a file that a reader may fetch at once to have the footer, which has a few thousand here."""


class AnsweredFrom(StrEnum):
    """Where an answer comes from, or the choice of the files that are read, by what was fetched of the data files."""

    METADATA = "metadata"
    FOOTERS = "footers"
    VALUES = "values"
    NOT_OFFERED = "not offered"
    REFUSED = "refused"


@dataclass(frozen=True)
class AggregateAnswer:
    """One question to one reader. `right` is None where there is no answer."""

    asked: Aggregate
    source: AnsweredFrom
    right: bool | None
    words: str = ""
    """The value, or why there is none."""


def ask(
    reader: AggregatingReader, log: RequestLog, table: HealthyTable, asked: Sequence[Aggregate], shortcut: bool = True
) -> list[AggregateAnswer]:
    """Raises Problem if the engine is gone."""
    _ = reader.version  # loaded, outside of what is watched
    with log.windows() as cut:
        said = [(one, cut(), *_said(reader, table.location, one, shortcut)) for one in asked]
    return [
        AggregateAnswer(
            one, refused or _source(one, requests, table), _is_right(table, one, value, refused), str(value)
        )
        for one, requests, value, refused in said
    ]


def ask_limit(reader: AggregatingReader, table: HealthyTable) -> AggregateAnswer:
    """How many rows LIMIT leaves where metadata counts too many: a reader that believes it stops too early."""
    asked = Aggregate("count", form="limit", limit=table.rows.num_rows)
    value, refused = _said(reader, table.overcounted, asked, shortcut=True)
    source = refused or (AnsweredFrom.VALUES if value == asked.limit else AnsweredFrom.METADATA)
    return AggregateAnswer(asked, source, None, str(value))


def _source(one: Aggregate, requests: Sequence[Request], table: HealthyTable) -> AnsweredFrom:
    return (source_of if one.form == "aggregate" else chosen_by)(requests, table.sizes)


def _said(reader: AggregatingReader, location: str, one: Aggregate, shortcut: bool) -> tuple[Any, AnsweredFrom | None]:
    try:
        [value] = reader.aggregate(location, [one], shortcut)
        return value, None
    except NotOffered:
        return "", AnsweredFrom.NOT_OFFERED
    except Refusal as refused:
        return refused, AnsweredFrom.REFUSED


def source_of(requests: Sequence[Request], sizes: Mapping[str, int]) -> AnsweredFrom:
    """What of the data files (key -> size in bytes) was fetched: nothing, their ends alone, or more."""
    opened, read = _fetched(requests, sizes)
    return AnsweredFrom.VALUES if read else AnsweredFrom.FOOTERS if opened else AnsweredFrom.METADATA


def chosen_by(requests: Sequence[Request], sizes: Mapping[str, int]) -> AnsweredFrom:
    """By what some files were left out: nothing was fetched of one, only its end, or all were read."""
    opened, read = _fetched(requests, sizes)
    if opened | read != {*sizes}:
        return AnsweredFrom.METADATA
    return AnsweredFrom.VALUES if read == {*sizes} else AnsweredFrom.FOOTERS


def _fetched(requests: Sequence[Request], sizes: Mapping[str, int]) -> tuple[set[str], set[str]]:
    """The files of which something was fetched, and of which more than the end."""
    opened = [one for one in requests if one.method == "GET" and one.key in sizes]
    read = {one.key for one in opened if _first_byte(one.range, sizes[one.key]) < sizes[one.key] - TAIL}
    return {one.key for one in opened}, read


def _first_byte(range_: str | None, size: int) -> int:
    """Of `bytes=100-199`, of `bytes=-8`, and of no range."""
    from_end = re.fullmatch(r"bytes=-(\d+)", range_ or "")
    from_start = re.match(r"bytes=(\d+)-", range_ or "")
    return size - int(from_end[1]) if from_end else int(from_start[1]) if from_start else 0


def _is_right(table: HealthyTable, one: Aggregate, value: Any, refused: AnsweredFrom | None) -> bool | None:
    return None if refused else _plain(value) == _plain(truth(table.rows, one))


def _plain(value: Any) -> Any:
    """Engines return a date as text, and a moment with a zone or as text."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None).isoformat(" ", "microseconds")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d.*", value):
        return dt.datetime.fromisoformat(value).replace(tzinfo=None).isoformat(" ", "microseconds")
    return int(value) if isinstance(value, str) and value.isdigit() else value


# The table of docs/readers.md: where each reader's answers come from.

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
