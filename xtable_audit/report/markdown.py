"""Text of a run in a Markdown page."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"[\\`*_\[\]<>|&#~]")


def cell(text: str) -> str:
    """The suite's own words in one cell of a table, on one line; their Markdown stays."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """The words of strangers, such as a table's name, on one line: shown as they are, whatever Markdown they hold."""
    return _MARKUP.sub(lambda one: f"&#{ord(one[0])};", " ".join(text.split()))
