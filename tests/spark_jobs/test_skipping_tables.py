"""The laboratory's entries, as plain values: nothing is written."""

from __future__ import annotations

import pytest

from lab.subjects.hudi_tables import DRAWN_ON, EXAMPLES, LAYERED
from spark_jobs.battery.skipping.healthy import INDEXED
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.battery.table import Write
from spark_jobs.battery.tables import BATTERY
from spark_jobs.launch import SHIPS
from tests.of_each import of_each

NAMES = (*LAB, *BATTERY, *SHIPS)


@of_each("name", LAB)
def test_no_other_table_is_chosen_by_a_table_s_name(name: str) -> None:
    assert [other for other in NAMES if other != name and (name in other or other in name)] == []


@of_each("name", LAB)
def test_a_table_and_each_of_its_steps_say_what_they_are(name: str) -> None:
    assert LAB[name].description
    assert all(LAB[name].stages)


@of_each("name", LAB)
def test_a_table_is_written_once_for_each_release_by_its_own_name(name: str) -> None:
    assert (LAB[name].hudi, LAB[name].format) == ("", "HUDI")


def test_examples_are_of_tables_there_are() -> None:
    assert EXAMPLES.keys() <= LAB.keys()


def test_every_table_has_a_question() -> None:
    assert LAB.keys() <= EXAMPLES.keys() | {DRAWN_ON, *LAYERED}


@of_each("name", EXAMPLES)
def test_no_table_has_an_example_twice(name: str) -> None:
    assert len(set(map(str, EXAMPLES[name]))) == len(EXAMPLES[name])


def test_the_table_of_types_has_36_files_of_6_rows() -> None:
    [step] = LAB["skip_types"].steps
    assert isinstance(step.action, Write)
    assert [one.rows for one in step.action.files] == [6] * 36


@pytest.mark.parametrize("column", INDEXED)
def test_each_type_has_a_file_of_nulls_and_a_state_of_nulls_alone(column: str) -> None:
    [step] = LAB["skip_types"].steps
    assert isinstance(step.action, Write)
    empty = [one.columns["state"][0] for one in step.action.files if set(one.columns[column]) == {None}]
    assert empty == ["AR", "DE", "DE", "DE"]
