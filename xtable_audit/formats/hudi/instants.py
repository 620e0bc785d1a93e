"""The names of instants on a Hudi table's timeline, in both of its layouts.

Layout 1 (table version 6 and below) has `.hoodie/<time>.<action>`; layout 2 (8 and later) has
`.hoodie/timeline/<requested>_<completed>.<action>`. What has begun and not completed ends in `.requested` or
`.inflight` in both, without a time of completion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PLACES = (".hoodie", ".hoodie/timeline")
NAME = re.compile(r"(?P<time>\d{14,20})(_(?P<completed>\d{14,20}))?\.(?P<rest>[a-z.]+)")
PENDING = ("requested", "inflight")


@dataclass(frozen=True)
class HudiInstant:
    time: str
    action: str
    """`commit`, `clean`, …"""
    name: str
    """The file's."""
    is_completed: bool


def instant_in(name: str) -> HudiInstant | None:
    """The instant that a file of this name stands for; None if for none."""
    found = NAME.fullmatch(name.rpartition("/")[2])
    if found is None:
        return None
    action, _, state = found["rest"].partition(".")
    if action in PENDING or state in PENDING:  # an inflight commit is `<time>.inflight`
        return HudiInstant(found["time"], action, name, False)
    return None if state else HudiInstant(found["time"], action, name, True)
