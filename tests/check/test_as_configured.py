"""What a table's own properties leave out of its metadata is no finding, and is named; what is wrong still is one."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.cli.conftest import Command, command, lake
from tests.cli.tables import XTABLE, Lake, data_files, exchange, orders, with_column

__all__ = ["command", "lake"]
OF = "write.metadata.metrics."


@pytest.mark.parametrize(
    ("properties", "aside"),
    [
        ({f"{OF}column.city": "none"}, "no bounds are stored, as write.metadata.metrics.column.city=none"),
        ({f"{OF}column.city": "counts"}, "no bounds are stored, as write.metadata.metrics.column.city=counts"),
        ({f"{OF}default": "counts"}, "no bounds are stored, as write.metadata.metrics.default=counts"),
        ({f"{OF}column.remark": "truncate(4)"}, "bounds are cut, as write.metadata.metrics.column.remark=truncate(4)"),
    ],
    ids=["a column without metrics", "a column with counts", "all with counts", "a column with short bounds"],
)
def test_what_a_property_asks_for_is_named_and_no_finding(
    lake: Lake, command: Command, properties: dict[str, str], aside: str
) -> None:
    lake.table("orders", orders(0), orders(1), **properties)
    ran = command("check", lake.root("orders"))
    assert (ran.status, aside in " ".join(ran.out.split())) == (0, True), ran.out


def test_a_false_bound_beside_it_is_a_finding(lake: Lake, command: Command) -> None:
    table = lake.table("orders", orders(0), **{f"{OF}column.city": "none"})
    exchange(data_files(table)[0], with_column("id", lambda ids: pc.add(ids, 1000)))
    assert command("check", lake.root("orders")).status == 1


def wide(number: int) -> pa.Table:
    return pa.table({f"c{place:03}": pa.array([number, number + 1]) for place in range(103)})


@pytest.mark.parametrize(("properties", "status"), [({}, 0), (XTABLE, 1)], ids=["by a writer of Iceberg", "by XTable"])
def test_columns_beyond_the_hundredth_need_no_metrics_of_a_writer_that_asks_the_property(
    lake: Lake, command: Command, properties: dict[str, str], status: int
) -> None:
    """XTable takes what its source has, however many columns there are."""
    none = {f"{OF}column.c{place:03}": "none" for place in (101, 102)}
    table = lake.table("wide", wide(0), wide(10), **none)
    with table.transaction() as change:
        change.remove_properties(*none)
        change.set_properties(properties)
    assert command("check", lake.root("wide"), "--fail-on", "LOOSE").status == status
