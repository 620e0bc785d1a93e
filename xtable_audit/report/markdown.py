"""Text of a run in a Markdown page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_MARKUP = re.compile(r"[\\`*_\[\]<>|&#~]")


def cell(text: str) -> str:
    """The suite's own words in one cell of a table, on one line; their Markdown stays."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """The words of strangers, such as a table's name, on one line: shown as they are, whatever Markdown they hold."""
    return _MARKUP.sub(lambda one: f"&#{ord(one[0])};", " ".join(text.split()))


def table(head: str, rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table, `head` the first of them; cells are shown as they are given."""
    yield head
    yield "|" + "---|" * (head.count("|") - 1)
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)
