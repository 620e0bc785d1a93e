"""The interface of a planner, the judge's own planner, and known differences between planners.

A planner returns, from a table's metadata alone, the data files that a reader must keep for a predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from types import MappingProxyType

from xtable_audit.formats.targets import target_formats, target_of
from xtable_audit.formats.trap import Trap
from xtable_audit.model.planner import JUDGE
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.file_set import LiveFiles
from xtable_audit.planning.judge_planner import JudgePlanner
from xtable_audit.table.stored_metrics import StoredMetrics

Planner = Callable[[str, Sequence[Predicate]], Sequence[Set[str] | None]]
"""`(metadata_location, predicates) -> the paths each predicate keeps`; None if it cannot express a predicate.

Raises `model.refused.Refused` if it cannot plan the table at all.
"""


@cache
def planners() -> Mapping[str, tuple[str, ...]]:
    """Name -> the table formats that it plans; the judge plans all of them."""
    formats = target_formats()
    names = dict.fromkeys(name for one in formats.values() for name in one.planners)
    each = {name: tuple(format for format, one in formats.items() if name in one.planners) for name in names}
    return MappingProxyType({JUDGE: tuple(formats), **each})


def judges(stored: StoredMetrics) -> Planner:
    """The judge's own planner over stored metrics, which are already read."""
    judge, files = JudgePlanner(stored), LiveFiles.of(stored.files["path"])

    def plan(_: str, predicates: Sequence[Predicate]) -> list[Set[str] | None]:
        return [files.among(judge.select(one)) for one in predicates]

    return plan


def trap(planner: str, stored: StoredMetrics, predicate: Predicate, *, losing: bool = False) -> Trap | None:
    """A trap that explains why this planner differs from the judge; with `losing`, why it drops a matching file."""
    known = target_of(stored.metadata_location).planners.get(planner, ())
    return next((one for one in known if one.loses >= losing and one.applies(stored, predicate)), None)
