"""Tables by Iceberg's own writers, judged: each table once, when a test first uses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from pyiceberg.table import StaticTable

from tests.kept import kept
from tests.other_writers import deletes, duckdb_run, spark_run, trino_run
from tests.other_writers.deletes import CHANGED, CHANGED_BY_TRINO, DELETED
from tests.other_writers.described import DESCRIBED
from tests.other_writers.entry import Entry
from tests.other_writers.every_claim import Held, HeldOf
from tests.other_writers.histories import HISTORIES
from tests.other_writers.partitions import PARTITIONS
from tests.other_writers.values import OF_TRINO, VALUES
from tests.other_writers.written import read
from tests.tables.mirror import Mirror
from xtable_audit.model.problem import Problem
from xtable_audit.readers.pyiceberg_reader import plan_table

IN_BATCHES = tuple(
    {entry.name: entry for entry in entries}
    for entries in (
        (*VALUES, *PARTITIONS, *HISTORIES, *DELETED, deletes.FORMATS, deletes.VERSION_3, deletes.DEFAULTS),
        DESCRIBED,
    )
)
"""One Spark process writes each."""
BY_SPARK = {name: entry for batch in IN_BATCHES for name, entry in batch.items()}
BY_TRINO = {
    entry.name: entry
    for entry in (*VALUES, OF_TRINO, *PARTITIONS, *CHANGED_BY_TRINO)
    if entry.name not in ("year_10000", "long_strings", "dates", "lost_days")
}
REFUSED_BY_DUCKDB = ("by_identity", "by_truncate")
"""It makes text of partition values, and fails over bytes that are none."""
BY_DUCKDB = {
    entry.name: entry for entry in (*VALUES, OF_TRINO, *PARTITIONS, *CHANGED) if entry.name not in REFUSED_BY_DUCKDB
}


@pytest.fixture(scope="session")
def of_spark() -> HeldOf:
    """A table that Iceberg's writer in Spark wrote."""

    @cache
    def batch(number: int) -> HeldOf:
        return held_of(IN_BATCHES[number], spark_run.write, spark_run.JOB)

    return lambda name: batch(next(number for number, those in enumerate(IN_BATCHES) if name in those))(name)


@pytest.fixture(scope="session")
def of_trino() -> HeldOf:
    """A table that Trino wrote."""
    try:
        return held_of(BY_TRINO, trino_run.write, "lab.engines.trino.open")
    except Problem as problem:
        pytest.skip(f"Trino is not available: {problem}")


@pytest.fixture(scope="session")
def of_duckdb() -> HeldOf:
    """A table that DuckDB wrote."""
    try:
        return held_of(BY_DUCKDB, duckdb_run.write, "lab.engines.nessie")
    except Problem as problem:
        pytest.skip(f"DuckDB has no Iceberg REST catalog to write to: {problem}")


def held_of(entries: Mapping[str, Entry], write: Callable[..., Any], engine: str) -> HeldOf:
    folder, accounts = kept(write, engine, entries=tuple(entries.values()))
    mirror, written = Mirror(folder), read(folder, accounts)

    @cache
    def held(name: str) -> Held:
        return Held(
            written[name],
            mirror,
            lambda location, predicates: plan_table(StaticTable.from_metadata(location, mirror.pyiceberg), predicates),
            entries[name].spec,
        )

    return held
