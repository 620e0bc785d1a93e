"""What the manifest list says of the current snapshot's manifests, against what they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema, make_compatible_name
from pyiceberg.transforms import UnknownTransform, VoidTransform

from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.partition import spec_in_words
from xtable_audit.formats.iceberg.claims.needs import (
    COUNTED_MANIFESTS,
    MANIFESTS,
    NUMBERED_MANIFESTS,
    TUPLES_OF_MANIFESTS,
)
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifest_header import Columns, Transforms, columns_of
from xtable_audit.formats.iceberg.manifests import STATUSES, Manifest, entries_of, file_count
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
    for manifest, true in zip(iceberg_of(case.stored).manifests, _held(iceberg_of(case.stored).manifests), strict=True):
        listed = _listed(manifest.listed)
        held, counted = manifest.live.num_rows, _live(listed, "files")
        skipped = counted is not None and (counted > held or (held > 0 and counted == 0))
        miscounted = not case.stored.delete_files and _live(listed, "rows") not in (None, _live(true, "rows"))
        unsound = {"files": skipped, "rows": miscounted}
        for (kind, what), number in listed.items():
            if number is not None and number != true[kind, what]:
                verdict = Verdict.UNSOUND if kind != "deleted" and unsound[what] else None
                name = f"{kind}_{what}_count"
                yield _deviation(case, manifest, f"{name} {number}", f"{true[kind, what]}, by its entries", verdict)


Counts = Mapping[tuple[str, str], int | None]
"""By status (`added`, …) and what is counted (`files`, `rows`); None if it is not counted."""


def _listed(listed: Mapping[str, Any]) -> Counts:
    files: Counts = {(kind, "files"): file_count(listed, kind) for kind in STATUSES}
    return {**files, **{(kind, "rows"): listed.get(f"{kind}_rows_count") for kind in STATUSES}}


def _held(manifests: Sequence[Manifest]) -> Iterator[Counts]:
    """Of each, by its entries."""
    entries, owner = entries_of(manifests)
    rows = np.asarray(entries["record_count"].fill_null(0))
    held = {}
    for kind, status in STATUSES.items():
        mine = np.asarray(pc.equal(entries["status"], status).fill_null(False))
        held[kind, "files"] = np.bincount(owner[mine], minlength=len(manifests))
        held[kind, "rows"] = np.zeros(len(manifests), np.int64)
        np.add.at(held[kind, "rows"], owner[mine], rows[mine])
    for place in range(len(manifests)):
        yield {what: int(numbers[place]) for what, numbers in held.items()}


def _live(counts: Counts, what: str) -> int | None:
    added, existing = counts["added", what], counts["existing", what]
    return None if added is None or existing is None else added + existing


@claim(
    "the fields of a manifest's partition tuples have the field ids of the partition spec",
    needs=TUPLES_OF_MANIFESTS,
    spec=rules.TUPLE_IDS,
    breaks=Verdict.UNSOUND,
)
def tuples_have_the_ids_of_the_spec(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java, by which Spark, Trino and Flink plan, looks for the tuple's fields by their ids in metadata.json
    (`ManifestReader`), and reads a field that it does not find as null: it then skips the file.
    """
    specs = iceberg_of(case.stored).metadata.specs()
    for manifest in iceberg_of(case.stored).manifests:
        spec = specs.get(manifest.listed["partition_spec_id"])
        if spec is None or not manifest.live.num_rows:
            continue
        names = {id: name for name, id in manifest.header.tuple_ids}
        own = {make_compatible_name(field.name): field.field_id for field in spec.fields}
        for field in spec.fields:
            written = names.get(field.field_id)
            if isinstance(field.transform, VoidTransform | UnknownTransform):
                continue
            if written is None or own.get(written, field.field_id) != field.field_id:
                ids = ", ".join(f"{name} {id}" for name, id in manifest.header.tuple_ids) or "none"
                yield _deviation(case, manifest, f"ids {ids}", f"{field.field_id} of {field.name}, by its spec")


@claim(
    "a manifest's header has the partition spec and the schema that the table has of these ids",
    needs=MANIFESTS,
    spec=rules.MANIFEST_HEADER,
    breaks=Verdict.UNSOUND,
)
def headers_are_those_of_the_table(case: Case) -> Iterator[Deviation]:
    """ClickHouse skips files by the partition spec of the header (`ManifestFileIterator`; 26.9, tried), and refuses a
    manifest without one, or with another schema than the table has of that id: UNREADABLE. No reader is known to use
    partition-spec-id: COSMETIC.
    """
    specs = iceberg_of(case.stored).metadata.specs()
    schemas: dict[int | None, Columns] = {
        one.schema_id: _columns(one) for one in iceberg_of(case.stored).metadata.schemas
    }
    for manifest in iceberg_of(case.stored).manifests:
        header, id = manifest.header, manifest.listed["partition_spec_id"]
        spec = tuple((field.source_id, str(field.transform)) for field in specs[id].fields) if id in specs else None
        if header.spec is None or header.columns is None:
            lacks = "partition-spec" if header.spec is None else "schema"
            yield _deviation(case, manifest, f"no {lacks} in its header", f"the {lacks}", Verdict.UNREADABLE)
            continue
        if spec is not None and manifest.live.num_rows and header.spec != spec:
            yield _deviation(case, manifest, f"partition-spec {_spec(header.spec)}", f"{_spec(spec)}, spec {id}")
        if header.spec_id is not None and header.spec_id != str(id):
            expected = f"{id}, by the manifest list"
            yield _deviation(case, manifest, f"partition-spec-id {header.spec_id}", expected, Verdict.COSMETIC)
        own = schemas.get(header.schema_id, header.columns)
        if others := {one for one in header.columns - own if one[0] not in _not_known(own)}:
            name, kind = min((name, kind) for _, name, kind in others)
            saw, expected = f"column {name} of type {kind} in its header", f"schema {header.schema_id} of the table"
            yield _deviation(case, manifest, saw, expected, Verdict.UNREADABLE)


