"""A finding: the columns that deviate, and how it is printed with everything to act on it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.tables.draft import Draft
from tests.xtable_audit.conftest import TableOf
from xtable_audit.claims.bounds import bounds_contain_values
from xtable_audit.judge import judge_table
from xtable_audit.model.finding import SEVERITY, WIDTH, Answers, Blame, Finding, FindingError, Impact, Verdict, worst
from xtable_audit.model.predicate import And, Compare, Predicate
from xtable_audit.planning.pruning_trial import Loss, Question, columns_lost
from xtable_audit.register.entry import Kind, Where

FOUND = Finding(
    claim="bounds_contain_values",
    sentence="lower and upper bound contain every value of their file",
    verdict=Verdict.UNSOUND,
    table="good_layout-xtable",
    saw="[0.0 … 0.0] for 2b8c0c7e-4f0e-4c0d-9f5a-2f0f5e7b1c3d-0_0-9-0_20261121120346056.parquet (3 files alike)",
    expected="[1.0 … 5.0], its values",
    impact=Impact(2, 4, 12_266, 18_853),
    blame=Blame.XTABLE,
    because="the control translator holds it over the same source",
    column="fare_amount",
    reader="duckdb",
    versions={"xtable": "0.4.0-incubating", "hudi": "0.15.0", "spark": "3.5.9", "duckdb": "1.5.5"},
    again='pytest "suites/bounds/test_bounds.py::test_bounds_contain_values[good_layout-xtable]" --xtable 0.4.0',
    log="WARN one\nWARN two",
)
NAMES = ["claim", "saw", "expected", "impact", "blame", "versions", "again", "log"]
ANSWERED = replace(
    FOUND,
    impact=Impact(2, 4, 12_266, 18_853, tried=199, losing=20, lost=2),
    example="WHERE d = 5.0: 1 row by the values, 0 in the files that are kept",
    answers=Answers("good_layout-xtable", "d = 5.0", 1, {"pyiceberg": 0, "duckdb": 1, "daft": "no ids", "trino": None}),
)
BELOW_ALL = {"int": -1_000_000, "double": -1e300}
KNOWN = Where(
    claims=(bounds_contain_values.id,),
    subjects=("typed",),
    component="xtable",
    releases=SpecifierSet(),
    verdict=Verdict.UNSOUND,
    kind=Kind.VIOLATION,
    blame=Blame.XTABLE,
    columns=("int",),
)


def names(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines()[1:] if line[2:3] != " "]


@pytest.fixture
def spoilt(table_of: TableOf, tmp_path: Path, request: pytest.FixtureRequest) -> Finding:
    """What is found on a healthy table where the upper bounds of these columns are far too low."""
    draft = Draft.of(table_of("typed"), tmp_path)
    for column in request.param:
        draft.put(0, "upper_bounds", column, BELOW_ALL[column])
    finding = judge_table(bounds_contain_values, draft.case(), (Blame.XTABLE, "it was spoilt")).finding
    assert finding is not None
    return finding


# A finding as it is printed: everything to act on it, in a terminal's width, in one order.


def test_lines_stand_in_one_order() -> None:
    assert names(str(FOUND)) == NAMES


@pytest.mark.parametrize("left_out", ["versions", "again", "log"])
def test_line_of_nothing_is_left_out(left_out: str) -> None:
    empty = {} if left_out == "versions" else ""
    assert names(str(replace(FOUND, **{left_out: empty}))) == [name for name in NAMES if name != left_out]  # type: ignore[arg-type]


def test_head_says_what_and_where() -> None:
    assert str(FOUND).splitlines()[0] == "FINDING  UNSOUND · new · good_layout-xtable · duckdb · column fare_amount"


def test_head_of_a_known_finding_names_its_entry() -> None:
    assert str(FOUND.known_as("XTF-031")).startswith("FINDING  UNSOUND · known as XTF-031 · ")


@pytest.mark.parametrize("word", ["claim", "saw", "expected", "impact", "blame", "versions"])
def test_folded_lines_fit_the_width(word: str) -> None:
    """A long path may stand out: it is copied whole. Commands and logs are never folded."""
    long = replace(FOUND, claim="every " * 60, because="so " * 70, saw="many words " * 30, expected="a value, " * 40)
    heading, folded = "", []
    for line in str(long).splitlines()[1:]:
        heading = line.split()[0] if line[2:3] != " " else heading
        folded += [line] if heading == word else []
    assert folded
    assert max(map(len, folded)) <= WIDTH


def test_command_is_left_whole() -> None:
    assert FOUND.again in str(FOUND)


def test_file_name_is_left_whole() -> None:
    assert "2b8c0c7e-4f0e-4c0d-9f5a-2f0f5e7b1c3d-0_0-9-0_20261121120346056.parquet" in str(FOUND)


def test_log_keeps_its_lines() -> None:
    assert str(FOUND).endswith("  log       WARN one\n            WARN two")


def test_impact_counts_files_and_rows() -> None:
    assert "2 of 4 files, which hold 12,266 of 18,853 rows" in str(FOUND)


def test_impact_counts_predicates_where_some_were_tried() -> None:
    text = str(ANSWERED.impact)
    assert text.startswith("20 of 199 predicates lose rows, up to 2 rows each; they skip 2 of 4 files, which hold")


@pytest.mark.parametrize(
    ("impact", "words"),
    [
        (Impact(1, 1, 3, 3), "1 of 1 file, which holds 3 of 3 rows"),
        (Impact(0, 4, 0, 1), "0 of 4 files, which hold 0 of 1 row"),
        (
            Impact(1, 4, 10, 40, tried=1, losing=1, lost=1),
            "1 of 1 predicate loses 1 row; it skips 1 of 4 files, which holds 10 of 40 rows",
        ),
    ],
)
def test_counts_agree_with_their_nouns(impact: Impact, words: str) -> None:
    assert str(impact) == words


def test_example_and_answers_stand_behind_the_impact() -> None:
    headings = names(str(ANSWERED))
    assert headings[headings.index("impact") :][:4] == ["impact", "example", "answers", "blame"]


def test_answers_are_one_row() -> None:
    """A refusal is no number, and neither is a reader that is not up."""
    assert str(ANSWERED.answers) == "truth 1 · pyiceberg 0 · duckdb 1 · daft refuses · trino not up"


def test_only_another_number_is_a_wrong_answer() -> None:
    assert ANSWERED.answers is not None
    assert ANSWERED.answers.wrong == 1


def test_answers_are_json() -> None:
    facts = json.loads(json.dumps(ANSWERED.as_dict()))["answers"]
    assert facts["readers"] == {"pyiceberg": 0, "duckdb": 1, "daft": "no ids", "trino": None}


def test_finding_is_json() -> None:
    facts = json.loads(json.dumps(FOUND.as_dict()))
    assert (facts["verdict"], facts["blame"], facts["impact"]["rows"]) == ("UNSOUND", "xtable", 12_266)


def test_error_shows_the_finding() -> None:
    assert str(FindingError(FOUND)) == str(FOUND)


def test_verdicts_are_ranked_worst_first() -> None:
    assert SEVERITY[0] is Verdict.UNSOUND
    assert SEVERITY[-1] is Verdict.COSMETIC


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.UNSOUND])
def test_unsound_is_worst(verdict: Verdict) -> None:
    assert worst([verdict, Verdict.UNSOUND, verdict]) is Verdict.UNSOUND


# A finding names all the columns that deviate, and a known one is known in its own columns alone.


@pytest.mark.parametrize(
    ("spoilt", "columns", "known"),
    [(["int"], ("int",), True), (["double"], ("double",), False), (["int", "double"], ("double", "int"), False)],
    indirect=["spoilt"],
    ids=["the known column", "another column of the same table", "another column beside it"],
)
def test_the_same_fault_in_another_column_is_a_new_finding(
    spoilt: Finding, columns: tuple[str, ...], known: bool
) -> None:
    assert (spoilt.columns, KNOWN.describes(spoilt)) == (columns, known)


def lost(column: str, predicate: Predicate) -> Loss:
    return Loss(Question(predicate, column, {"a": 1}), frozenset({"a"}))


ONE, TEXT = Compare("i", "=", 1), Compare("s", "=", "a")

LOSSES = {
    "each alone": ([lost("i", ONE), lost("s", TEXT)], ("i", "s")),
    "two columns, of which one loses alone": ([lost("i", ONE), lost("s", And(TEXT, ONE))], ("i",)),
    "two columns together": ([lost("s", And(TEXT, ONE))], ("s",)),
}


@pytest.mark.parametrize(("losses", "columns"), LOSSES.values(), ids=LOSSES.keys())
def test_a_predicate_on_two_columns_does_not_blame_a_healthy_one(losses: list[Loss], columns: tuple[str, ...]) -> None:
    assert columns_lost(losses) == columns
