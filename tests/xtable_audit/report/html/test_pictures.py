"""The pictures: which a document has, how many marks, and that their numbers are the document's."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.xtable_audit.report.documents import NAMES
from tests.xtable_audit.report.html.conftest import Page
from tests.xtable_audit.report.runs import claim, document
from tools.pages.screenshots import FINDING, IMAGES, main, take
from xtable_audit.model.file_ranges import FILES, Axis, FileRange, FileRanges, Range
from xtable_audit.model.own_table import OwnTable, PredicateRow
from xtable_audit.model.problem import Problem
from xtable_audit.model.result import Owner
from xtable_audit.report.document import Document, LayerRow, Reading, Registered, SelectionRow, TightnessRow
from xtable_audit.report.groups import groups
from xtable_audit.report.html import draw
from xtable_audit.report.html.document_pictures import COLUMNS, of_group, of_reads
from xtable_audit.report.html.matrices import matrices
from xtable_audit.report.html.picture import MARKS, late
from xtable_audit.report.html.template import render

SHOWS = "import sys; from xtable_audit.report.html import document_pictures; {}print('altair' in sys.modules)"


def between(low: float | None, high: float | None) -> Range:
    return Range(str(low), str(high), low, high)


def file(stored: Range, actual: Range, name: str = "a.parquet", **more: bool) -> FileRange:
    return FileRange(name, stored, actual, **more)


def ranges(*files: FileRange, axis: Axis = "number", asked: Range | None = None) -> FileRanges:
    return FileRanges("d", axis, files, len(files), asked)


NARROW = file(between(0, 4), between(-3, 9), wrong=True)

HEALTHY = file(between(0, 4), between(0, 4))

EMPTY = file(between(3, 3), between(None, None))

MANY = ranges(*(file(between(n, n + 4), between(n - 1, n + 5), f"{n}.parquet", wrong=True) for n in range(FILES)))


def selection(table: str, question: str = "zip", **more: FileRanges | None) -> SelectionRow:
    readers = {"duckdb": Reading(None, None, 2, 3), "daft": Reading(None, None, None, None, refused=True)}
    return SelectionRow(table, "live", question, "d >= 1", 4, 2, 1, 30, 3, 40, readers, **more)


def with_selections(*rows: SelectionRow) -> Document:
    return replace(document(claim()), selections=rows)


# The pictures: which a document has, how many marks, and that their numbers are the document's.


@pytest.mark.parametrize(
    ("stored", "actual", "parts"),
    [
        (between(0, 4), between(0, 4), []),
        (between(-1, 9), between(0, 4), []),
        (between(0, 4), between(-3, 9), [(-3, 0), (4, 9)]),
        (between(0, 4), between(1, 9), [(4, 9)]),
        (between(0, 4), between(7, 9), [(7, 9)]),
        (between(None, 4), between(1, 9), [(4, 9)]),
        (between(None, None), between(1, 9), []),
        (between(0, 4), between(None, None), []),
    ],
    ids=["the same", "wider", "narrower", "too low", "elsewhere", "no lower", "none", "no values"],
)
def test_what_the_stored_bounds_leave_out(stored: Range, actual: Range, parts: list[tuple[float, float]]) -> None:
    assert draw.outside(stored, actual) == parts


def test_a_finding_of_bounds_has_a_picture_with_every_file_in_its_table() -> None:
    [group] = groups(document(claim("finding", ranges=ranges(HEALTHY, NARROW))))
    [picture] = of_group(group)
    assert [row[1:5] for row in picture.rows] == [("0", "4", "0", "4"), ("0", "4", "-3", "9")]
    assert "The claim fails in 1 of 2 files." in picture.words


def test_a_finding_of_anything_else_has_none() -> None:
    [group] = groups(document(claim("finding")))
    assert of_group(group) == ()


@pytest.mark.parametrize(("of", "lost"), [(ranges(HEALTHY), 0), (ranges(NARROW), 2)], ids=["healthy", "narrow"])
def test_lost_values_have_a_colour_and_a_pattern(of: FileRanges, lost: int) -> None:
    drawn = draw.stored_and_actual(of, "name")
    assert drawn.count('fill="url(#hatch-bad)" stroke="var(--UNSOUND)"') == lost


@pytest.mark.parametrize("axis", ["number", "time", "order"])
@pytest.mark.parametrize(
    "of", [NARROW, HEALTHY, file(between(3, 3), between(None, None))], ids=["narrow", "ok", "none"]
)
def test_every_axis_is_drawn(axis: Axis, of: FileRange) -> None:
    assert ElementTree.fromstring(draw.stored_and_actual(ranges(of, axis=axis), "name")).tag.endswith("svg")


def test_a_picture_of_all_files_keeps_to_its_marks() -> None:
    drawn = draw.stored_and_actual(MANY, "name")
    assert FILES < len(ElementTree.fromstring(drawn).findall(".//path")) <= MARKS


def test_a_picture_is_the_same_each_time() -> None:
    assert draw.stored_and_actual(MANY, "name") == draw.stored_and_actual(MANY, "name")


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_one_image_called_by_its_name(name: str) -> None:
    shown = re.sub("[\x00-\x08\x0b-\x1f\u2028\u202e]", "?", NAMES[name])
    of = replace(ranges(NARROW, axis="order"), column=shown)
    parsed = ElementTree.fromstring(draw.stored_and_actual(of, shown))
    assert (parsed.get("role"), parsed.get("aria-label")) == ("img", shown)


@pytest.mark.parametrize(
    ("of", "fill"),
    [
        (replace(HEALTHY, planned=True, matching=True), "var(--LOOSE)"),
        (replace(HEALTHY, planned=True), "url(#hatch-accent)"),
        (HEALTHY, "var(--quiet)"),
        (replace(HEALTHY, matching=True), "url(#hatch-bad)"),
    ],
    ids=["read", "extra", "skipped", "lost"],
)
def test_a_file_of_a_layout_shows_what_the_predicate_does_to_it(of: FileRange, fill: str) -> None:
    drawn = draw.layout(ranges(of, asked=between(1, 2)), "name")
    assert f'fill="{fill}"' in drawn
    assert 'fill="var(--band)"' in drawn


def test_a_table_is_shown_once_by_a_column_with_distances() -> None:
    order, number = (ranges(HEALTHY, axis=axis, asked=between(1, 2)) for axis in ("order", "number"))
    made = with_selections(
        selection("good-xtable", "month", ranges=order),
        selection("good-xtable", "time", ranges=replace(number, column="at")),
    )
    assert [one.title for one in of_reads(made) if one.id.startswith("layout")] == ["Layout of good-xtable by at"]


@pytest.mark.parametrize("table", ["good-control", "good-delta_by_control"])
def test_the_control_translators_tables_are_not_drawn(table: str) -> None:
    assert of_reads(with_selections(selection(table, ranges=ranges(HEALTHY)))) == ()


def test_reads_are_bars_from_live_to_matching() -> None:
    [picture] = of_reads(with_selections(selection("good-xtable")))
    assert picture.rows == (("live", 4), ("planned", 2), ("duckdb", 2), ("matching", 1))


def test_columns_that_lose_most_come_first() -> None:
    rows = (TightnessRow("t-xtable", "a", 0.5, 0.6, 0.8), TightnessRow("t-xtable", "b", 0.0, 0.75, 0.0))
    [picture] = of_reads(replace(document(claim()), tightness=rows))
    assert [row[1:] for row in picture.rows] == [("b", "0%", "75%"), ("a", "50%", "60%")]


def test_of_many_loose_columns_the_worst_are_drawn() -> None:
    rows = tuple(TightnessRow("t-xtable", f"c{n}", 0.0, 0.5, 0.0) for n in range(COLUMNS + 5))
    [picture] = of_reads(replace(document(claim()), tightness=rows))
    assert len(picture.rows) == COLUMNS


def test_tight_columns_are_not_drawn() -> None:
    assert of_reads(replace(document(claim()), tightness=(TightnessRow("t-xtable", "a", 0.5, 0.5, 1.0),))) == ()


def test_hudis_layers_are_drawn_with_skipping_on() -> None:
    layers = [LayerRow("s-hudi1.2.0", "live", "zip = '1'", asked, 9, 4, 1, None, 1, 1, 0.1) for asked in ("off", "on")]
    [picture] = of_reads(replace(document(claim()), layers=tuple(layers)))
    assert [files for _, files in picture.rows] == [9, 4, 1, 1]


def test_a_users_own_predicate_is_drawn() -> None:
    own = OwnTable("o", "o", "o", 1, 2, "", 4, 1, 1, 4, predicates=(PredicateRow("d >= 1", 4, 2, 9, 4, 1, 3),))
    [picture] = of_reads(replace(document(claim()), own_table=own))
    assert picture.rows == (("live", 4), ("planned", 2), ("matching", 1))


def test_a_reader_that_differs_from_the_judge_is_marked() -> None:
    wrong = replace(selection("bad-xtable"), readers={"duckdb": Reading(None, None, 2, 0)})
    [matrix] = matrices(with_selections(selection("good-xtable"), wrong))
    [(_, cells), _] = matrix.rows
    assert [(cell.text, cell.right) for cell in cells] == [("-/-/2 · 3", True), ("-/-/2 · 0", False)]


def test_each_format_has_a_matrix_of_its_own_readers() -> None:
    delta = replace(selection("good-delta_by_kernel"), readers={"deltalake": Reading(None, None, 2, 3)})
    iceberg, other = matrices(with_selections(selection("good-xtable"), delta))
    assert (iceberg.tables, other.tables) == (("good-xtable",), ("good-delta_by_kernel",))
    assert "deltalake" not in [reader for reader, _ in iceberg.rows]
    assert [reader for reader, _ in other.rows] == ["deltalake"]


def test_a_reader_that_refuses_a_table_says_so() -> None:
    [matrix] = matrices(with_selections(selection("good-xtable")))
    assert [(cell.text, cell.refused) for cell in matrix.rows[1][1]] == [("refuses", True)]


def test_many_predicates_are_summed() -> None:
    rows = [replace(selection("good-xtable"), predicate=f"d = {n}") for n in range(3)]
    [matrix] = matrices(with_selections(*rows))
    assert matrix.rows[0][1][0].text == "3 right, 6/6"


def test_a_reader_that_refuses_some_predicates_says_how_many() -> None:
    right, refuses = (replace(selection("good-xtable"), predicate=f"d = {n}") for n in range(2))
    refuses = replace(refuses, readers={"duckdb": Reading(None, None, None, None, refused=True)})
    [matrix] = matrices(with_selections(right, refuses))
    [cell] = matrix.rows[0][1]
    assert (cell.text, cell.right) == ("1 right, 1 refused", False)


def test_each_picture_on_the_page_has_its_numbers() -> None:
    made = document(claim("finding", ranges=ranges(NARROW)))
    made = replace(made, selections=(selection("good-xtable", ranges=ranges(HEALTHY, asked=between(1, 2))),))
    page = Page(render(made))
    figures = page.tags.count("figure")
    assert figures == 3
    assert page.text.count("The numbers") == figures


# What draws pictures is loaded with the first picture.


@pytest.mark.parametrize(
    ("use", "loaded"), [("", "False"), ("document_pictures.draw.GREY; ", "True")], ids=["a page of words", "a picture"]
)
def test_altair_is_loaded_where_something_is_drawn(use: str, loaded: str) -> None:
    command = [sys.executable, "-c", SHOWS.format(use)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == loaded


def test_a_module_that_is_not_there_is_missed_at_once() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'xtable_audit\.nowhere'"):
        late("xtable_audit.nowhere")


# The pictures of docs/images.

PNG = b"\x89PNG"
LARGEST = 400_000


@pytest.mark.usefixtures("browser")
def test_a_run_becomes_two_pictures(tmp_path: Path) -> None:
    run = document(claim("known", registered=FINDING))
    take(replace(run, register={FINDING: Registered("Milliseconds", "xtable", Owner.XTABLE, "everyday")}), tmp_path)
    assert {path.name: path.read_bytes()[:4] for path in tmp_path.iterdir()} == {"report.png": PNG, "finding.png": PNG}


@pytest.mark.usefixtures("browser")
def test_a_run_without_the_finding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=f"has not found {FINDING}: name the audit.json of a whole audit"):
        take(document(claim()), tmp_path)


def test_what_is_no_audit_ends_with_4(tmp_path: Path) -> None:
    assert main([str(tmp_path / "none.json")]) == 4


@pytest.mark.parametrize("name", ["report.png", "finding.png", "upgrade-refused.png", "upgrade-allowed.png"])
def test_the_pictures_are_small(name: str) -> None:
    assert (IMAGES / name).stat().st_size < LARGEST