def _columns(schema: Schema) -> Columns:
    return columns_of(json.loads(schema.model_dump_json())["fields"])


def _not_known(columns: Columns) -> set[int | None]:
    """Ids of columns with types that are not known here, and `unknown` in their place."""
    return {id for id, _, kind in columns if '"unknown"' in kind}


def _spec(fields: Transforms) -> str:
    return spec_in_words((transform, source) for source, transform in fields)


@claim(
    "manifest_length is the size of the manifest",
    needs=MANIFESTS,
    spec=rules.MANIFEST_LENGTH,
    breaks=Verdict.COSMETIC,
)
def manifest_lengths_are_exact(case: Case) -> Iterator[Deviation]:
    """DuckDB, ClickHouse, PyIceberg, Polars and Daft read the whole object all the same (tried)."""
    for manifest in iceberg_of(case.stored).manifests:
        if manifest.listed["manifest_length"] != manifest.size:
            stored = f"manifest_length {manifest.listed['manifest_length']}"
            yield _deviation(case, manifest, stored, f"{manifest.size} bytes")


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
    metadata = iceberg_of(case.stored).metadata
    numbers = {snapshot.snapshot_id: snapshot.sequence_number or 0 for snapshot in metadata.snapshots}
    newest = numbers.get(metadata.current_snapshot_id or 0, 0)
    of_files = _numbers(iceberg_of(case.stored).manifests)
    for manifest, numbers_of_files in zip(iceberg_of(case.stored).manifests, of_files, strict=True):
        own, added_by = manifest.listed.get("sequence_number") or 0, manifest.listed.get("added_snapshot_id")
        if added_by in numbers and own != numbers[added_by]:
            expected = f"{numbers[added_by]}, that of snapshot {added_by}"
            yield _deviation(case, manifest, f"sequence number {own}", expected, verdict)
        elif own > newest:
            expected = f"at most {newest}, that of the current snapshot"
            yield _deviation(case, manifest, f"sequence number {own}", expected, verdict)
        if numbers_of_files is not None:
            yield from _of_files(case, manifest, own, numbers_of_files, verdict)


@dataclass(frozen=True)
class _Numbers:
    """Sequence numbers of a manifest's live files, with those that they inherit."""

    least: int
    greatest: int
    existing_without: bool
    """Whether an existing file has none of its own."""


def _numbers(manifests: Sequence[Manifest]) -> Iterator[_Numbers | None]:
    """Of each; None if it has no live file."""
    entries, owner = entries_of(manifests)
    live = np.asarray(pc.not_equal(entries["status"], STATUSES["deleted"]).fill_null(False))
    entries, owner = entries.filter(pa.array(live)), owner[live]
    own = np.array([one.listed.get("sequence_number") or 0 for one in manifests], np.int64)
    without = np.asarray(pc.is_null(entries["sequence_number"]))
    numbers = np.where(without, own[owner], np.asarray(entries["sequence_number"].fill_null(0)))
    existing = np.asarray(pc.equal(entries["status"], STATUSES["existing"]))
    files, lacking = (np.bincount(those, minlength=len(manifests)) for those in (owner, owner[without & existing]))
    ends = np.cumsum(files)
    for place, end in enumerate(ends):
        mine = numbers[end - files[place] : end]
        yield _Numbers(int(mine.min()), int(mine.max()), bool(lacking[place])) if len(mine) else None


def _of_files(
    case: Case, manifest: Manifest, own: int, numbers: _Numbers, verdict: Verdict | None
) -> Iterator[Deviation]:
    if own and numbers.existing_without:  # 0 is inherited from format version 1
        yield _deviation(case, manifest, "an existing file without a sequence number", "its own number", verdict)
    if numbers.greatest > own:
        saw = f"sequence number {numbers.greatest} of a file"
        yield _deviation(case, manifest, saw, f"at most {own}, its manifest's", verdict)
    least = manifest.listed.get("min_sequence_number") or 0
    if least > numbers.least:
        yield _deviation(case, manifest, f"min_sequence_number {least}", f"{numbers.least}, by its files", verdict)


def _deviation(case: Case, manifest: Manifest, saw: str, expected: str, verdict: Verdict | None = None) -> Deviation:
    places = case.stored.rows_of_manifests.get(manifest.path, ())
    name = manifest.path.rpartition("/")[2]
    return Deviation(tuple(places), f"{saw} for {name}", expected, verdict=verdict, whole=True)
