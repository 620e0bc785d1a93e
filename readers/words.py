"""An engine's own words about a failure."""

from __future__ import annotations


class Refusal(Exception):
    """What a reader in a process of its own said when it refused or failed, in one line."""
