"""From deviations to the one finding that reports them, and when two findings are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

from tests.xtable_audit.conftest import TableOf
from xtable_audit.claims.deviation import Deviation, TableClaim, deviation
from xtable_audit.claims.needs import LIVE_FILES
from xtable_audit.judge import Judgement, judge_table
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Blame, Finding, Verdict
from xtable_audit.model.fingerprint import GAP, common_words, shape, steady
from xtable_audit.model.outcome import Outcome
from xtable_audit.subject.case import Case

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


@pytest.fixture
def case(table_of: TableOf) -> Case:
    """Three files of six rows each."""
    return table_of("typed").case


def claimed(check: Callable[[Case], Iterator[Deviation]]) -> TableClaim:
    return Claim("c", "f", "it holds", "spec", Verdict.LOOSE, (LIVE_FILES,), check, Case)


def finding_of(case: Case, *deviations: Deviation) -> Finding:
    def check(_: Case) -> Iterator[Deviation]:
        yield from deviations

    finding = judge_table(claimed(check), case, (Blame.XTABLE, "it is so")).finding
    assert finding is not None
    return finding


# From deviations to the one finding that reports them.


def test_claim_that_holds_is_no_finding(case: Case) -> None:
    assert judge_table(claimed(lambda _: iter(())), case, (Blame.XTABLE, "")) == Judgement(Outcome.HELD)


def test_a_finding_names_its_claim_by_id_and_sentence(case: Case) -> None:
    finding = finding_of(case, Deviation((0,), "loose", "tight", "int"))
    assert (finding.claim, finding.sentence) == ("c", "it holds")


def test_worst_deviation_is_finding_of(case: Case) -> None:
    finding = finding_of(
        case,
        Deviation((0,), "loose", "tight", "int"),
        Deviation((1,), "false", "true", "long", Verdict.UNSOUND),
        Deviation((2,), "ugly", "neat", "date", Verdict.COSMETIC),
    )
    assert (finding.verdict, finding.column, finding.expected) == (Verdict.UNSOUND, "long", "true")
    assert finding.saw == "false; also in 2 other columns: date, int"
    assert finding.columns == ("date", "int", "long")


def test_impact_counts_each_file_once(case: Case) -> None:
    impact = finding_of(case, Deviation((0, 1), "a", "b", "int"), Deviation((1,), "a", "b", "long")).impact
    assert (impact.files, impact.files_total, impact.rows, impact.rows_total) == (2, 3, 12, 18)


def test_files_alike_are_counted(case: Case) -> None:
    assert finding_of(case, Deviation((0, 1, 2), "a", "b", "int")).saw == "a (3 files alike)"


def test_many_columns_are_cut(case: Case) -> None:
    finding = finding_of(case, *(Deviation((0,), "a", "b", f"c{n}") for n in range(9)))
    assert finding.saw == "a; also in 8 other columns: c1, c2, c3, c4, c5 …"
    assert len(finding.columns) == 9


def test_the_users_columns_are_reported_before_hudis_own(case: Case) -> None:
    own, users = Deviation((0,), "a", "b", "_hoodie_file_name"), Deviation((0,), "c", "d", "int")
    assert finding_of(case, own, users).saw == "c; also in 1 other column: _hoodie_file_name"
    worse = Deviation((0,), "a", "b", "_hoodie_file_name", Verdict.UNSOUND)
    assert finding_of(case, worse, users).column == "_hoodie_file_name"


def test_which_of_several_files_is_reported_is_deterministic() -> None:
    """In whatever order they are live, and whatever they are called."""
    names, values = ["0c-1_1.parquet", "ff-9_2.parquet", "a1-5_3.parquet"], [5, 3, 4]

    def seen(order: list[int]) -> str:
        live = [(names[one], values[place]) for one, place in zip(order, order[::-1], strict=True)]
        [found] = deviation(
            np.array([True] * 3), saw=lambda i: f"{live[i][1]} for {live[i][0]}", expected=lambda i: "none"
        )
        return found.saw

    assert {seen(list(order)).split(" for ")[0] for order in permutations(range(3))} == {"3"}


def test_an_absent_and_a_false_metric_are_two_deviations() -> None:
    found = list(
        deviation(
            np.array([True, True, False, True]),
            saw=lambda i: f"{i}",
            expected=lambda i: "none",
            absent=lambda: pa.array([True, False, True, False]),
        )
    )
    assert [(one.kind, one.places) for one in found] == [("absent", (0,)), ("false", (1, 3))]


# When two findings are alike, and the words that distinguish their kinds.


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
