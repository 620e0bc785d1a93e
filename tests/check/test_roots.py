"""What follows from a fault is shown with it, and what does not stands for itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform

from tests.audit import mutate
from tests.audit.draft import Draft, Record, current_snapshot
from tests.audit.healthy import Table
from tests.audit.mirror import Mirror
from tests.native.held import document_of
from xtable_audit.report.groups import groups

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
