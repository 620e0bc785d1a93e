"""Real trips, upserted and deleted in a Delta table, translated by the newest release of XTable, and checked."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from lab.stack.versions import releases
from tests.spark_jobs.conftest import tlc_months
from tests.xtable_audit.cli.conftest import Command, command
from xtable.sync import Translator

__all__ = ["command", "tlc_months"]

pytestmark = [pytest.mark.jvm, pytest.mark.slow]
UPSERTED, DELETED = 5000, "trip % 1000 = 7"


def trips(folder: Path, month: str) -> pa.Table:
    """The month's trips, each with a key. Times are in UTC: Delta's without a zone need a newer reader."""
    table = pq.read_table(folder / f"green_tripdata_{month}.parquet")
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            times = pc.assume_timezone(table[field.name].cast(pa.timestamp("us")), "UTC")
            table = table.set_column(place, field.name, times)
        elif pa.types.is_null(field.type):
            table = table.set_column(place, field.name, pa.nulls(table.num_rows, pa.float64()))
    keys = pa.array(range(table.num_rows), pa.int64())
    return table.append_column("trip", keys).append_column("month", pa.repeat(month, table.num_rows))


@pytest.fixture(scope="module")
def translated(tlc_months: Path, translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The table, and its metadata.json after four syncs: a month, the next one, an upsert, a delete."""
    table = tmp_path_factory.mktemp("taxi") / "trips"
    first, second = (trips(tlc_months, month) for month in ("2023-01", "2023-02"))
    months = [first, second.cast(first.schema)]

    def synced() -> str:
        return translator.sync("DELTA", str(table), "trips").metadata_location

    for month in months:
        write_deltalake(table, month, mode="append", partition_by=["month"])
        synced()
    tips = pc.add(months[0]["tip_amount"], 1.0)
    changed = months[0].set_column(months[0].column_names.index("tip_amount"), "tip_amount", tips)
    source = pa.concat_tables([changed.slice(0, UPSERTED), months[1].slice(0, 10)])
    merge = DeltaTable(table).merge(source, "t.trip = s.trip and t.month = s.month", "s", "t")
    merge.when_matched_update_all().when_not_matched_insert_all().execute()
    synced()
    DeltaTable(table).delete(DELETED)
    return table, synced()


KNOWN = {
    "value_counts_are_exact": ("XTF-039",),
    "null_counts_are_exact": ("XTF-039",),
    "column_sizes_fit_the_file": ("XTF-063",),
}
"""The claims that fail, and the known findings that each may be."""


@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
def test_nothing_is_found_but_what_is_known(translated: tuple[Path, str], command: Command) -> None:
    """The rows of both are the same: upserted, inserted and without the deleted ones."""
    table, location = translated
    document = command("check", location, "--source", f"delta:{table}", "--json").document
    own = document.own_table
    assert own is not None
    assert (own.source and own.source.rows) == DeltaTable(table).count()
    assert {one.claim: own.candidates.get(one.claim) for one in document.claims if one.finding} == KNOWN
