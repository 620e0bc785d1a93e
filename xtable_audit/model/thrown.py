"""Which exceptions another program's message names: read here, once, where the message comes in.

Of a failure in a JVM nothing but a text is kept. Whatever depends on how XTable or Hudi fails compares these names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MISSED = re.compile(r"java\.lang\.NoClassDefFoundError: ([\w$]+(?:/[\w$]+)+)")
_EXCEPTION = re.compile(r"(?<![\w.$])(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Exception|Error)(?![\w$])")


@dataclass(frozen=True)
class Thrown:
    """One exception of a JVM."""

    exception: str
    """The full name of its class; "" if its words do not begin with one."""
    words: str
    """Its `toString`."""

    @classmethod
    def of(cls, words: str) -> Thrown:
        found = _EXCEPTION.match(words)
        return cls(found[0] if found else "", words)


def exceptions_in(message: str) -> frozenset[str]:
    """The full names of the exceptions that a message names."""
    return frozenset(_EXCEPTION.findall(message))


def class_missed_in(message: str) -> str:
    """The class, with slashes, that a NoClassDefFoundError in a message misses; "" for none, and for one that is there
    and could not be initialised.
    """
    found = _MISSED.search(message)
    return found[1] if found else ""
