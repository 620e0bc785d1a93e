"""Two texts shortened against each other: what they have in common is cut, where they differ stays."""

from __future__ import annotations

import re
from itertools import takewhile

AROUND = 12
"""Characters of the common parts that stay beside a difference."""
RELATED = 8
"""Characters that two words have in common at least to be cut against each other."""
LINES = 4
"""Maximum lengths of `room` that a difference takes."""
PLACEHOLDER = "…"
WORD = re.compile(r"\S+")


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
