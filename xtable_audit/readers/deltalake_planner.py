"""delta-rs as the planner of a Delta table for many predicates, with the log read only once."""

from __future__ import annotations

from collections.abc import Sequence

from deltalake import DeltaTable

from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.refused import Refused
from xtable_audit.readers.deltalake_files import NotPlanned, planned_files
from xtable_audit.readers.deltalake_reader import DeltaReach, open_table


def plan(reach: DeltaReach, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
    """Addresses of the data files that `DeltaTable.file_uris` keeps for each predicate.

    None for a predicate by which delta-rs skips no files, or whose literal the column's type cannot hold. Raises
    Refused if it cannot plan the table.
    """
    try:
        table = open_table(metadata_location, reach)
        return [_kept(table, predicate) for predicate in predicates]
    except Exception as error:  # any exception means that it cannot plan the table
        raise Refused(first_line(error)) from error


def _kept(table: DeltaTable, predicate: Predicate) -> frozenset[str] | None:
    try:
        return planned_files(table, predicate)
    except NotPlanned:
        return None
