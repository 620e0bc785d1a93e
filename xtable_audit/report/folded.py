"""Text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap

from xtable_audit.model.printable import printable
from xtable_audit.report.elided import elided

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
