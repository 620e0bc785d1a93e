"""When two findings are alike, and the words that distinguish their kinds."""

from __future__ import annotations

import pytest

from xtable_audit.model.fingerprint import GAP, common_words, shape, steady

UUID = "2b8c0c7e-4f0e-4c0d-9f5a-2f0f5e7b1c3d"
VOLATILE = [
    "s3://bucket/tables/x/part-1.parquet",
    "s3a://bucket/x",
    f"{UUID}-0_0-9-0_20261121120346056.parquet",
    f"{UUID}-m0.avro",
    "part-1.parquet",
    "/tmp/pytest-1/x.log",
    "20261121120346056",
    "org.apache.X@1b2c3d4f".removeprefix("org.apache.X"),
]


@pytest.mark.parametrize("name", VOLATILE)
def test_what_changes_from_run_to_run_is_masked(name: str) -> None:
    assert steady(f"no object at {name}, it says") == f"no object at {GAP}, it says"


STEADY = ["[0.0 … 0.0]", "record_count 0", "'a/b'", "2024-01-01 00:00:00", "12,345 rows", "XTable 0.4.0"]


@pytest.mark.parametrize("text", STEADY)
def test_values_and_counts_are_kept(text: str) -> None:
    assert steady(f"saw {text} there") == f"saw {text} there"


ALIKE = {
    "bounds": ("[0.0 … 0.0] for part-1.parquet (3 files alike)", f"['a' … 'zz'] for {UUID}-0.parquet"),
    "counts": ("record_count 0 for a.parquet", "record_count 12 for b.parquet"),
    "columns": ("[1 … 2] for a.parquet; also in 2 other columns: a, b", "[3 … 4] for a.parquet"),
    "predicates": (
        "2 of 3 matching files skipped for d = 5.0 (3 of 40 predicates): x.parquet (d: 0.0 … 0.0)",
        "1 of 1 matching files skipped for s = 'x' (1 of 12 predicates): y.parquet (s: none … none)",
    ),
    "dates": ("[1582-10-15 … 1582-10-17] for a.parquet", "[2023-01-01 00:00:00+00:00 … nothing] for b.parquet"),
}


@pytest.mark.parametrize(("one", "other"), ALIKE.values(), ids=ALIKE.keys())
def test_one_kind_on_other_tables_has_one_shape(one: str, other: str) -> None:
    assert shape(one) == shape(other)


UNLIKE = {
    "counts of other things": ("record_count 0 for a.parquet", "null_count 0 for a.parquet"),
    "other failures": ("did not translate x: ClassCastException", "did not translate x: NullPointerException"),
}


@pytest.mark.parametrize(("one", "other"), UNLIKE.values(), ids=UNLIKE.keys())
def test_other_kinds_have_other_shapes(one: str, other: str) -> None:
    assert shape(one) != shape(other)


COMMON = {
    "one text": (["record_count 0 for a.parquet"], "record_count 0"),
    "values differ": (["[0.0 … 0.0] for a.parquet", "[0.0 … 0.0] for b.parquet"], "[0.0 … 0.0]"),
    "files come first": (["/x/y/z.parquet is live", "/a/b/c.parquet is live"], "is live"),
    "nothing in common": (["[1 … 2] for a.parquet", "no bounds"], ""),
    "numbers alone": (["12 of 12", "12 or 13"], ""),
}


@pytest.mark.parametrize(("texts", "words"), COMMON.values(), ids=COMMON.keys())
def test_common_words(texts: list[str], words: str) -> None:
    assert common_words(texts) == words


def test_common_words_are_not_a_novel() -> None:
    assert len(common_words(["an error that goes on " * 20])) <= 80
