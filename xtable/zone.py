"""The time zone in which XTable runs. A user's XTable takes its machine's; the suite's is the same everywhere."""

from __future__ import annotations

from difflib import get_close_matches
from zoneinfo import available_timezones

from xtable_audit.model.problem import Problem

UTC = "UTC"
"""The default, in which every recording was made."""


def check_zone(name: str) -> str:
    """The name, if the IANA database has it. Raises Problem otherwise: Java would silently run in GMT."""
    if name != UTC and name not in (zones := available_timezones()):
        close = get_close_matches(name, zones)
        instead = f"did you mean {' or '.join(close)}?" if close else "name one such as Asia/Kolkata."
        raise Problem(f"--zone {name!r}: there is no such time zone; {instead}")
    return name


def words_of(name: str) -> str:
    """What a reader of the verdict must know of another zone than UTC; "" for UTC."""
    return f"XTable runs in the time zone {name}; the tables are written in {UTC}." if name != UTC else ""


def in_zone(name: str) -> str:
    """Java's option."""
    return f"-Duser.timezone={name}"
