"""The metadata table's listing of files against the timeline: readers list by the one and hide by the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xtable_audit.claims.deviation import Deviation, deviation, file_name
from xtable_audit.formats.hudi.target.paths import data_file_name
from xtable_audit.formats.hudi.target.rules import FILES
from xtable_audit.formats.hudi.target.table import HudiTarget
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case


def _table(case: Case) -> HudiTarget | None:
    return case.stored.native if isinstance(case.stored.native, HudiTarget) else None


def _by_commits(table: HudiTarget) -> set[str]:
    """Paths below the table of the files that commits added, and that none replaced or wrote anew."""
    assert table.timeline is not None
    assert table.at is not None
    newest: dict[tuple[str, str], tuple[str, str]] = {}
    replaced = set()
    for commit in table.timeline.commits:
        if commit.instant.time > table.at.time:
            continue
        replaced |= {(part, id) for part, ids in commit.replaced.items() for id in ids}
        for part, paths in commit.written.items():
            for path in paths:
                found = data_file_name(path.rpartition("/")[2])
                if found is not None:
                    newest[part, found.group] = max(newest.get((part, found.group), ("", "")), (found.time, path))
    return {path for group, (_, path) in newest.items() if group not in replaced}


def _listed_and_committed(case: Case) -> bool:
    table = _table(case)
    return table is not None and table.metadata is not None and bool(_by_commits(table) or table.live)


@claim(
    "the metadata table lists the files that the commits added, and no others",
    needs=Need("a metadata table, and commits that are not archived", _listed_and_committed),
    spec=FILES,
    breaks=Verdict.UNSOUND,
)
def listing_is_that_of_the_timeline(case: Case) -> Iterator[Deviation]:
    """Files that archived commits added count as listed rightly."""
    table = _table(case)
    assert table is not None
    assert table.timeline is not None
    committed = _by_commits(table)
    live = [table.live[path] for path in case.stored.paths]
    if missing := sorted(committed - {one.listed for one in table.live.values()}):
        saw = f"{len(missing)} of the {len(committed)} files of the commits not in the metadata table"
        yield Deviation((), saw=saw, expected=missing[0], unlisted=len(missing))
    since = table.timeline.commits[0].instant.time if table.timeline.commits else ""
    yield from deviation(
        np.array([one.listed not in committed and one.time >= since for one in live], dtype=bool),
        saw=lambda i: f"{file_name(case, i)} in the metadata table",
        expected=lambda i: "a file that a commit added and none replaced",
        verdict=Verdict.STALE,
    )
