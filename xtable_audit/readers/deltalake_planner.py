"""delta-rs as the planner of a Delta table for many predicates, with the log read only once."""

from __future__ import annotations

from collections.abc import Sequence

from deltalake import DeltaTable

from xtable_audit.model.delta_version import delta_version
from xtable_audit.model.malformed import first_line
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.refused import Refused
from xtable_audit.readers.deltalake_files import NotPlanned, planned_files
from xtable_audit.readers.deltalake_reader import DeltaReach, open_table


def plan(reach: DeltaReach, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
    """Addresses of the data files that `DeltaTable.file_uris` keeps for each predicate, spelled below the table's own.

    None for a predicate by which delta-rs skips no files, or whose literal the column's type cannot hold. Raises
    Refused if it cannot plan the table.
    """
    try:
        table = open_table(metadata_location, reach)
        place, root = _place(table), delta_version(metadata_location).root
        kept = [_kept(table, predicate) for predicate in predicates]
        return [one and frozenset(_below(root, place, uri) for uri in one) for one in kept]
    except Exception as error:  # any exception means that it cannot plan the table
        raise Refused(first_line(error)) from error


def _kept(table: DeltaTable, predicate: Predicate) -> frozenset[str] | None:
    try:
        return planned_files(table, predicate)
    except NotPlanned:
        return None


def _place(table: DeltaTable) -> str:
    """The folder that delta-rs opened, as it spells the files in it."""
    return table.table_uri.removeprefix("file://").rstrip("/")


def _below(root: str, place: str, uri: str) -> str:
    return root + uri.removeprefix(place) if uri.startswith(f"{place}/") else uri
