"""An engine's message about a failure."""

from __future__ import annotations


class Refusal(Exception):
    """The one-line message of a reader that refused or failed."""
