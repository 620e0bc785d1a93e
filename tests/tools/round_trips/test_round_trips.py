"""What is lost on a round trip over Iceberg to Delta: how it is found, sorted and shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lab.provision.dataset import Dataset
from lab.stack.jars import is_resolvable
from lab.stack.versions import releases
from lab.store.address import BUCKET
from lab.store.disk import Disk
from spark_jobs.battery.tables import BATTERY
from tests.fixtures.tables import table_with
from tests.xtable_audit.conftest import DraftOf, TableOf, draft_of, table_of
from tools.round_trips.__main__ import in_words, main
from tools.round_trips.faults import (
    BEGIN,
    END,
    PAGE,
    SYNCED,
    UNREAD,
    Lost,
    RoundTripFault,
    When,
    direct,
    faults,
    lines,
    written,
)
from tools.round_trips.trip import TABLES, datasets_of, iceberg_alone, named
from xtable_audit.claims import CLAIMS
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync
from xtable_audit.register.extent import path_of_extents

__all__ = ["draft_of", "table_of"]


def fault(claim: str, verdict: str = "UNSOUND", *columns: str) -> RoundTripFault:
    return RoundTripFault(claim, verdict, columns, "a; expected b")


A, B, C = fault("a"), fault("b", "LOOSE", "x"), fault("c", "STALE")
UNMAPPED = fault("m", "UNREADABLE")


def went(
    *, first: tuple[RoundTripFault, ...], second: tuple[RoundTripFault, ...], direct: set[str] | None = None
) -> Lost:
    by_claim = [{one.claim: one for one in leg} for leg in (first, second)]
    return Lost("t", by_claim[0], by_claim[1], None if direct is None else frozenset(direct))


# What is found.


def test_a_healthy_table_has_lost_nothing(table_of: TableOf) -> None:
    case = table_of("typed").case
    assert [*faults(table_with("t-xtable", case, case.stored.metadata_location))] == []


def test_a_wrong_bound_is_found_with_its_column(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    draft.put(1, "lower_bounds", "int", 10**6)
    case = draft.case()
    found = {one.claim: one for one in faults(table_with("t-xtable", case, case.stored.metadata_location))}
    assert (found["bounds_contain_values"].verdict, found["bounds_contain_values"].columns) == ("UNSOUND", ("int",))


def test_how_the_first_source_lies_in_its_files_is_no_fault_of_a_sync(table_of: TableOf) -> None:
    case = table_of("bad_layout-0.4.0-incubating").case
    layout = [one for one in CLAIMS.values() if one.family == "layout" and one.lacks(case) is None]
    assert [one.id for one in layout if one.deviations(case)]
    found = {one.claim for one in faults(table_with("t-xtable", case, case.stored.metadata_location))}
    assert not found & {one.id for one in layout}


def test_a_sync_that_fails_is_a_fault_beside_those_of_the_table_that_is_left(table_of: TableOf) -> None:
    case = table_of("typed").case
    syncs = (Sync("first", "0.4.0", "there"), Sync("incremental", "0.4.0", "", "no such column"))
    [found] = faults(table_with("t-xtable", case, case.stored.metadata_location, syncs=syncs))
    assert (found.claim, found.words) == (SYNCED, "1 of 2 syncs fail: no such column")


def test_a_table_that_cannot_be_read_is_one_fault() -> None:
    """As in runs of recordings, by which it is known what fails directly."""
    syncs = (Sync("first", "0.4.0", "", "no such type"),)
    [found] = faults(table_with("t-xtable", None, "", unreadable="there is none", syncs=syncs))
    assert (found.claim, found.words) == (UNREAD, "there is none")


def test_what_fails_directly_is_what_the_register_has_of_that_release(tmp_path: Path) -> None:
    register = tmp_path / "findings.toml"
    tests: dict[str, dict[str, dict[str, int]]] = {
        "a[plain_types-delta_by_kernel]": {"0.3.0 0.4.0": {}},
        "b[plain_types-delta_by_kernel]": {"0.3.0": {}},
        "c[plain_types-xtable]": {"0.4.0": {}},
        "d[types_nan_plain-delta_by_kernel]": {"0.4.0": {}},
    }
    path_of_extents(register).write_text(json.dumps({"XTF-000": tests}))
    assert direct("plain_types", register=register) == frozenset("a")


def test_the_register_knows_what_fails_directly() -> None:
    assert direct("types_millis_plain") == frozenset({"bounds_contain_values", "bounds_are_tight"})
    assert direct("types_strings_plain") == frozenset()


def test_a_delta_table_is_not_translated_to_delta_directly() -> None:
    assert direct("delta_plain") is None


# How it is sorted by the leg that loses it.


@pytest.mark.parametrize(("when", "left"), [(When.BOTH, (A,)), (When.FIRST, (B,)), (When.SECOND, (C,))])
def test_a_fault_is_of_a_leg_or_of_both(when: When, left: tuple[RoundTripFault, ...]) -> None:
    assert went(first=(A, B), second=(C, A)).of(when) == left


def test_of_both_legs_the_second_is_shown() -> None:
    assert went(first=(A,), second=(replace(A, words="worse"),)).of(When.BOTH)[0].words == "worse"


# How it is shown.


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (went(first=(), second=()), ["t: nothing is lost"]),
        (
            went(first=(A,), second=(A, C), direct={"c"}),
            [
                "t:",
                "  UNSOUND, both: a: a; expected b",
                "  STALE, the second leg alone, and so directly: c: a; expected b",
            ],
        ),
        (went(first=(), second=(C,)), ["t:", "  STALE, the second leg alone: c: a; expected b"]),
    ],
)
def test_a_terminal_has_a_line_for_each_fault(one: Lost, words: list[str]) -> None:
    assert [*in_words(one)] == words


def test_a_page_says_once_what_every_delta_table_has() -> None:
    broken = went(first=(), second=(fault(UNREAD, "UNREADABLE"),))
    head, _, *_, last, unread = lines(
        [went(first=(), second=(A, UNMAPPED)), went(first=(), second=(UNMAPPED,)), broken]
    )
    assert head == "In every Delta table that there is: `m`."
    assert last == "| `t` |  |  |  |"
    assert UNREAD in unread


def test_a_page_leaves_out_what_no_reader_sees_and_has_the_gravest_first() -> None:
    *_, row, _ = lines([went(first=(), second=(B, C, A, fault("d", "COSMETIC"))), went(first=(), second=())])
    assert row == "| `t` |  | wrong results: `a`, stale rows: `c`, extra reads: `b` (x) |  |"


def test_a_page_has_in_bold_what_a_direct_translation_has_not() -> None:
    *_, row, _ = lines([went(first=(), second=(A, C), direct={"c"}), went(first=(), second=())])
    assert "**wrong results: `a`**, stale rows: `c`" in row


def test_a_page_keeps_what_is_around_its_table(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    written([went(first=(), second=())], page)
    text = page.read_text(encoding="utf-8")
    assert (text.startswith("before\n"), text.endswith("\nafter\n"), "old" in text, "| `t` |" in text) == (
        True,
        True,
        False,
        True,
    )


def test_the_page_has_a_row_for_each_table_that_goes_round() -> None:
    table = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert rows == [*TABLES]


# Which tables go round, and what the second sync sees.


def test_tables_are_recorded_at_each_stage(tmp_path: Path) -> None:
    for dataset in datasets_of(TABLES, tmp_path):
        assert None not in [stage.tree for stage in dataset.stages], dataset.recipe.name


def test_a_name_that_is_no_tables_is_one_sentence() -> None:
    with pytest.raises(
        Problem, match="there is no table iceberg_plain to go round; there are good_layout, plain_types"
    ):
        named("iceberg_plain")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tables=nothing"], "there is no table nothing"),
        (["--tables=plain_types", "--xtable=0.3.0"], "does not write"),
    ],
)
def test_what_cannot_be_tried_exits_2(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(options) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("name", "own"), [("plain_types", ".hoodie"), ("delta_plain", "_delta_log")])
def test_the_second_sync_sees_no_metadata_of_the_first_source(name: str, own: str, tmp_path: Path) -> None:
    disk, dataset = Disk(tmp_path / "disk", BUCKET), Dataset(BATTERY[name], f"tables/{name}")
    with disk.in_translation(dataset.prefix) as tables:
        place = tables.folder / BUCKET / dataset.prefix
        for folder in (own, "metadata", "data"):
            (place / folder).mkdir()
            (place / folder / "file").touch()
        iceberg_alone(tables, dataset, tmp_path / "alone")
    assert {one.name for one in (tmp_path / "alone").iterdir()} == {"metadata", "data"}


@pytest.mark.jvm
@pytest.mark.slow
def test_bounds_in_milliseconds_go_all_the_way_round(capsys: pytest.CaptureFixture[str]) -> None:
    newest = releases()[0]
    if not is_resolvable(newest):
        pytest.skip(f"XTable {newest} does not resolve here")
    assert main(["--tables=types_millis_plain"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if "UNSOUND, both: bounds_contain_values: [1970-01-20" in line]
    assert [line for line in said if "UNREADABLE, the second leg alone: mapped_columns_have_ids_and_names" in line]
