"""What manifests say of delete files and deletion vectors, against the rows that these delete."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.types import DoubleType, FloatType, LongType, PrimitiveType, StringType

from xtable_audit.claims.deviation import NO_OBJECT, Deviation, last
from xtable_audit.formats.iceberg.claims.needs import (
    DELETE_BOUNDS,
    DELETE_COUNTS,
    DELETE_FILES,
    EQUALITY_FILES,
    EXISTING_DELETES,
    POSITION_FILES,
    POSITION_FILES_IN_3,
    READ_DELETES,
    REFERENCES_TO_FILES,
    TARGETS,
    beside_of,
    names_columns,
    positions,
)
from xtable_audit.formats.iceberg.columns import leaves, type_of
from xtable_audit.formats.iceberg.delete_contents import FILE_PATH, POS, DeleteContents, Extremes
from xtable_audit.formats.iceberg.fields import Node, nodes
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.single_value import Undecodable, decode
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case
from xtable_audit.table.deletions import Tuple


@claim(
    "every live delete file exists and can be read", needs=DELETE_FILES, spec=rules.FILE_PATH, breaks=Verdict.UNREADABLE
)
def delete_files_can_be_read(case: Case) -> Iterator[Deviation]:
    for one in beside_of(case).deletes:
        if one.size is None:
            saw = f"no object at {one.file.path}"
            yield replace(of(case, one, saw, "the delete file that the manifest names"), kind=NO_OBJECT)
        elif one.malformed is not None:
            yield of(case, one, f"{name(one)} {one.malformed}", "the delete file that the manifest describes")


@claim(
    "file_size_in_bytes of a delete file is the size of the file",
    needs=EXISTING_DELETES,
    spec=rules.FILE_SIZE,
    breaks=Verdict.FAILED_SILENTLY,
)
def delete_file_sizes_are_exact(case: Case) -> Iterator[Deviation]:
    """Readers locate the footer by this size. COSMETIC for deletion vectors, which they read without the footer."""
    for one in beside_of(case).deletes:
        if one.size is not None and one.size != one.file.size:
            saw = f"file_size_in_bytes {one.file.size} for {name(one)}"
            yield of(case, one, saw, f"{one.size} bytes", Verdict.COSMETIC if one.file.is_vector else None)


@claim(
    "record_count of a delete file is the number of its rows, of a deletion vector that of its positions",
    needs=READ_DELETES,
    spec=rules.DELETE_COUNT,
    breaks=Verdict.COSMETIC,
)
def delete_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """UNREADABLE for a vector: Iceberg's Java refuses another cardinality (`BitmapPositionDeleteIndex`). STALE for 0 of
    a delete file with rows: planners drop a file without records.
    """
    for one in beside_of(case).deletes:
        stored, true = one.file.record_count, one.record_count
        if true is not None and stored != true:
            dropped = Verdict.STALE if stored == 0 else None
            verdict = Verdict.UNREADABLE if one.file.is_vector else dropped
            what = "position" if one.file.is_vector else "row"
            yield of(case, one, f"record_count {stored} for {name(one)}", many(true, what), verdict)


@claim(
    "lower and upper bounds of a delete file contain every value of its rows",
    needs=DELETE_BOUNDS,
    spec=rules.DELETE_METRICS,
    breaks=Verdict.STALE,
)
def delete_bounds_contain_values(case: Case) -> Iterator[Deviation]:
    """Planners pass over a delete file by them: Iceberg's Java by those of file_path, if they are equal, and of the
    columns of equality deletes (`DeleteFileIndex`), Trino by those of pos.
    """
    for one in beside_of(case).deletes:
        for side in ("lower", "upper"):
            for id, raw in dict(one.file.metrics).get(f"{side}_bounds", ()):
                actual = one.columns.get(id)
                if actual is not None and actual.min.is_valid:
                    yield from _bound(case, one, actual, side, raw, _type(case, id))


def _bound(
    case: Case, one: DeleteContents, actual: Extremes, side: str, raw: bytes, kind: PrimitiveType
) -> Iterator[Deviation]:
    try:
        [bound] = decode(pa.array([raw], pa.binary()), kind)
    except Undecodable as error:
        yield of(case, one, f"{error}: {side} bound of {actual.name} for {name(one)}", f"a {kind}", column=actual.name)
        return
    value = actual.min if side == "lower" else actual.max
    excludes = pc.greater(bound, value) if side == "lower" else pc.less(bound, value)
    if excludes.as_py():
        saw = f"{side} bound {show(bound)} of {actual.name} for {name(one)}"
        yield of(case, one, saw, f"{show(value)}, of its rows", column=actual.name)


@claim(
    "value and null counts of a delete file are those of its rows",
    needs=DELETE_COUNTS,
    spec=rules.DELETE_METRICS,
    breaks=Verdict.COSMETIC,
)
def delete_value_counts_are_exact(case: Case) -> Iterator[Deviation]:
    """STALE if they say falsely that a column has no nulls, or nothing but nulls: Iceberg's Java then does not apply
    an equality delete file (`DeleteFileIndex`).
    """
    for one in beside_of(case).deletes:
        metrics = {metric: dict(pairs) for metric, pairs in one.file.metrics}
        for id, actual in one.columns.items():
            values, nulls = (metrics.get(metric, {}).get(id) for metric in ("value_counts", "null_value_counts"))
            ignored = (nulls == 0 and actual.null_count > 0) or (
                nulls is not None and nulls == values and actual.null_count < actual.value_count
            )
            for metric, stored, true in (
                ("value_count", values, actual.value_count),
                ("null_value_count", nulls, actual.null_count),
            ):
                if stored is not None and stored != true:
                    saw = f"{metric} {stored} of {actual.name} for {name(one)}"
                    verdict = Verdict.STALE if ignored else None
                    yield of(case, one, saw, f"{true}, counted in its rows", verdict, actual.name)


@claim(
    "the referenced_data_file of a position delete file is the file of all its deletes",
    needs=REFERENCES_TO_FILES,
    spec=rules.REFERENCED,
    breaks=Verdict.STALE,
)
def referenced_files_are_those_of_the_deletes(case: Case) -> Iterator[Deviation]:
    """Readers apply it to that file alone."""
    for one in beside_of(case).deletes:
        others = sorted(set(one.targets) - {one.file.referenced})
        if positions(one) and one.file.referenced is not None and others:
            saw = f"referenced_data_file {last(one.file.referenced)} for {name(one)}"
            yield of(case, one, saw, f"{last(others[0])}, of which it deletes rows", paths=others)


@claim(
    "the rows of a position delete file are sorted by file_path, then pos",
    needs=POSITION_FILES,
    spec=rules.DELETES_SORTED,
    breaks=Verdict.COSMETIC,
)
def position_deletes_are_sorted(case: Case) -> Iterator[Deviation]:
    for one in beside_of(case).deletes:
        if not one.in_order:
            yield of(case, one, f"rows out of order in {name(one)}", "rows sorted by file_path, then pos")


@claim(
    "every position that is deleted of a live data file is one of its rows",
    needs=TARGETS,
    spec=rules.POSITIONS,
    breaks=Verdict.STALE,
)
def deleted_positions_are_rows(case: Case) -> Iterator[Deviation]:
    """A row that was to be deleted is shown: no row has that position."""
    rows = dict(zip(case.stored.paths, case.actual.files["record_count"].to_pylist(), strict=True))
    for one in beside_of(case).deletes:
        for path, deleted in one.targets.items():
            count = rows.get(path)
            if count is not None and len(deleted) and not 0 <= deleted.min() <= deleted.max() < count:
                wrong = deleted.min() if deleted.min() < 0 else deleted.max()
                saw = f"position {wrong} of {last(path)} in {name(one)}"
                yield of(case, one, saw, f"a position of its {many(count, 'row')}", paths=[path])


@claim(
    "position deletes and deletion vectors apply to the live data files whose rows they delete",
    needs=TARGETS,
    spec=rules.DELETE_SCOPE,
    breaks=Verdict.STALE,
)
def deletes_apply_to_their_files(case: Case) -> Iterator[Deviation]:
    """Readers that follow the rule show the deleted rows; Iceberg's Java refuses some such tables.

    A position delete file may be older than a data file that was removed and added again; a vector may not.
    """
    data = case.stored.deletions.data
    for one in beside_of(case).deletes:
        for path in sorted(one.targets.keys() & data.keys()):
            sequence, partition = data[path]
            older = sequence > one.file.sequence
            if partition != one.file.partition and (one.file.is_vector or not older):
                saw = f"{name(one)} in {_partition(one.file.partition)}"
                yield of(case, one, saw, f"{_partition(partition)}, that of {last(path)}", paths=[path])
            elif one.file.is_vector and older:
                saw = f"sequence number {one.file.sequence} of {name(one)}"
                yield of(case, one, saw, f"{sequence} or more, that of {last(path)}", paths=[path])


@claim(
    "no position delete file is added to a table of format version 3",
    needs=POSITION_FILES_IN_3,
    spec=rules.NO_POSITIONS_IN_3,
    breaks=Verdict.COSMETIC,
)
def no_position_deletes_are_added_in_version_3(case: Case) -> Iterator[Deviation]:
    """A snapshot that has a first-row-id was made in version 3. An expired one's version is not known."""
    in_3 = {one.snapshot_id for one in iceberg_of(case.stored).metadata.snapshots if one.first_row_id is not None}
    for one in beside_of(case).deletes:
        if positions(one) and one.file.added_by in in_3:
            saw = f"{name(one)}, added by snapshot {one.file.added_by}"
            yield of(case, one, saw, "a deletion vector: the snapshot is of format version 3")


