"""Whether every reader takes metadata.json for the same: strict ones refuse what lenient ones read."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.iceberg.claims.needs import COLUMNS, WRITTEN
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case


@claim(
    "metadata.json has the specified fields, each of the specified type",
    needs=WRITTEN,
    spec=rules.JSON_TYPES,
    breaks=Verdict.UNREADABLE,
)
def metadata_json_has_the_specified_types(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java refuses every field that breaks it (1.9.2, tried), PyIceberg reads most of them."""
    for misfit in iceberg_of(case.stored).as_written.misfits:
        yield Deviation((), misfit.saw, misfit.expected, whole=True)


@claim(
    "last-column-id and last-partition-id are as high as every id of a column and of a partition field",
    needs=COLUMNS,
    spec=rules.LAST_IDS,
    breaks=Verdict.UNSOUND,
)
def last_ids_are_the_highest(case: Case) -> Iterator[Deviation]:
    """The next column that is added gets the id after it: PyIceberg then reads the values of the column that had that
    id (0.12, tried). Of partition fields COSMETIC: readers find them within one spec.
    """
    metadata = iceberg_of(case.stored).metadata
    columns = (schema.highest_field_id for schema in metadata.schemas)
    fields = (field.field_id for spec in metadata.partition_specs for field in spec.fields)
    for name, stored, ids, verdict in (
        ("last-column-id", metadata.last_column_id, columns, None),
        ("last-partition-id", metadata.last_partition_id, fields, Verdict.COSMETIC),
    ):
        if stored is not None and stored < (highest := max(ids, default=0)):
            yield Deviation((), f"{name} {stored}", f"{highest} or more", verdict=verdict, whole=True)


@claim(
    "no name stands twice in an object of metadata.json",
    needs=WRITTEN,
    spec=rules.JSON_NAMES,
    breaks=Verdict.UNSOUND,
)
def no_name_stands_twice_in_metadata_json(case: Case) -> Iterator[Deviation]:
    """DuckDB takes the first value, Iceberg's Java and PyIceberg the last (tried): of current-snapshot-id they return
    other rows. COSMETIC where the values are the same, or no reader reads them.
    """
    for one in iceberg_of(case.stored).as_written.repeated:
        saw = f"{one.place} {one.times:,} times{', with different values' if one.differ else ''}"
        yield Deviation((), saw, "once", verdict=None if one.differ else Verdict.COSMETIC, whole=True)
