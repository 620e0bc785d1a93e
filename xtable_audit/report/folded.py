"""Text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap

from xtable_audit.model.printable import printable

WIDTH = 80
LABEL = 10
LONGEST = 400
"""Maximum characters of one labelled line; audit.json has all of it."""


def folded(words: str) -> list[str]:
    return textwrap.wrap(printable(words), WIDTH, break_on_hyphens=False)


def labelled(label: str, words: str) -> list[str]:
    start = f"  {label:<{LABEL - 2}}  "
    fold = textwrap.TextWrapper(WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
    fold.break_on_hyphens = False
    room = WIDTH - len(start)
    short = " ".join(_cut(word, room) for word in printable(words).split())
    return fold.wrap(textwrap.shorten(short, LONGEST, placeholder=" …"))


def _cut(word: str, room: int) -> str:
    """A long word, such as the name of a file, without its middle."""
    return word if len(word) <= room else f"{word[: room // 2]}…{word[-(room - room // 2 - 1) :]}"
