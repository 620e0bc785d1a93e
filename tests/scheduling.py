"""Files of tests go to workers whole, the longest first, so that two workers end together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
DURATIONS = Path(__file__).with_name("durations.json")
"""Seconds of each file that takes more than one; `make test ARGS=--keep-durations` writes it again."""
TOGETHER = {
    "tests/xtable_audit/claims/test_pruning_claim.py": "tests/xtable_audit/claims/test_mutations.py",
    **dict.fromkeys(
        (str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests" / "containers").glob("test_*.py"))),
        "tests/containers/test_suite_in_containers.py",
    ),
    **dict.fromkeys(
        (
            f"tests/xtable/test_{name}.py"
            for name in ("delta_targets", "planner", "sources", "taxi", "two_writers", "zone")
        ),
        "tests/xtable/test_sync.py",
    ),
}
"""Files that share a JVM, a Docker engine (a second one would wait for the end of the first worker) or what a session
builds once, with the one that they go with.
"""


class Named(Protocol):
    @property
    def nodeid(self) -> str: ...


T = TypeVar("T", bound=Named)


def unit(nodeid: str) -> str:
    """What goes to one worker: the test's file, or the file that it goes with."""
    file = nodeid.partition("::")[0]
    return TOGETHER.get(file, file)


def longest_first(items: Sequence[T], seconds: Mapping[str, float]) -> list[T]:
    """Files in falling order of their seconds, within a unit everything in its own order.

    Those of which nothing is kept come first: they are short, and cost nothing there, or new, and may be long.
    """
    whole: dict[str, float] = defaultdict(float)
    for file, taken in seconds.items():
        whole[unit(file)] += taken
    unknown = {unit(item.nodeid) for item in items} - whole.keys()
    first: dict[str, int] = {}
    for item in items:
        first.setdefault(unit(item.nodeid), len(first))

    def place(file: str) -> tuple[bool, float, int]:
        return file not in unknown, -whole[file], first[file]

    return sorted(items, key=lambda item: place(unit(item.nodeid)))


def durations() -> dict[str, float]:
    kept: dict[str, float] = json.loads(DURATIONS.read_text(encoding="utf-8"))
    return kept


def keep(seconds: Mapping[str, float]) -> None:
    """Files that ran replace their kept durations; files that no longer exist are dropped."""
    known = durations() | dict(seconds)
    long = {file: round(taken, 1) for file, taken in sorted(known.items()) if taken > 1 and (ROOT / file).is_file()}
    DURATIONS.write_text(json.dumps(long, indent=1) + "\n", encoding="utf-8")


class ByUnit(LoadScopeScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)
