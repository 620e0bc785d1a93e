"""What the manifest list says of the current snapshot's manifests, against what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.needs import COUNTED_MANIFESTS, MANIFESTS, NUMBERED_MANIFESTS
from xtable_audit.metadata.manifests import STATUSES, Manifest, file_count
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case


@claim(
    "the manifest list counts the files and rows that its manifests hold",
    needs=COUNTED_MANIFESTS,
    spec=rules.MANIFEST_COUNTS,
    breaks=Verdict.COSMETIC,
)
def manifest_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNSOUND for counts of live files and rows by which readers answer: Iceberg's Java skips a manifest without live
    files (`ManifestGroup`), and DuckDB sums rows for `count(*)` of a table without delete files (1.5.5, tried). UNSOUND
    for a manifest with fewer live files than are counted: readers find the others nowhere, and report no error.
    """
    for manifest in case.stored.manifests:
        said, true = _listed(manifest.listed), _held(manifest.entries)
        held, counted = manifest.live.num_rows, _live(said, "files")
        skipped = counted is not None and (counted > held or (held > 0 and counted == 0))
        miscounted = not case.stored.delete_files and _live(said, "rows") not in (None, _live(true, "rows"))
        unsound = {"files": skipped, "rows": miscounted}
        for (kind, what), number in said.items():
            if number is not None and number != true[kind, what]:
                verdict = Verdict.UNSOUND if kind != "deleted" and unsound[what] else None
                name = f"{kind}_{what}_count"
                yield _deviation(case, manifest, f"{name} {number}", f"{true[kind, what]}, by its entries", verdict)


Counts = Mapping[tuple[str, str], int | None]
"""By status (`added`, …) and what is counted (`files`, `rows`); None if it is not counted."""


def _listed(listed: Mapping[str, Any]) -> Counts:
    files: Counts = {(kind, "files"): file_count(listed, kind) for kind in STATUSES}
    return {**files, **{(kind, "rows"): listed.get(f"{kind}_rows_count") for kind in STATUSES}}


def _held(entries: pa.Table) -> Counts:
    held: dict[tuple[str, str], int] = {}
    for kind, status in STATUSES.items():
        mine = entries.filter(pc.equal(entries["status"], status))["record_count"]
        held |= {(kind, "files"): len(mine), (kind, "rows"): pc.sum(mine).as_py() or 0}
    return held


def _live(counts: Counts, what: str) -> int | None:
    added, existing = counts["added", what], counts["existing", what]
    return None if added is None or existing is None else added + existing


@claim(
    "manifest_length is the size of the manifest",
    needs=MANIFESTS,
    spec=rules.MANIFEST_LENGTH,
    breaks=Verdict.COSMETIC,
)
def manifest_lengths_are_exact(case: Case) -> Iterator[Deviation]:
    """DuckDB, ClickHouse, PyIceberg, Polars and Daft read the whole object all the same (tried)."""
    for manifest in case.stored.manifests:
        if manifest.listed["manifest_length"] != manifest.size:
            said = f"manifest_length {manifest.listed['manifest_length']}"
            yield _deviation(case, manifest, said, f"{manifest.size} bytes")


@claim(
    "manifests and files have the sequence numbers of the snapshots that added them",
    needs=NUMBERED_MANIFESTS,
    spec=rules.SEQUENCE_NUMBERS,
    breaks=Verdict.COSMETIC,
)
def sequence_numbers_are_those_of_snapshots(case: Case) -> Iterator[Deviation]:
    """UNSOUND if the table has delete files: by these numbers readers decide which data files they apply to.

    A file may have an older number than its manifest. A manifest list of format version 1 need not name snapshots
    (Iceberg's Java, ManifestFile.SNAPSHOT_ID). An expired snapshot's number is not known, and no manifest is
    newer than the current snapshot.
    """
    verdict = Verdict.UNSOUND if case.stored.delete_files else None
    metadata = case.stored.metadata
    numbers = {snapshot.snapshot_id: snapshot.sequence_number or 0 for snapshot in metadata.snapshots}
    newest = numbers.get(metadata.current_snapshot_id or 0, 0)
    for manifest in case.stored.manifests:
        own, added_by = manifest.listed.get("sequence_number") or 0, manifest.listed.get("added_snapshot_id")
        if added_by in numbers and own != numbers[added_by]:
            expected = f"{numbers[added_by]}, that of snapshot {added_by}"
            yield _deviation(case, manifest, f"sequence number {own}", expected, verdict)
        elif own > newest:
            expected = f"at most {newest}, that of the current snapshot"
            yield _deviation(case, manifest, f"sequence number {own}", expected, verdict)
        yield from _of_files(case, manifest, own, verdict)


def _of_files(case: Case, manifest: Manifest, own: int, verdict: Verdict | None) -> Iterator[Deviation]:
    live = manifest.entries.filter(pc.not_equal(manifest.entries["status"], STATUSES["deleted"]))
    if not live.num_rows:
        return
    inherited = pc.is_null(live["sequence_number"])
    existing = pc.equal(live["status"], STATUSES["existing"])
    if own and pc.any(pc.and_(inherited, existing)).as_py():  # 0 is inherited from format version 1
        yield _deviation(case, manifest, "an existing file without a sequence number", "its own number", verdict)
    files = pc.fill_null(live["sequence_number"], own)
    extremes = pc.min_max(files).as_py()
    if extremes["max"] > own:
        saw = f"sequence number {extremes['max']} of a file"
        yield _deviation(case, manifest, saw, f"at most {own}, its manifest's", verdict)
    least = manifest.listed.get("min_sequence_number") or 0
    if least > extremes["min"]:
        yield _deviation(case, manifest, f"min_sequence_number {least}", f"{extremes['min']}, by its files", verdict)


def _deviation(case: Case, manifest: Manifest, saw: str, expected: str, verdict: Verdict | None = None) -> Deviation:
    places = np.flatnonzero(pc.equal(case.stored.files["manifest"], manifest.path))
    name = manifest.path.rpartition("/")[2]
    return Deviation(tuple(map(int, places)), f"{saw} for {name}", expected, verdict=verdict, whole=True)
