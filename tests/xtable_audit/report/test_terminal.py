"""What a terminal shows: the matrix of readers and tables, never too wide, and texts that are cut where they agree."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from itertools import takewhile

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.console import Console, Group, RenderableType

from tests.xtable_audit.report import runs
from xtable_audit.report.document import LayerRow, Mode, Reading, SelectionRow
from xtable_audit.report.matrix import WIDTH, in_full, in_sum
from xtable_audit.report.scorecard import skipping
from xtable_audit.report.text import PLACEHOLDER, cell, elided

ICEBERGS, DELTAS = ("pyiceberg", "duckdb"), ("deltalake", "duckdb_delta")
ROOT, NAME = "s3://lake/tables/delta_paths/", "/part-00004-23a8667d-db13-4576-9ab3-ed5886589bc9.c000.snappy.parquet"
ROOM = 68
PARTS = st.text("ab%25=/", max_size=90)
ZIP = "zip_code = '10001'"
ON = LayerRow("ship_random-hudi1.2.0", "live", ZIP, "on", 983, 48, 48, 49, 48, matching=48, seconds=0.5)
OFF = replace(ON, asked="off", after_partition_statistics=None, after_column_statistics=None, read=None)
READERS = {"duckdb": Reading(None, None, 3, 3), "daft": Reading(None, None, None, None, refused=True)}
ICEBERG = SelectionRow("v6_index-xtable", "live", "zip", ZIP, 8, 3, 3, 12, 3, 32, READERS)


def row(table: str, *readers: str, predicate: str = "d = 1") -> SelectionRow:
    seen = {reader: Reading(4, 1, 1, 12) for reader in readers}
    return SelectionRow(table, "live", "d", predicate, 4, 1, 1, 12, 12, 40, seen)


def drawn(parts: list[RenderableType]) -> list[str]:
    console = Console(file=StringIO(), width=WIDTH)
    console.print(Group(*parts))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text.splitlines()


def blocks(lines: list[str]) -> list[set[str]]:
    """The readers of each matrix, by their first words."""
    found: list[set[str]] = []
    for line in lines:
        word = line.split(" ")[0]
        if word == "reader":
            found.append(set())
        elif word in (*ICEBERGS, *DELTAS):
            found[-1].add(word)
    return found


BOTH = [row("good-xtable", *ICEBERGS), row("good-delta_by_kernel", *DELTAS)]


def shown(*layers: LayerRow, selections: tuple[SelectionRow, ...] = ()) -> list[list[str]]:
    """The words of each line."""
    document = replace(runs.document(), selections=selections, layers=layers)
    console = Console(width=100, record=True, file=StringIO())
    console.print(Group(*skipping(document)))
    return [line.split("  ") for line in console.export_text().splitlines()]


def words(lines: list[list[str]]) -> list[list[str]]:
    return [[word.strip() for word in line if word.strip()] for line in lines]


# The matrix of readers and tables: one for each format of metadata, and none wider than a terminal.


def test_each_format_has_the_readers_that_read_it() -> None:
    assert blocks(drawn(in_full(BOTH))) == [{*ICEBERGS}, {*DELTAS}]


def test_sums_of_many_predicates_are_by_format_too() -> None:
    again = [row("good-xtable", *ICEBERGS, predicate="d = 2"), row("good-delta_by_kernel", *DELTAS, predicate="d = 2")]
    assert blocks(drawn(in_sum([*BOTH, *again]))) == [{*ICEBERGS}, {*DELTAS}]


def test_one_format_is_one_matrix() -> None:
    lines = drawn(in_full([row("good-xtable", *ICEBERGS), row("bad-xtable", "duckdb")]))
    assert blocks(lines) == [{*ICEBERGS}]
    assert "·" in next(line for line in lines if line.startswith("pyiceberg"))


@pytest.mark.parametrize(("tables", "matrices"), [(4, 1), (12, 3)], ids=["few", "many"])
def test_a_matrix_is_no_wider_than_the_terminal(tables: int, matrices: int) -> None:
    lines = drawn(in_full([row(f"dataset_{n:02}-delta_by_kernel", *DELTAS) for n in range(tables)]))
    assert len(blocks(lines)) == matrices
    assert all(len(line) <= WIDTH and "…" not in line for line in lines)


def test_a_format_that_no_reader_read_has_no_matrix() -> None:
    assert blocks(drawn(in_full([row("good-xtable", *ICEBERGS), row("good-delta_by_kernel")]))) == [{*ICEBERGS}]


# Texts are cut where they agree, and never where they differ.


def test_a_doubled_escape_is_seen() -> None:
    stored, expected = f"{ROOT}p=50%25{NAME}", f"{ROOT}p=50%2525{NAME}"
    assert "p=50%25/" in elided(stored, expected, ROOM)
    assert "p=50%2525/" in elided(expected, stored, ROOM)


def test_a_path_that_is_elsewhere_has_its_beginning() -> None:
    stored, expected = f"file:/lake{NAME}", f"s3://lake{NAME}"
    assert elided(stored, expected, 40).startswith("file:/lake/part-")
    assert elided(expected, stored, 40).startswith("s3://lake/part-")


def test_words_that_have_nothing_in_common_lose_their_middle() -> None:
    assert elided("x" * 100, "the data file", 20) == "x" * 10 + PLACEHOLDER + "x" * 9


def test_words_beside_a_path_stay() -> None:
    told = elided(f"no object at {ROOT}a{NAME} (4 files alike)", f"{ROOT}b{NAME} (by its source)", ROOM)
    assert told.startswith("no object at s3://")
    assert told.endswith(" (4 files alike)")


def agreeing(one: str, other: str) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


@given(PARTS, PARTS, PARTS, PARTS)
def test_what_differs_stays_and_what_agrees_is_cut(before: str, one: str, other: str, after: str) -> None:
    left, right = f"s3://lake/{before}{one}{after}", f"s3://lake/{before}{other}{after}"
    assume(left != right)
    start = agreeing(left, right)
    end = agreeing(left[start:][::-1], right[start:][::-1])
    told = elided(left, right, 24), elided(right, left, 24)
    assert told[0] != told[1]
    assert all(
        len(shown) <= max(24, len(whole) - start - end + 2 * (12 + 1))
        for shown, whole in zip(told, (left, right), strict=True)
    )
    for shown, whole in zip(told, (left, right), strict=True):
        assert len(shown) <= len(whole)
        assert whole[start : len(whole) - end] in shown
        kept = shown.split(PLACEHOLDER)
        assert whole.startswith(kept[0])
        assert whole.endswith(kept[-1])
        assert all(part in whole for part in kept)


# Hudi's layers of skipping on the scorecard, beside Iceberg's readers.


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


def test_what_an_engine_writes_in_brackets_is_no_link() -> None:
    assert cell("bucket[4](p), see [XTF-001](XTF-001.md) | all") == r"bucket[4]\(p), see [XTF-001](XTF-001.md) \| all"
