"""The advice for PyIceberg mends what it says, and none is given where a rewrite would do harm."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from tests.audit import mutate
from tests.audit.draft import Draft
from tests.audit.healthy import Table
from tests.audit.mirror import Mirror
from tests.native.checked import document_of, found_in, mending
from tests.native.remedied import column_size, count, of_file, put, widened
from xtable_audit.check.remedies import OF_FILES, PYICEBERG
from xtable_audit.report.document import Document

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


@pytest.mark.parametrize("claim", SPOILT)
def test_nothing_is_found_after_the_advice(healthy: Table, claim: str, tmp_path: Path) -> None:
    draft = Draft.of(healthy, tmp_path / "spoilt")
    SPOILT[claim](draft)
    spoilt = checked(draft, healthy.metadata_location)
    assert claim in found_in(spoilt)
    [statement] = [
        words.partition(f"({PYICEBERG}): ")[2] for words in advice_of(spoilt, claim) if f"({PYICEBERG}): " in words
    ]

    catalog = catalog_over(draft.mirror)
    catalog.register_table("shop.orders", healthy.metadata_location)
    asked: list[str] = []

    def load_catalog(name: str) -> SqlCatalog:
        asked.append(name)
        return catalog

    exec(statement, {"load_catalog": load_catalog})  # as a user pastes it
    mended = catalog.load_table("shop.orders")
    assert asked == ["lake"]
    assert found_in(checked(draft, mended.metadata_location)) == {}
    assert sorted(mended.scan().to_arrow()["n"].to_pylist()) == [1, 2, 11, 12]
    catalog.close()


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
    assert advice_of(document, "bounds_contain_values") == ()
