"""The lines of docs/translators.md for XTable itself, by source and target."""

from __future__ import annotations

import pytest

from spark_jobs.battery.delta_rs import DELTA_RS_TABLES
from spark_jobs.battery.parquet import FOLDERS
from tools.translators.page import PAGE
from tools.translators.ways import EFFECTS, effect, ways, with_ways, worst_of_each
from xtable_audit.claims.translation.history import every_sync_comes_through
from xtable_audit.model.finding import Verdict

BOUNDS = "bounds_contain_values"


def test_the_page_has_the_lines_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_ways(page), "python -m tools translators --page writes it"


def test_a_page_without_a_place_for_them_is_refused() -> None:
    with pytest.raises(ValueError, match="the page lacks the lines"):
        with_ways("# Other translators")


def test_a_way_has_each_table_of_its_source() -> None:
    found = {way: {id.dataset for id in tables} for way, tables in ways().items()}
    assert found["Parquet", "Iceberg"] == FOLDERS.keys()
    assert found["Delta, by delta-rs, read by Spark", "Iceberg"] == DELTA_RS_TABLES.keys()


@pytest.mark.parametrize(
    ("claim", "verdict", "expected"),
    [
        (BOUNDS, Verdict.UNSOUND, "wrong results"),
        (BOUNDS, Verdict.STALE, "wrong results"),
        (BOUNDS, Verdict.UNREADABLE, "cannot be read"),
        (BOUNDS, Verdict.FAILED_SILENTLY, "cannot be read"),
        (every_sync_comes_through.id, Verdict.UNREADABLE, "a later sync fails"),
        (BOUNDS, Verdict.LOOSE, "extra reads at most"),
        (BOUNDS, Verdict.COSMETIC, "right"),
    ],
)
def test_what_a_verdict_is_to_a_reader(claim: str, verdict: Verdict, expected: str) -> None:
    assert effect(claim, verdict) == expected


@pytest.mark.parametrize(
    ("table", "worst"),
    {
        "good_layout-xtable": "right",
        "types_int96_plain-xtable": "extra reads at most",
        "parquet_lists-xtable": "cannot be read",
        "parquet_plain-xtable": "wrong results",
        "iceberg_by_bucket-delta_by_standalone": "extra reads at most",
        "iceberg_unmeasured-delta_by_standalone": "right",  # of XTable's: what is missing, the source lacks
    }.items(),
)
def test_the_worst_effect_of_a_table_counts(table: str, worst: str) -> None:
    assert worst_of_each().get(table, EFFECTS[-1]) == worst