@claim(
    "equality_ids are columns of the table that the delete file holds",
    needs=EQUALITY_FILES,
    spec=rules.EQUALITY_IDS,
    breaks=Verdict.UNREADABLE,
)
def equality_ids_are_columns(case: Case) -> Iterator[Deviation]:
    fields = _fields(case)
    for one in filter(names_columns, beside_of(case).deletes):
        if not one.file.equality_ids:
            yield of(case, one, f"no equality_ids for {name(one)}", "the ids of the columns that it deletes by")
        for id in one.file.equality_ids:
            if id not in fields:
                yield of(case, one, f"field id {id} for {name(one)}", "the id of a column of the table")
            elif id not in one.ids:
                saw = f"{fields[id].path} in the equality_ids of {name(one)}"
                yield of(case, one, saw, "a column that the file holds", column=fields[id].path)


@claim(
    "no equality delete file deletes by a float or double column",
    needs=EQUALITY_FILES,
    spec=rules.EQUALITY_COLUMNS,
    breaks=Verdict.COSMETIC,
)
def equality_deletes_compare_no_floats(case: Case) -> Iterator[Deviation]:
    fields = _fields(case)
    for one in filter(names_columns, beside_of(case).deletes):
        for field in (fields[id] for id in one.file.equality_ids if id in fields):
            if isinstance(field.type, FloatType | DoubleType):
                saw = f"{field.type} {field.path} in the equality_ids of {name(one)}"
                yield of(case, one, saw, "columns of other types", column=field.path)


