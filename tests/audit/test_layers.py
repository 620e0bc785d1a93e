"""Hudi's layers of skipping on the scorecard, beside Iceberg's readers."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console, Group

from tests.audit import runs
from xtable_audit.report.document import LayerRow, Mode, Reading, SelectionRow
from xtable_audit.report.layers import skipping

ZIP = "zip_code = '10001'"
ON = LayerRow("ship_random-hudi1.2.0", "live", ZIP, "on", 983, 48, 48, 49, 48, matching=48, seconds=0.5)
OFF = replace(ON, asked="off", after_partition_statistics=None, after_column_statistics=None, read=None)
READERS = {"duckdb": Reading(None, None, 3, 3), "daft": Reading(None, None, None, None, refused=True)}
ICEBERG = SelectionRow("v6_index-xtable", "live", "zip", ZIP, 8, 3, 3, 12, 3, 32, READERS)


def shown(*layers: LayerRow, selections: tuple[SelectionRow, ...] = ()) -> list[list[str]]:
    """The words of each line."""
    document = replace(runs.document(), selections=selections, layers=layers)
    console = Console(width=100, record=True, file=StringIO())
    console.print(Group(*skipping(document)))
    return [line.split("  ") for line in console.export_text().splitlines()]


def words(lines: list[list[str]]) -> list[list[str]]:
    return [[word.strip() for word in line if word.strip()] for line in lines]


def test_nothing_is_shown_where_hudi_was_not_queried() -> None:
    assert shown(selections=(ICEBERG,)) == []


@pytest.mark.parametrize(
    "line",
    [
        ["ship_random-hudi1.2.0", "Hudi, skipping on", "983", "48", "48", "49", "48"],
        ["ship_random-hudi1.2.0", "Hudi, skipping off", "983", "-", "-", "-", "48"],
        ["v6_index-xtable", "Iceberg, duckdb", "8", "-", "-", "3", "3"],
    ],
    ids=["every layer", "layers not reported", "an Iceberg reader"],
)
def test_each_way_to_skip_has_its_line(line: list[str]) -> None:
    assert line in words(shown(OFF, ON, selections=(ICEBERG,)))


def test_a_reader_that_refuses_has_no_line() -> None:
    assert not [line for line in words(shown(ON, selections=(ICEBERG,))) if "Iceberg, daft" in line]


def test_other_predicates_are_left_out() -> None:
    other = replace(ICEBERG, predicate="zip_code = '20002'")
    assert not [line for line in words(shown(ON, selections=(other,))) if "Iceberg, duckdb" in line]


@pytest.mark.parametrize("mode", ["live", "recorded"])
def test_recorded_answers_are_marked(mode: Mode) -> None:
    lines = words(shown(replace(ON, mode=mode)))
    assert any("recorded answers" in word for line in lines for word in line) == (mode == "recorded")
