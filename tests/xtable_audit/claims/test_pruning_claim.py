"""*No file with a matching row is dropped*: silent on healthy metadata, loud over each fault that misleads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from pyiceberg.table import StaticTable

from tests.of_each import of_each
from tests.tables.draft import NEGATIVE, RECORDED, Fault
from tests.tables.mirror import Mirror
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.claims.test_mutations import FAULTS
from tests.xtable_audit.conftest import DraftOf, SpoiltOf, TableOf
from xtable_audit.formats.installed import target_formats
from xtable_audit.formats.target import TargetFormat, Trap
from xtable_audit.model.columns import COMMITTED, HUDIS_OWN
from xtable_audit.model.finding import Verdict
from xtable_audit.model.planner import JAVA, JUDGE, PYICEBERG
from xtable_audit.model.predicate import Compare, IsNull, Predicate
from xtable_audit.planning.planners import Planner, judges, trap
from xtable_audit.planning.pruning_trial import LONGEST, Loss, Question, Trial, example, try_planner, whole_grid
from xtable_audit.planning.selection import bounds_in_words
from xtable_audit.readers.pyiceberg_reader import plan_table
from xtable_audit.subject.case import Case

QuestionsOf = Callable[[str], tuple[Question, ...]]
TABLES = ("typed", "native_iceberg", *RECORDED[:1], "good_layout-control", *NEGATIVE)


def is_in_grid(column: str | None) -> bool:
    """Whether the grid has the column: of Hudi's own it has the commit time alone."""
    return column is None or column == COMMITTED or not column.startswith(HUDIS_OWN)


UNSOUND = [fault for fault in FAULTS if fault.loses and is_in_grid(fault.column)]
HARMLESS = [fault for fault in FAULTS if Verdict.UNSOUND not in fault.breaks.values() and "file" not in fault.id]


@pytest.fixture(scope="module")
def questions_of(table_of: TableOf) -> QuestionsOf:
    """The whole grid of a healthy table; its values are those of each spoilt copy too."""

    @cache
    def build(id: str) -> tuple[Question, ...]:
        table = table_of(id)
        return whole_grid(table.mirror.objects, table.case)

    return build


def tried(name: str, mirror: Mirror, case: Case, questions: Sequence[Question]) -> Trial:
    planner: Planner = judges(case.stored) if name == JUDGE else by_pyiceberg(mirror)
    return try_planner(case, questions, name, planner)


def by_pyiceberg(mirror: Mirror) -> Planner:
    return lambda location, predicates: plan_table(StaticTable.from_metadata(location, mirror.pyiceberg), predicates)


@pytest.mark.parametrize("id", TABLES)
def test_healthy_metadata_loses_no_row(table_of: TableOf, questions_of: QuestionsOf, id: str) -> None:
    table = table_of(id)
    trial = tried(JUDGE, table.mirror, table.case, questions_of(id))
    assert [str(loss) for loss in trial.losses] == []


@pytest.mark.parametrize("id", TABLES)
def test_planners_keep_the_same_files(table_of: TableOf, questions_of: QuestionsOf, id: str) -> None:
    """Over healthy metadata, for every predicate; so PyIceberg loses no row either."""
    table = table_of(id)
    ours, theirs = (tried(name, table.mirror, table.case, questions_of(id)) for name in (JUDGE, PYICEBERG))
    pairs = zip(ours.questions, ours.kept, theirs.kept, strict=True)
    assert [str(question) for question, mine, its in pairs if its is not None and its != mine] == []


@of_each("fault", UNSOUND)
def test_false_metadata_loses_rows(questions_of: QuestionsOf, spoilt_of: SpoiltOf, fault: Fault) -> None:
    """By the metadata, of the spoilt files alone, on the spoilt column, by the judge's planner and PyIceberg's."""
    draft, case = spoilt_of(fault)
    for name in (JUDGE, PYICEBERG):
        trial = tried(name, draft.mirror, case, about(fault, questions_of(fault.table)))
        lost = frozenset[str]().union(*(loss.files for loss in trial.metadata))
        assert (bool(lost), lost <= {draft.path(place) for place in fault.places}, trial.own) == (True, True, ())
        loss = example(trial.losses)
        assert fault.column in (None, loss.question.column)
        assert 0 <= loss.found < loss.question.rows


@of_each("fault", HARMLESS)
def test_metadata_that_is_only_loose_loses_no_row(questions_of: QuestionsOf, spoilt_of: SpoiltOf, fault: Fault) -> None:
    draft, case = spoilt_of(fault)
    assert tried(JUDGE, draft.mirror, case, about(fault, questions_of(fault.table))).losses == ()


def about(fault: Fault, questions: tuple[Question, ...]) -> tuple[Question, ...]:
    """The questions on the spoilt column; on three columns where the fault is in none or the grid is the table's."""
    columns = list(dict.fromkeys(question.column for question in questions))
    predicates = [fault.column] if fault.column else columns[:3]
    return tuple(question for question in questions if question.column in predicates)


