"""Tables of Hudi 1.x as it wrote them, with the records of its indexes kept beside each stage."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_jobs.battery.table import BatteryTable, file, service, write
from spark_jobs.battery.values import days, decimals
from spark_jobs.battery.variants import INDEX
from tests.spark_jobs.written import written_battery

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCHEMA = {
    "state": pa.string(),
    "zip": pa.string(),
    "floor": pa.int32(),
    "price": pa.decimal128(10, 2),
    "day": pa.date32(),
}
WYOMING = file(
    state="WY",
    zip=["82001", "83001"],
    floor=[3, None],
    price=decimals("0.05", "12.30"),
    day=days("1969-12-31", "2024-02-29"),
)
NEW_YORK = file(
    state="NY",
    zip=["10001", "14001"],
    floor=[1, 2],
    price=decimals("-1.10", "7.00"),
    day=days("2024-01-01", "2024-01-02"),
)
MERGE_ON_READ = {
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.compact.inline": "false",  # which Spark's writer would turn on
    "hoodie.compact.inline.max.delta.commits": "1",
}
BOTH = ["column_stats", "files", "partition_stats"]


def table(release: str) -> BatteryTable:
    changed = file(
        record_key=["k0000"], state="WY", zip=["99999"], floor=[9], price=decimals("9.00"), day=days("2024-01-01")
    )
    return BatteryTable(
        "indexed",
        "Every kind of step that Hudi does by another call from release to release.",
        (
            write("bulk_insert", SCHEMA, WYOMING, NEW_YORK),
            write("upsert", SCHEMA, changed),
            service("compact"),
            service("drop_index", options={"hoodie.metadata.index.drop": "partition_stats"}),
        ),
        partition_by=("state",),
        options=INDEX | MERGE_ON_READ,
        hudi=release,
    )


@pytest.fixture(scope="module", params=["1.0.2", "1.2.0"])
def written(request: pytest.FixtureRequest) -> tuple[Path, dict[str, Any]]:
    folder, facts = written_battery([table(request.param)])
    return folder / "indexed", facts["indexed"]


def records(place: Path, stage: int, column: str) -> dict[str, dict[str, Any]]:
    rows = pq.read_table(place / f"{stage}.index.parquet").to_pylist()
    return {row["of"]: row for row in rows if row["column"] == column and row["kind"] == "partition_stats"}


def test_every_step_is_written_without_failure(written: tuple[Path, dict[str, Any]]) -> None:
    assert written[1]["failure"] is None
    assert [stage["rows"] for stage in written[1]["stages"]] == [4, 4, 4, 4]


def test_each_stage_lists_its_indexes(written: tuple[Path, dict[str, Any]]) -> None:
    assert [stage["indexed"] for stage in written[1]["stages"]] == [BOTH, BOTH, BOTH, ["column_stats", "files"]]


def test_a_file_is_named_by_its_path_below_the_table(written: tuple[Path, dict[str, Any]]) -> None:
    rows = pq.read_table(written[0] / "1.index.parquet").to_pylist()
    files = {row["of"] for row in rows if row["kind"] == "column_stats"}
    assert len(files) == 2
    assert all((written[0] / "1" / path).is_file() for path in files)


@pytest.mark.parametrize(
    ("column", "lower", "upper", "nulls"),
    [
        ("zip", "82001", "83001", 0),
        ("floor", 3, 3, 1),
        ("price", Decimal("0.05"), Decimal("12.30"), 0),
        ("day", -1, (date(2024, 2, 29) - date(1970, 1, 1)).days, 0),
    ],
)
def test_bounds_are_those_of_the_values(
    written: tuple[Path, dict[str, Any]], column: str, lower: object, upper: object, nulls: int
) -> None:
    found = records(written[0], 1, column)["state=WY"]
    read = [json.loads(found[which], parse_float=Decimal) for which in ("lower", "upper")]
    assert [*read, found["nulls"]] == [lower, upper, nulls]


def test_an_update_widens_the_partitions_bounds(written: tuple[Path, dict[str, Any]]) -> None:
    assert json.loads(records(written[0], 2, "zip")["state=WY"]["upper"]) == "99999"


def test_a_dropped_index_leaves_no_records(written: tuple[Path, dict[str, Any]]) -> None:
    assert records(written[0], 4, "zip") == {}
