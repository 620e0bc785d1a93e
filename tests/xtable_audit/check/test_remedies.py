"""The advice for PyIceberg mends what it says, and none is given where a rewrite would do harm."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform, Transform

from tests.other_writers.every_claim import document_of, found_in, mending
from tests.other_writers.remedied import column_size, count, of_file, put, widened
from tests.tables.draft import Draft
from tests.tables.healthy import Table
from tests.tables.mirror import Mirror
from tests.xtable_audit.check.test_consequences import of_entry
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.report.runs import claim
from xtable_audit.check.what_to_do import WAITS, without_blocked
from xtable_audit.formats.iceberg.check.filled_remedies import ADVICE, TOTALS_STAY
from xtable_audit.formats.iceberg.check.remedies import OF_FILES, PYICEBERG, REMEDIES
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Document
from xtable_audit.report.groups import groups

GONE = "every_file_exists"
REWRITE = "rewrite_data_files"
"""Spark's procedure, which may be part of a table's name as well."""
NAME = "lake.shop.orders"
FILES = [
    pa.table({"n": [1, 2], "x": [1.0, math.nan], "zero": [-0.0, 0.0]}),
    pa.table({"n": [11, 12], "x": [11.0, 12.0], "zero": [1.0, 2.0]}),
]
SPOILT: Mapping[str, Callable[[Draft], None]] = {
    "bounds_contain_values": partial(mutate.lower_upper, place=0, column="n"),
    "bounds_are_tight": partial(mutate.raise_upper, place=0, column="n"),
    "bounds_are_present": partial(mutate.drop_bounds, place=0, column="n"),
    "points_skip_what_exact_bounds_would": partial(widened, column="n"),
    "no_bound_is_nan": partial(put, map_name="upper_bounds", column="x", value=math.nan),
    "zeros_are_in_total_order": lambda draft: _at_zero(draft),
    "value_counts_are_exact": partial(count, name="value", column="n"),
    "null_counts_are_exact": partial(count, name="null", column="n"),
    "nan_counts_are_exact": partial(count, name="nan", column="x"),
    "record_counts_are_exact": partial(of_file, name="record_count", more=1),
    "column_sizes_fit_the_file": partial(column_size, column="n"),
}


def _at_zero(draft: Draft) -> None:
    """An upper bound of -0.0 where the greatest value is +0.0."""
    greatest = draft.table.case.actual.columns["zero"]["max"].to_pylist()
    draft.put(greatest.index(0.0), "upper_bounds", "zero", -0.0)


def catalog_over(mirror: Mirror) -> SqlCatalog:
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=mirror.uri("lake"), **mirror.pyiceberg)
    catalog.create_namespace("shop")
    return catalog


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Table:
    mirror = Mirror(tmp_path_factory.mktemp("mirror"))
    root = mirror.uri("lake/orders")
    for folder in ("metadata", "data"):
        mirror.file(f"{root}/{folder}").mkdir(parents=True)
    catalog = catalog_over(mirror)
    table = catalog.create_table("shop.orders", FILES[0].schema, location=root)
    for rows in FILES:
        table.append(rows)
    catalog.close()
    return Table("orders", mirror, root, table.metadata_location, (), ())


def checked(draft: Draft, location: str) -> Document:
    return document_of("orders", draft.mirror, location, NAME)


def advice_of(document: Document, claim: str) -> tuple[str, ...]:
    return next(mending(one.finding) for one in document.claims if one.claim == claim and one.finding)


def statement_in(advice: tuple[str, ...]) -> str:
    [statement] = [words.partition(f"({PYICEBERG}): ")[2] for words in advice if f"({PYICEBERG}): " in words]
    return statement


def mended(draft: Draft, statement: str) -> tuple[Document, pa.Table]:
    """What is found of the table after the statement, and its rows."""
    catalog = catalog_over(draft.mirror)
    catalog.register_table("shop.orders", draft.table.metadata_location)
    asked: list[str] = []

    def load_catalog(name: str) -> SqlCatalog:
        asked.append(name)
        return catalog

    exec(statement, {"load_catalog": load_catalog})  # as a user pastes it
    table = catalog.load_table("shop.orders")
    assert asked == ["lake"]
    document, rows = checked(draft, table.metadata_location), table.scan().to_arrow()
    catalog.close()
    return document, rows


@pytest.mark.parametrize("claim", SPOILT)
def test_nothing_is_found_after_the_advice(healthy: Table, claim: str, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    SPOILT[claim](draft)
    spoilt = checked(draft, healthy.metadata_location)
    assert claim in found_in(spoilt)
    document, rows = mended(draft, statement_in(advice_of(spoilt, claim)))
    assert found_in(document) == {}
    assert sorted(rows["n"].to_pylist()) == [1, 2, 11, 12]


@pytest.mark.parametrize("places", [(0,), (0, 1)], ids=["one of two files", "all files"])
def test_the_entry_of_a_file_that_is_gone_is_dropped(healthy: Table, places: tuple[int, ...], tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    for place in places:
        mutate.delete_object(draft, place)
    spoilt = checked(draft, healthy.metadata_location)
    restore, drop = advice_of(spoilt, GONE)
    assert restore.startswith("Restore the object")
    assert "its rows are lost" in drop
    document, rows = mended(draft, statement_in((drop,)))
    assert found_in(document) == {}
    assert sorted(rows["n"].to_pylist()) == ([1, 2] if len(places) == 1 else [])


def test_the_entry_of_a_file_that_is_gone_is_dropped_from_its_partition(partitioned: Table, tmp_path: Path) -> None:
    draft = Draft.of(partitioned, tmp_path / "spoilt")
    mutate.delete_object(draft, 0)
    document, rows = mended(draft, statement_in(advice_of(checked(draft, partitioned.metadata_location), GONE)))
    assert (found_in(document), len(rows)) == ({}, 2)


def test_a_file_that_is_gone_is_restored(healthy: Table, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    file = draft.mirror.file(draft.path(0))
    content = file.read_bytes()
    mutate.delete_object(draft, 0)
    assert "every_file_exists" in found_in(checked(draft, healthy.metadata_location))
    file.write_bytes(content)
    assert found_in(checked(draft, healthy.metadata_location)) == {}


def test_no_statement_drops_the_entry_of_a_file_that_is_said_to_have_no_rows(healthy: Table, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    mutate.set_field("record_count", lambda rows: 0)(draft, 0)
    mutate.delete_object(draft, 0)
    assert not [words for words in advice_of(checked(draft, healthy.metadata_location), GONE) if PYICEBERG in words]


def test_no_overwrite_is_advised_that_would_not_read_a_file(healthy: Table, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    mutate.set_field("record_count", lambda rows: 0)(draft, 0)
    [spark] = advice_of(checked(draft, healthy.metadata_location), "record_counts_are_exact")
    assert "rewrite_data_files" in spark


@pytest.fixture(scope="module")
def partitioned(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """Partitioned by identity."""
    return made(tmp_path_factory.mktemp("partitioned"), {"city": IdentityTransform()})


def made(folder: Path, by: Mapping[str, Transform[Any, Any]]) -> Table:
    mirror = Mirror(folder)
    root = mirror.uri("lake/orders")
    for name in ("metadata", "data"):
        mirror.file(f"{root}/{name}").mkdir(parents=True)
    catalog = catalog_over(mirror)
    cities = [
        rows.append_column("city", pa.array([city] * 2)) for rows, city in zip(FILES, ("Oslo", "Rome"), strict=True)
    ]
    table = catalog.create_table("shop.orders", cities[0].schema, location=root)
    with table.update_spec() as spec:
        for column, transform in by.items():
            spec.add_field(column, transform, f"by_{column}")
    for city in ("Oslo", "Rome"):
        mirror.file(f"{root}/data/by_city={city}").mkdir()
    for rows in cities:
        table.append(rows)
    catalog.close()
    return Table("orders", mirror, root, table.metadata_location, (), ())


@pytest.mark.parametrize("value", ["Rome", "Bergen", None])
def test_a_false_tuple_is_mended_by_what_reads_the_column(
    partitioned: Table, value: str | None, tmp_path: Path
) -> None:
    draft = Draft.of(partitioned, tmp_path / "spoilt")
    place = draft.table.case.stored.partition["by_city"].to_pylist().index("Oslo")
    mutate.set_tuple(draft, place, value)
    mutate.lower_upper(draft, 1 - place, "n")
    spoilt = checked(draft, partitioned.metadata_location)
    [own] = advice_of(spoilt, "tuples_equal_every_row")
    assert advice_of(spoilt, "bounds_contain_values") == (
        f"{WAITS}: the partition tuple equals the transform of every row's value",
    )
    document, rows = mended(draft, statement_in((own,)))
    assert found_in(document) == {}
    assert sorted(zip(rows["n"].to_pylist(), rows["city"].to_pylist(), strict=True)) == [
        (1, "Oslo"), (2, "Oslo"), (11, "Rome"), (12, "Rome"),
    ]  # fmt: skip


def test_no_statement_is_told_of_a_false_tuple_where_none_was_tried(partitioned: Table, tmp_path: Path) -> None:
    """The table is said to be of format version 3."""
    draft = Draft.of(partitioned, tmp_path / "spoilt")
    mutate.set_tuple(draft, 0, "Bergen")
    draft.change_metadata(lambda metadata: metadata.update({"format-version": 3, "next-row-id": 0}))
    [why] = advice_of(checked(draft, partitioned.metadata_location), "tuples_equal_every_row")
    assert why.startswith("No statement is known: Spark would make the false value that of every row")


def test_every_statement_of_pyiceberg_is_proven() -> None:
    assert {one.id for one in OF_FILES} == set(SPOILT)


def test_a_table_of_no_catalog_is_named_by_placeholders(healthy: Table, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    SPOILT["bounds_contain_values"](draft)
    document = document_of("orders", draft.mirror, healthy.metadata_location)
    assert "table => '<namespace>.orders'" in advice_of(document, "bounds_contain_values")[0]


def test_no_rewrite_is_advised_where_a_data_file_is_missing(healthy: Table, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    SPOILT["bounds_contain_values"](draft)
    mutate.delete_object(draft, 1)
    document = checked(draft, healthy.metadata_location)
    assert "every_file_exists" in found_in(document)
    assert advice_of(document, "bounds_contain_values") == (f"{WAITS}: every live data file exists",)


def test_the_name_of_a_table_permits_no_rewrite(healthy: Table, tmp_path: Path) -> None:
    """Though all advice names it, that for the missing file too."""
    draft = Draft.of(healthy, tmp_path / "spoilt")
    SPOILT["bounds_contain_values"](draft)
    mutate.delete_object(draft, 1)
    document = document_of("orders", draft.mirror, healthy.metadata_location, f"lake.shop.{REWRITE}")
    assert any(REWRITE in words for words in advice_of(document, GONE))
    assert advice_of(document, "bounds_contain_values") == (f"{WAITS}: every live data file exists",)


@pytest.mark.parametrize(("column", "waits"), [("city", True), ("n", False)], ids=["read from tuples", "of files"])
def test_a_false_tuple_forbids_a_rewrite_if_it_becomes_the_value(partitioned: Table, column: str, waits: bool) -> None:
    """In whatever words its own advice is. Only that of an identity partition becomes the value."""
    blame, anew = Blame.writer("Trino"), "Write the files anew"
    false = claim("finding", test="tuples_equal_every_row", blame=blame, columns=[column], advice=(REWRITE,))
    false = replace(false, finding=replace(found_of(false), claim=false.claim))
    other = claim("finding", blame=blame, advice=(anew,))
    _, advised = without_blocked(ADVICE, (false, other), partitioned.case.stored)
    assert found_of(advised).advice == ((f"{WAITS}: {found_of(false).sentence}",) if waits else (anew,))


def found_of(result: ClaimResult) -> Finding:
    assert result.finding is not None
    return result.finding


def test_what_follows_from_a_number_of_an_entry_is_mended_with_it(healthy: Table, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    of_entry(draft, record_count=8)
    [group] = groups(checked(draft, healthy.metadata_location))
    anew, by_spark = mending(group.head)
    assert f"{TOTALS_STAY} (Spark SQL)" in by_spark
    document, _ = mended(draft, statement_in((anew,)))
    assert found_in(document) == {}


def test_the_name_of_a_table_does_not_tell_what_leaves_its_totals_false(healthy: Table, tmp_path: Path) -> None:
    """It is in every statement."""
    draft = Draft.of(healthy, tmp_path / "spoilt")
    of_entry(draft, record_count=8)
    document = document_of("orders", draft.mirror, healthy.metadata_location, f"lake.shop.{REWRITE}")
    [group] = groups(document)
    assert [f"({PYICEBERG})" in words and TOTALS_STAY not in words for words in mending(group.head)] == [True, False]


def test_what_rewrites_files_is_every_remedy_that_has_spark_do_so() -> None:
    assert [one.rewrites for one in REMEDIES] == [REWRITE in one.statement for one in REMEDIES]