# planners' own faults, and what is known of them


def losing(predicate: Predicate, case: Case, name: str) -> Trial:
    """A planner that drops every file, over metadata that is right."""
    question = Question(predicate, "float", dict.fromkeys(case.stored.paths, 1))
    return try_planner(case, [question], name, lambda _, predicates: [frozenset() for _ in predicates])


@pytest.mark.parametrize("name", [PYICEBERG, JAVA])
def test_a_file_that_a_planner_alone_drops_is_its_own_loss(table_of: TableOf, name: str) -> None:
    trial = losing(IsNull("float", negated=True), table_of("typed").case, name)
    assert (trial.metadata, len(trial.own), trial.trapped) == ((), 1, {})


@pytest.mark.parametrize("name", [PYICEBERG, JAVA])
@pytest.mark.parametrize("value", [float("-inf"), 1e300])
def test_a_literal_beyond_float_is_set_aside(table_of: TableOf, name: str, value: float) -> None:
    trial = losing(Compare("float", ">=" if value < 0 else "<", value), table_of("typed").case, name)
    assert (trial.losses, sum(trial.trapped.values())) == ((), 1)


def test_false_metadata_is_never_set_aside(table_of: TableOf) -> None:
    """Where the judge drops the file as well, no trap excuses it."""
    trial = losing(Compare("float", ">", float("inf")), table_of("typed").case, PYICEBERG)
    assert (len(trial.metadata), trial.trapped) == (1, {})


def test_predicates_that_a_planner_cannot_express_are_not_counted(table_of: TableOf) -> None:
    case = table_of("typed").case
    question = Question(IsNull("float", negated=True), "float", dict.fromkeys(case.stored.paths, 1))
    assert try_planner(case, [question], PYICEBERG, lambda _, predicates: [None for _ in predicates]).plannable == 0


@pytest.mark.parametrize("target", target_formats().values(), ids=target_formats())
def test_no_trap_excuses_the_judge(target: TargetFormat) -> None:
    assert JUDGE not in target.planners


# the example


def loss(predicate: Predicate, rows: int, lost: int, column: str = "d") -> Loss:
    return Loss(Question(predicate, column, {"kept": rows - lost, "dropped": lost}), frozenset({"dropped"}))


EQUAL = loss(Compare("d", "=", 5.0), 1, 1)
WORSE = {
    "a range": loss(Compare("d", ">", 5.0), 1, 1),
    "some rows found": loss(Compare("d", "=", 6.0), 2, 1),
    "a text nobody reads": loss(Compare("s", "=", "x" * 5000), 1, 1),
    "a column of Hudi's own": loss(Compare("_hoodie_file_name", "=", "a"), 1, 1, "_hoodie_file_name"),
}


@pytest.mark.parametrize("other", WORSE.values(), ids=WORSE.keys())
def test_the_example_is_what_a_person_sees_through(other: Loss) -> None:
    assert example([other, EQUAL]) is EQUAL


def test_the_example_has_both_counts() -> None:
    assert str(EQUAL) == "WHERE d = 5.0: 1 row by the values, 0 in the files that are kept"


def test_a_long_literal_is_cut() -> None:
    assert len(str(replace(WORSE["a text nobody reads"].question))) == LONGEST


def test_words_of_an_empty_record_count_say_so(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.change_file(1, lambda file: file.update(record_count=0))
    assert "(record_count 0; int: " in bounds_in_words(draft.case().stored, draft.path(1), IsNull("int"))


def test_words_name_the_partition(table_of: TableOf) -> None:
    case = table_of("typed").case
    assert "partition 'north'" in bounds_in_words(case.stored, case.stored.paths[1], IsNull("region"))


HARMLESS_TRAPS = {
    known.words: known
    for target in target_formats().values()
    for traps in target.planners.values()
    for known in traps
    if not known.loses
}


@pytest.mark.parametrize("known", HARMLESS_TRAPS.values(), ids=HARMLESS_TRAPS)
def test_a_trap_that_only_keeps_too_much_excuses_no_loss(
    table_of: TableOf, monkeypatch: pytest.MonkeyPatch, known: Trap
) -> None:
    """Even where it applies."""
    always = replace(known, applies=lambda *_: True)
    monkeypatch.setitem(target_formats()["iceberg"].planners, JAVA, (always,))
    trial = losing(IsNull("float", negated=True), table_of("typed").case, JAVA)
    assert (len(trial.own), trial.trapped) == (1, {})


@pytest.mark.parametrize(
    ("operator", "place", "known"), [("<", 1, True), ("<=", 1, True), (">", 1, False), ("<", None, False)]
)
def test_java_is_known_to_keep_null_tuples_below_a_value(
    draft_of: DraftOf, operator: Any, place: int | None, known: bool
) -> None:
    draft = draft_of("typed")
    if place is not None:
        mutate.set_tuple(draft, place, None)
    assert bool(trap(JAVA, draft.case().stored, Compare("region", operator, "north"))) is known
