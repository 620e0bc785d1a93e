"""An engine's own words about a failure."""

from __future__ import annotations


class Refusal(Exception):
    """What a reader in a process of its own said when it refused or failed, in one line."""


def first_line(error: BaseException) -> str:
    """The error's words up to the first line's end; its class's name where it says nothing."""
    words = [line.strip() for line in str(error).splitlines() if line.strip()]
    return words[0] if words else type(error).__name__
