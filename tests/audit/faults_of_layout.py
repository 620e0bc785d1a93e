"""Faults of the layout: of values, not of metadata. Each is a table of its own, with correct metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.audit.typed import PARTITION
from xtable_audit.model.finding import Verdict

OVERLAP, ONE_VALUE = "files_do_not_overlap", "every_file_holds_one_value_of_its_own"
File = dict[str, list[object]]


@dataclass(frozen=True, eq=False)
class Layout:
    """The files of a table by their rows, and for each claim the files that break it."""

    id: str
    files: tuple[File, ...]
    touches: Mapping[str, set[int]]

    @property
    def breaks(self) -> Mapping[str, Verdict]:
        return dict.fromkeys(self.touches, Verdict.LOOSE)

    def __str__(self) -> str:
        return self.id


def _file(numbers: list[object], *regions: object) -> File:
    return {"int": numbers, PARTITION: [regions[n % len(regions)] for n in range(len(numbers))]}


HEALTHY = Layout("files side by side", (_file([1, 3], "a"), _file([4, 6], "b"), _file([7, 9], "c")), {})

FAULTS = (
    Layout(
        "two files share one value", (_file([1, 4], "a"), _file([4, 6], "b"), _file([7, 9], "c")), {OVERLAP: {0, 1}}
    ),
    Layout("one file spans all", (_file([1, 99], "a"), _file([4, 6], "b"), _file([7, 9], "c")), {OVERLAP: {0, 1, 2}}),
    Layout(
        "last file reaches back", (_file([1, 3], "a"), _file([4, 6], "b"), _file([2, 9], "c")), {OVERLAP: {0, 1, 2}}
    ),
    Layout(
        "two files of one region",
        (_file([1, 3], "a"), _file([4, 6], "a"), _file([7, 9], "c")),
        {OVERLAP: {0, 1}, ONE_VALUE: {0, 1}},
    ),
    Layout(
        "a file of two regions", (_file([1, 3], "a"), _file([4, 6], "b", "c"), _file([7, 9], "d")), {ONE_VALUE: {1}}
    ),
    Layout(
        "a file of a region and nulls",
        (_file([1, 3], "a"), _file([4, 6], "b", None), _file([7, 9], "c")),
        {ONE_VALUE: {1}},
    ),
)
