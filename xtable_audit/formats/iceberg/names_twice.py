"""Finds the names that stand twice in one object of a JSON text, of which every parser keeps one in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MOST = 100
"""Objects, and names of each, that are kept: a stranger's file may have millions."""


@dataclass(frozen=True)
class Twice:
    name: str
    times: int
    differ: bool
    """Whether it stands beside different values."""


class Names:
    """The `object_pairs_hook` of a parser: makes objects as the parser would, and keeps what stands twice in them."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[dict[str, Any], list[Twice]]] = {}

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs) and len(self._kept) < MOST:
            self._kept[id(made)] = made, list(_twice(pairs))
        return made

    def of(self, made: dict[str, Any]) -> list[Twice]:
        """What stands twice in this object. Asked once: what is left then is of others."""
        return self._kept.pop(id(made), (made, []))[1]

    def of_others(self) -> Iterator[Twice]:
        return (one for _, found in self._kept.values() for one in found)


def _twice(pairs: Sequence[tuple[str, Any]]) -> Iterator[Twice]:
    times = Counter(name for name, _ in pairs)
    first: dict[str, Any] = {}
    differ = {name for name, value in pairs if times[name] > 1 and not _same(first.setdefault(name, value), value)}
    return (Twice(name, number, name in differ) for name, number in times.most_common(MOST) if number > 1)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
