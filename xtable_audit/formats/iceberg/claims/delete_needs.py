"""Needs of the claims about delete files and deletion vectors."""

from __future__ import annotations

from xtable_audit.claims.needs import BESIDE_UNREAD, unread
from xtable_audit.formats.iceberg.claims.needs import beside_of
from xtable_audit.formats.iceberg.delete_contents import DeleteContents
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model.claim import Need
from xtable_audit.subject.case import Case, Part
from xtable_audit.table.delete_files import EQUALITY, POSITION


def positions(one: DeleteContents) -> bool:
    """Whether it is a position delete file that is no vector."""
    return one.file.content == POSITION and not one.file.is_vector


def vectors(case: Case) -> list[DeleteContents]:
    return [one for one in beside_of(case).deletes if one.file.is_vector]


def names_columns(one: DeleteContents) -> bool:
    """Whether it is an equality delete file whose columns are known."""
    return one.file.content == EQUALITY and one.file.is_known and one.malformed is None and one.size is not None


DELETE_FILES = Need[Case]("a live delete file", lambda case: len(beside_of(case).deletes), waits=BESIDE_UNREAD)
EXISTING_DELETES = Need[Case](
    "a live delete file that exists",
    lambda case: sum(one.size is not None for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
READ_DELETES = Need[Case](
    "a live delete file whose rows are read",
    lambda case: sum(one.record_count is not None for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
DELETE_BOUNDS = Need[Case](
    "a stored bound of a delete file whose rows are read",
    lambda case: any(
        one.columns and any(name.endswith("bounds") for name, _ in one.file.metrics) for one in beside_of(case).deletes
    ),
    waits=BESIDE_UNREAD,
)
DELETE_COUNTS = Need[Case](
    "a stored count of a delete file whose rows are read",
    lambda case: any(
        one.columns and any(name.endswith("counts") for name, _ in one.file.metrics) for one in beside_of(case).deletes
    ),
    waits=BESIDE_UNREAD,
)
TARGETS = Need[Case](
    "a row of a live data file that is deleted by position",
    lambda case: any(path in case.stored.deletions.data for one in beside_of(case).deletes for path in one.targets),
    waits=BESIDE_UNREAD,
)
POSITION_FILES = Need[Case](
    "a live position delete file that is read",
    lambda case: any(positions(one) and one.record_count is not None for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
REFERENCES_TO_FILES = Need[Case](
    "a live position delete file with a referenced_data_file",
    lambda case: any(
        positions(one) and one.file.referenced is not None and one.targets for one in beside_of(case).deletes
    ),
    waits=BESIDE_UNREAD,
)
POSITION_FILES_IN_3 = Need[Case](
    "a live position delete file of a table of format version 3",
    lambda case: iceberg_of(case.stored).metadata.format_version >= 3 and any(map(positions, beside_of(case).deletes)),
    waits=unread(Part.BESIDE, lambda case: iceberg_of(case.stored).metadata.format_version >= 3),
)
EQUALITY_FILES = Need[Case](
    "a live equality delete file in Parquet",
    lambda case: sum(names_columns(one) for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
VECTORS = Need[Case]("a live deletion vector", lambda case: len(vectors(case)), waits=BESIDE_UNREAD)
BLOBS = Need[Case](
    "a live deletion vector with a blob in its Puffin file's footer",
    lambda case: sum(one.blob is not None and one.record_count is not None for one in vectors(case)),
    waits=BESIDE_UNREAD,
)
MERGED_VECTORS = Need[Case](
    "a deletion vector of a live data file, and a position delete file in the same partition",
    lambda case: (
        any(map(positions, beside_of(case).deletes))
        and any(one.file.referenced in case.stored.deletions.data for one in vectors(case))
    ),
    waits=BESIDE_UNREAD,
)
