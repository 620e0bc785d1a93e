"""Text of a run, for a terminal of 80 columns and in a Markdown page."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from xtable_audit.model.printable import printable

AROUND = 12
"""Characters of the common parts that stay beside a difference."""
RELATED = 8
"""Characters that two words have in common at least to be cut against each other."""
LINES = 4
"""Maximum lengths of `room` that a difference takes."""
PLACEHOLDER = "…"
WORD = re.compile(r"\S+")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def elided(text: str, other: str, room: int) -> str:
    """`text` with each word that is longer than `room` cut where a word of `other` agrees with it."""
    words = other.split()
    return WORD.sub(lambda found: _word(found[0], words, room), text)


def _word(word: str, others: list[str], room: int) -> str:
    if len(word) <= room:
        return word
    beside = max(others, key=lambda one: sum(_common(word, one)), default="")
    before, after = _common(word, beside)
    if word == beside or before + after < RELATED:
        return middle(word, room)
    differing = middle(word[before : len(word) - after], LINES * room)
    around = max(AROUND, (room - len(differing)) // 2 - len(PLACEHOLDER))
    return _from(word[:before], around) + differing + _to(word[len(word) - after :], around)


def _common(word: str, other: str) -> tuple[int, int]:
    """Characters in common at the beginning, and of the rest at the end."""
    before = _agreeing(word, other)
    return before, _agreeing(word[before:][::-1], other[before:][::-1])


def _agreeing(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def middle(word: str, room: int) -> str:
    """A long word, such as the name of a file, without its middle."""
    return word if len(word) <= room else f"{word[: room // 2]}{PLACEHOLDER}{word[-(room - room // 2 - 1) :]}"


def _from(before: str, most: int) -> str:
    """The end of what comes before a difference, and the beginning if there is room."""
    if len(before) <= most:
        return before
    start = most // 3
    return f"{before[:start]}{PLACEHOLDER}{before[len(before) - (most - start) :]}"


def _to(after: str, most: int) -> str:
    if len(after) <= most:
        return after
    end = most // 3
    return f"{after[: most - end]}{PLACEHOLDER}{after[len(after) - end :]}"


WIDTH = 80
LABEL = 10
INDENT = LABEL + 2
LONGEST = 400
"""Maximum characters of one labelled line, but for a statement; audit.json has all of it."""
STATEMENT = 2000
"""Maximum characters of a line that is to be copied."""


def folded(words: str) -> list[str]:
    return textwrap.wrap(printable(words), WIDTH, break_on_hyphens=False)


def labelled(label: str, words: str, beside: str = "") -> list[str]:
    """`beside` is what the words are compared with: long ones are cut where both agree."""
    return _beneath(label, elided(printable(words), printable(beside), WIDTH - INDENT), LONGEST)


def to_copy(label: str, words: str) -> list[str]:
    """Words that may end in a statement, of which nothing is cut."""
    return _beneath(label, printable(words), STATEMENT)


def _beneath(label: str, words: str, longest: int) -> list[str]:
    start = f"  {label:<{LABEL - 2}}  "
    fold = textwrap.TextWrapper(WIDTH, initial_indent=start, subsequent_indent=" " * INDENT)
    fold.break_on_hyphens = False
    return fold.wrap(textwrap.shorten(words, longest, placeholder=" …"))


_NO_LINK = re.compile(r"(\w\[\w*\])\(")
_MARKUP = re.compile(r"[\\`*_\[\]<>|&#~]")


def cell(text: str) -> str:
    """The suite's own words in one cell of a table, on one line; their Markdown stays. `bucket[4](p)` is no link."""
    return _NO_LINK.sub(r"\1\\(", " ".join(text.split()).replace("|", "\\|"))


def plain(text: str) -> str:
    """The words of strangers, such as a table's name, on one line: shown as they are, whatever Markdown they hold."""
    return _MARKUP.sub(lambda one: f"&#{ord(one[0])};", " ".join(text.split()))


def table(head: str, rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The lines of a table, `head` the first of them; cells are shown as they are given."""
    yield head
    yield "|" + "---|" * (head.count("|") - 1)
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)
