"""What a fault entails is shown with it: what follows from it, and what metadata alone would answer wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform

from tests.other_writers.every_claim import document_of
from tests.tables.draft import Draft, Record, current_snapshot
from tests.tables.healthy import Table
from tests.tables.lake import Lake, change_add, data_files, exchange, orders, with_column
from tests.tables.mirror import Mirror
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.cli.conftest import Command, command, lake
from xtable_audit.report.groups import groups

# What follows from a fault is shown with it, and what does not stands for itself.

FILES = [pa.table({"n": [1, 2, 3], "city": ["a", "a", "a"]}), pa.table({"n": [11, 12, 13], "city": ["k", "k", "k"]})]
SUMS = (
    "manifest_counts_are_exact",
    "totals_are_those_of_the_manifests",
    "changes_are_those_of_the_manifests",
)
Groups = set[tuple[str, ...]]


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Table:
    mirror = Mirror(tmp_path_factory.mktemp("mirror"))
    root = mirror.uri("lake/orders")
    for folder in ("metadata", "data/city=a", "data/city=k"):
        mirror.file(f"{root}/{folder}").mkdir(parents=True)
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=mirror.uri("lake"), **mirror.pyiceberg)
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.orders", FILES[0].schema, location=root)
    with table.update_spec() as spec:
        spec.add_field("city", IdentityTransform(), "city")
    for rows in FILES:
        table.append(rows)
    catalog.close()
    return Table("orders", mirror, root, table.metadata_location, (), ())


def of_entry(draft: Draft, **values: object) -> None:
    """The first file's entry alone: what sums it up stays, but for the manifest's own length."""
    path = draft.path(0)

    def change(entries: list[Record]) -> None:
        next(one["data_file"] for one in entries if one["data_file"]["file_path"] == path).update(values)

    def follow(manifests: list[Record]) -> None:
        for one in manifests:
            one["manifest_length"] = draft.mirror.file(one["manifest_path"]).stat().st_size

    draft.change_entries(0, change, counts_follow=False)
    draft.change_manifests(follow)


def total(draft: Draft, name: str, more: int) -> None:
    def change(metadata: Record) -> None:
        summary = current_snapshot(metadata)["summary"]
        summary[name] = str(int(summary[name]) + more)

    draft.change_metadata(change)


def both(*spoils: Callable[[Draft], None]) -> Callable[[Draft], None]:
    def spoil(draft: Draft) -> None:
        for one in spoils:
            one(draft)

    return spoil


SPOILT: Mapping[str, tuple[Callable[[Draft], None], tuple[str, ...], Groups]] = {
    "a record_count": (partial(of_entry, record_count=8), (), {("record_counts_are_exact", *SUMS)}),
    "a record_count of nothing": (
        partial(of_entry, record_count=0),
        ("n = 12",),
        {("record_counts_are_exact", *SUMS[:2], "no_matching_file_is_dropped", SUMS[2])},
    ),
    "a size": (partial(of_entry, file_size_in_bytes=99), (), {("sizes_are_exact", *SUMS[1:])}),
    "a tuple": (
        partial(of_entry, partition={"city": "z"}),
        ("city = 'k'",),
        {("tuples_equal_every_row", "summaries_cover_every_tuple", "no_matching_file_is_dropped")},
    ),
    "a bound": (
        partial(mutate.lower_upper, place=0, column="n"),
        ("n = 13",),
        {("bounds_contain_values", "no_matching_file_is_dropped")},
    ),
    "a bound, and a total of records that is wrong besides": (
        both(partial(mutate.lower_upper, place=0, column="n"), partial(total, name="total-records", more=7)),
        (),
        {("bounds_contain_values",), ("totals_are_those_of_the_manifests",)},
    ),
    "a record_count, and a total of records that is wrong besides": (
        both(partial(of_entry, record_count=8), partial(total, name="total-records", more=7)),
        (),
        {("record_counts_are_exact", SUMS[0], SUMS[2]), ("totals_are_those_of_the_manifests",)},
    ),
    "a record_count and a size, and totals of both": (
        partial(of_entry, record_count=8, file_size_in_bytes=99),
        (),
        {("record_counts_are_exact", SUMS[0]), ("sizes_are_exact", *SUMS[1:])},
    ),
    "bounds of two columns, of which a query needs both": (
        both(
            partial(mutate.lower_upper, place=0, column="n"),
            partial(mutate.set_count("null", lambda true: true["value_count"]), place=0, column="city"),
        ),
        ("n = 13 AND city = 'k'",),
        {("bounds_contain_values",), ("null_counts_are_exact", "no_matching_file_is_dropped")},
    ),
}


@pytest.mark.parametrize("fault", SPOILT)
def test_one_cause_is_one_finding_its_root_first(healthy: Table, fault: str, tmp_path: Path) -> None:
    spoil, where, expected = SPOILT[fault]
    draft = Draft.of(healthy, tmp_path / "spoilt")
    spoil(draft)
    document = document_of("orders", draft.mirror, healthy.metadata_location, where=where)
    assert {tuple(one.claim for one in group.alike) for group in groups(document)} == expected


# What metadata alone would answer wrongly of a user's own table.

__all__ = ["command", "lake"]
ANSWERED = "Answered from metadata alone, "


def said(command: Command, *asked: object) -> str:
    """What is said of it; "" if nothing is."""
    notes = command("check", *asked, "--json").document.notes
    return next((one for one in notes if one.startswith(ANSWERED)), "")


def of_other_values(lake: Lake, column: str, values: pa.Array) -> Path:
    """A table of one file, which holds other values than it was committed with."""
    [file] = data_files(lake.table("orders", orders()))
    exchange(file, with_column(column, lambda _: values))
    return lake.root("orders")


def test_nothing_is_said_of_a_healthy_table(command: Command, lake: Lake) -> None:
    """Although bounds of its texts are cut, which no engine takes for an answer."""
    lake.table("orders", *(orders(number) for number in range(3)))
    assert said(command, lake.root("orders")) == ""


def test_a_bound_that_is_wider_than_the_values_is_a_wrong_answer(command: Command, lake: Lake) -> None:
    root = of_other_values(lake, "id", pa.array([7] * 20, pa.int64()))
    assert said(command, root) == (
        f"{ANSWERED}min(id) is 0; by the values it is 7, and 1 more aggregate would be wrong. Spark answers so by "
        "default, other engines count(*): the read option aggregate-push-down-enabled=false turns it off."
    )


def test_a_count_of_nulls_that_is_false_is_a_wrong_answer(command: Command, lake: Lake) -> None:
    root = of_other_values(lake, "price", pa.array([None, *[1.5] * 18, 28.5], pa.float64()))
    assert f"{ANSWERED}count(price) is 17; by the values it is 19." in said(command, root)


def test_nan_is_the_greatest_number_to_spark_and_no_bound(command: Command, lake: Lake) -> None:
    rows = orders().append_column("height", pa.array([1.5, math.nan] * 10, pa.float64()))
    lake.table("orders", rows)
    assert f"{ANSWERED}max(height) is 1.5; by the values it is nan." in said(command, lake.root("orders"))


def test_of_a_part_of_the_files_nothing_is_said(command: Command, lake: Lake) -> None:
    table = lake.table("orders", *(orders(number) for number in range(3)))
    exchange(data_files(table)[0], with_column("id", lambda _: pa.array([77] * 20)))
    assert said(command, lake.root("orders"))
    assert not said(command, lake.root("orders"), "--sample", "1")


@pytest.mark.parametrize(("column", "answered"), [("id", True), ("at", False)])
def test_of_a_delta_table_what_spark_answers_there(
    command: Command, tmp_path: Path, column: str, answered: bool
) -> None:
    """Of timestamps it reads the values."""
    write_deltalake(tmp_path / "t", orders())
    wider = {"id": -5, "at": "2001-01-01T00:00:00Z"}[column]
    change_add(tmp_path / "t", 0, lambda _, statistics: statistics["minValues"].update({column: wider}))
    words = said(command, f"delta:{tmp_path / 't'}")
    assert ("spark.databricks.delta.optimizeMetadataQuery.enabled=false" in words) == answered
