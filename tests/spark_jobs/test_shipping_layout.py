"""shipping_address: which state, file and row holds which ZIP code. No Spark."""

from __future__ import annotations

from itertools import pairwise

import pytest

from spark_jobs.shipping.layout import HIT_ZIP, LEAST_FILES, ZIPS, Expected, Layout, Zips, files_of, hit_files, one_in
from spark_jobs.shipping.states import PREFIXES, zip_range
from tests.of_each import of_each
from xtable_audit.model.problem import Problem

SIZES = [LEAST_FILES, 103, 983, 3_934, 393_360]


def zips_of(layout: Layout, state: str) -> list[list[str]]:
    """The state's ZIP codes, a list a file."""
    rows = range(layout.rows_per_file)
    return [[layout.zip_of(state, file, row) for row in rows] for file in range(layout.files_by_state[state])]


@pytest.mark.parametrize(("scale", "files"), [(1, 393_360), (100, 3_934), (400, 983)])
def test_a_scale_is_the_published_files_divided(scale: float, files: int) -> None:
    assert one_in(scale) == files


def test_a_scale_of_nothing_is_a_problem() -> None:
    with pytest.raises(Problem, match="--one-in must be a positive number"):
        one_in(0)


@pytest.mark.parametrize(("total", "files"), [(983, 48), (3_934, 193), (393_360, 19_304)])
def test_new_york_has_its_published_share_of_the_files(total: int, files: int) -> None:
    assert files_of("NY", total) == files


@pytest.mark.parametrize("total", SIZES)
def test_the_files_of_all_states_are_the_tables(total: int) -> None:
    assert sum(files_of(state, total) for state in PREFIXES) == total


@pytest.mark.parametrize("total", SIZES)
def test_other_states_differ_by_one_file_at_most(total: int) -> None:
    others = {files_of(state, total) for state in PREFIXES if state != "NY"}
    assert max(others) - min(others) <= 1


def test_at_983_files_other_states_have_19_or_20() -> None:
    assert {files_of(state, 983) for state in PREFIXES if state != "NY"} == {19, 20}


@pytest.mark.parametrize("total", SIZES)
def test_every_state_has_a_file(total: int) -> None:
    assert min(Layout(total).files_by_state.values()) > 0


def test_files_that_leave_a_state_empty_are_a_problem() -> None:
    with pytest.raises(Problem, match="fewer than 52 some state has none"):
        Layout(LEAST_FILES - 1)


def test_a_file_of_one_row_is_a_problem() -> None:
    with pytest.raises(Problem, match="--rows-per-file must be at least 2"):
        Layout(983, rows_per_file=1)


@pytest.mark.parametrize("total", [983, 3_934, 393_360])
def test_the_ratio_is_the_published_one(total: int) -> None:
    assert total / hit_files(total) == pytest.approx(393_360 / 19_304, rel=0.006)


def test_there_are_fifty_states() -> None:
    assert len(PREFIXES) == 50


def test_ranges_of_zips_are_apart() -> None:
    ranges = sorted(map(zip_range, PREFIXES))
    assert all(before[1] < after[0] for before, after in pairwise(ranges))


@pytest.mark.parametrize("zips", ZIPS)
@pytest.mark.parametrize("rows", [2, 4, 7])
def test_every_zip_belongs_to_its_state(zips: Zips, rows: int) -> None:
    layout = Layout(103, rows, zips)
    held = {state: {code for file in zips_of(layout, state) for code in file} for state in PREFIXES}
    assert all(
        PREFIXES[state][0] <= int(code[:3]) <= PREFIXES[state][1] and len(code) == 5
        for state, codes in held.items()
        for code in codes
    )


@pytest.mark.parametrize("zips", ZIPS)
def test_the_queried_zip_is_new_yorks_alone(zips: Zips) -> None:
    layout = Layout(983, zips=zips)
    holding = {state for state in PREFIXES if any(HIT_ZIP in file for file in zips_of(layout, state))}
    assert holding == {"NY"}


@pytest.mark.parametrize("state", ["NY", "RI", "CA"])
@pytest.mark.parametrize("rows", [2, 4, 50])
def test_random_files_span_their_whole_state(state: str, rows: int) -> None:
    low, high = zip_range(state)
    files = zips_of(Layout(983, rows, "random"), state)
    assert {(min(file), max(file)) for file in files} == {(f"{low:05}", f"{high:05}")}


def test_random_zips_between_the_ends_are_not_in_order() -> None:
    between = [code for file in zips_of(Layout(983), "NY") for code in file[1:-1]]
    assert between != sorted(between)


def test_random_zips_hardly_repeat() -> None:
    between = [code for file in zips_of(Layout(983), "NY") for code in file[1:-1]]
    assert len(set(between)) == len(between)


@pytest.mark.parametrize("state", ["NY", "RI", "AK"])
def test_sorted_zips_never_go_down(state: str) -> None:
    codes = [code for file in zips_of(Layout(983, zips="sorted"), state) for code in file]
    assert codes == sorted(codes)


@of_each("state", PREFIXES)
def test_sorted_zips_begin_and_end_where_their_state_does(state: str) -> None:
    files = zips_of(Layout(103, zips="sorted"), state)
    assert (int(files[0][0]), int(files[-1][-1])) == zip_range(state)


@pytest.mark.parametrize("zips", ZIPS)
@pytest.mark.parametrize(("files", "rows"), [(52, 2), (983, 4), (983, 900), (3_934, 60)])
def test_what_the_query_must_find_is_what_the_files_hold(files: int, rows: int, zips: Zips) -> None:
    layout = Layout(files, rows, zips)
    of_new_york = zips_of(layout, "NY")
    spanning = sum(min(file) <= HIT_ZIP <= max(file) for file in of_new_york)
    found = Expected(files, len(of_new_york), spanning, sum(file.count(HIT_ZIP) for file in of_new_york))
    assert layout.expected() == found


@pytest.mark.parametrize(("zips", "layers"), [("random", (983, 48, 48)), ("sorted", (983, 48, 1))])
def test_the_layers_come_apart_where_zips_are_sorted(zips: Zips, layers: tuple[int, int, int]) -> None:
    expected = Layout(983, zips=zips).expected()
    assert (expected.listed, expected.in_state, expected.holding) == layers


def test_files_are_numbered_state_by_state() -> None:
    layout = Layout(983)
    assert list(zip(layout.starts[1:], strict=False)) == [
        (start + files,) for start, files in zip(layout.starts, list(layout.files_by_state.values())[:-1], strict=False)
    ]
