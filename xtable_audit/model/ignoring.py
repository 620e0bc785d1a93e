"""How an entry of an ignore file is named, wherever one is reported."""

from __future__ import annotations

ENDED = "Ended on {until} and counts no more: {what} in the ignore file."


def entry_named(finding: str, claim: str, column: str) -> str:
    """A known finding by its id, or a claim, of a column or of all."""
    return finding or claim + (f" of {column}" if column else "")