def _fields(case: Case) -> dict[int, Node]:
    """Every field of any schema of the table, by id."""
    return {node.field_id: node for schema in iceberg_of(case.stored).metadata.schemas for node in nodes(schema)}


def of(
    case: Case,
    one: DeleteContents,
    saw: str,
    expected: str,
    verdict: Verdict | None = None,
    column: str | None = None,
    paths: Collection[str] | None = None,
) -> Deviation:
    """A deviation of the data files at `paths`, by default those that the delete file applies to or names."""
    chosen = {*case.stored.deletions.applied.to(one.file), *one.targets} if paths is None else set(paths)
    rows = case.stored.rows
    places = sorted(row for path in chosen for row in rows.get(path, ()))
    return Deviation(tuple(places), saw, expected, column, verdict, whole=True)


def name(one: DeleteContents) -> str:
    return last(one.file.path)


def _partition(of_file: Tuple) -> str:
    id, values = of_file
    return f"partition ({', '.join(values)}) of spec {id}"


def _type(case: Case, id: int) -> PrimitiveType:
    of_positions: dict[int, PrimitiveType] = {FILE_PATH: StringType(), POS: LongType()}
    return of_positions.get(id) or next(
        type_of(leaf)
        for schema in reversed(iceberg_of(case.stored).metadata.schemas)
        for leaf in leaves(schema)
        if leaf.field_id == id
    )
