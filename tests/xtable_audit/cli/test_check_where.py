"""`xtable-audit check --where`: live, planned and matching files of the user's own predicates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.tables.lake import XTABLE, Lake, data_files, exchange, orders, with_column
from tests.xtable_audit.cli.conftest import Command, Ran
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.own_table import PredicateRow
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.scan_input import DataFiles
from xtable_audit.scan import Scanner, matching_rows

CLAIM = "no_matching_file_is_dropped"


def rows_of(ran: Ran) -> tuple[PredicateRow, ...]:
    table = ran.document.own_table
    assert table is not None, ran.err
    return table.predicates


def judged(ran: Ran) -> ClaimResult:
    [result] = [one for one in ran.document.claims if one.claim == CLAIM]
    return result


@pytest.fixture
def healthy(lake: Lake) -> Path:
    """Three files of 20 orders; each has ids and times of its own, and both cities."""
    lake.table("orders", *(orders(number) for number in range(3)))
    return lake.root("orders")


@pytest.fixture
def false_bound(lake: Lake) -> Path:
    """A file whose ids are 1,000 higher than its bounds say."""
    table = lake.table("orders", orders(0), orders(1))
    first = min(data_files(table), key=lambda file: pa.parquet.read_table(file)["id"][0].as_py())
    exchange(first, with_column("id", lambda ids: pc.add(ids, 1000)))
    return lake.root("orders")


# PredicateRow: live, planned, rows to scan, read, matching, rows, lost, rows lost
COUNTS: dict[str, tuple[Any, ...]] = {
    "id = 25": (3, 1, 20, 3, 1, 1, 0, 0),
    "id = 25 OR id = 45": (3, 2, 40, 3, 2, 2, 0, 0),
    "id >= 30 AND city = 'Rome'": (3, 2, 40, 3, 2, 15, 0, 0),
    "city = 'Rome'": (3, 3, 60, 3, 3, 30, 0, 0),
    "city = 'Paris'": (3, 3, 60, 3, 0, 0, 0, 0),
    "price IS NULL": (3, 3, 60, 3, 3, 9, 0, 0),
    "NOT (id < 40 OR city = 'Oslo')": (3, 1, 20, 3, 1, 10, 0, 0),
    "id BETWEEN 19 AND 20": (3, 2, 40, 3, 2, 2, 0, 0),
    "id NOT IN (1, 2)": (3, 3, 60, 3, 3, 58, 0, 0),
    "at >= TIMESTAMP '2023-04-04 00:00:00'": (3, 1, 20, 3, 1, 2, 0, 0),
    "id > 1000000": (3, 0, 0, 3, 0, 0, 0, 0),
}


@pytest.mark.parametrize(("predicate", "counts"), COUNTS.items())
def test_live_planned_and_matching_files_are_counted(
    predicate: str, counts: tuple[Any, ...], healthy: Path, command: Command
) -> None:
    ran = command("check", healthy, "--where", predicate, "--json")
    [row] = rows_of(ran)
    of_values = (row.read, row.matching, row.rows_matching, row.lost, row.rows_lost)
    assert (row.predicate, (row.live, row.planned, row.rows_planned, *of_values)) == (predicate, counts)
    assert (ran.status, judged(ran).outcome) == (0, Outcome.HELD)


def test_the_files_of_a_range_are_kept_for_a_picture(healthy: Path, command: Command) -> None:
    [row] = rows_of(command("check", healthy, "--where", "id BETWEEN 19 AND 20", "--json"))
    assert row.ranges is not None
    assert [(file.stored.low, file.stored.high, file.planned, file.matching) for file in row.ranges.files] == [
        ("0", "19", True, True),
        ("20", "39", True, True),
        ("40", "59", False, False),
    ]


def test_several_predicates_are_counted_in_their_order(healthy: Path, command: Command) -> None:
    ran = command("check", healthy, "--where", "id = 5", "--where", "city = 'Oslo'", "--json")
    assert [(one.predicate, one.planned) for one in rows_of(ran)] == [("id = 5", 1), ("city = 'Oslo'", 3)]


def test_a_predicate_that_loses_rows_is_a_finding(false_bound: Path, command: Command) -> None:
    ran = command("check", false_bound, "--where", "id = 1005", "--json")
    [row] = rows_of(ran)
    assert (row.planned, row.matching, row.lost, row.rows_lost) == (0, 1, 1, 1)
    finding = judged(ran).finding
    assert finding is not None
    assert (ran.status, finding.verdict, finding.column) == (1, "UNSOUND", "id")
    assert finding.example == "WHERE id = 1005: 1 row by the values, 0 in the files that are kept"


def test_the_column_that_loses_the_rows_is_named(false_bound: Path, command: Command) -> None:
    ran = command("check", false_bound, "--where", "city = 'Oslo' AND id = 1004", "--json")
    finding = judged(ran).finding
    assert finding is not None
    assert (finding.column, finding.columns) == ("id", ("id",))


def test_a_predicate_that_loses_nothing_holds_beside_a_false_bound(false_bound: Path, command: Command) -> None:
    ran = command("check", false_bound, "--where", "city = 'Oslo'", "--json")
    assert (ran.status, judged(ran).outcome) == (1, Outcome.HELD)


def test_a_loss_is_known_by_its_sign(lake: Lake, command: Command) -> None:
    of_1970 = with_column("at", lambda at: pc.divide(at.cast(pa.int64()), 1000).cast(pa.timestamp("us")))
    table = lake.table("orders", of_1970(orders()), **XTABLE)
    exchange(data_files(table)[0], with_column("at", lambda _: orders()["at"]))
    ran = command("check", lake.root("orders"), "--where", "at > TIMESTAMP '2023-01-01 00:00:00'", "--json")
    result = judged(ran)
    assert result.finding is not None
    assert (result.outcome, result.finding.registered) == (Outcome.KNOWN, "XTF-004")


def test_a_row_that_a_delete_file_deletes_does_not_match(lake: Lake, command: Command) -> None:
    lake.evolved()
    [row] = rows_of(command("check", lake.root("evolved"), "--where", "id = 5", "--json"))
    assert (row.matching, row.rows_matching) == (0, 0)


def test_a_column_is_found_by_its_name_of_today(lake: Lake, command: Command) -> None:
    lake.evolved()
    [row] = rows_of(command("check", lake.root("evolved"), "--where", "cost = 1.5", "--json"))
    assert (row.matching, row.rows_matching) == (1, 1)


def test_the_screen_tells_a_loss(false_bound: Path, command: Command) -> None:
    out = command("check", false_bound, "--where", "id = 1005").out
    assert "WHERE id = 1005\n  2 live · 0 planned · 1 matching file; 0 rows to scan, 1 matches\n" in out
    assert "  1 matching file not planned: 1 row lost\n" in out


# what would spare files


def interleaved(lake: Lake, **properties: str) -> Path:
    """Four files of 20 orders, in each of which are ids from 0 to 79."""
    every = pa.concat_tables([orders(number) for number in range(4)])
    lake.table("orders", *(every.take(list(range(first, 80, 4))) for first in range(4)), **properties)
    return lake.root("orders")


def test_where_rows_of_one_value_may_be_in_any_file_sorting_is_advised(lake: Lake, command: Command) -> None:
    [row] = rows_of(command("check", interleaved(lake), "--where", "id = 25", "--json"))
    assert (row.planned, row.matching) == (4, 1)
    assert "strategy => 'sort', sort_order => 'id'" in row.advice


NOT_SORTED = {
    "that matches most files when sorted too": "id < 50",
    "on several columns": "id = 25 AND price > 0",
}


@pytest.mark.parametrize("predicate", NOT_SORTED.values(), ids=NOT_SORTED)
def test_no_sorting_is_advised_for_a_predicate(predicate: str, lake: Lake, command: Command) -> None:
    [row] = rows_of(command("check", interleaved(lake), "--where", predicate, "--json"))
    assert row.advice == ""


def test_no_sorting_is_advised_where_files_have_ranges_of_their_own(healthy: Path, command: Command) -> None:
    [row] = rows_of(command("check", healthy, "--where", "id = 25", "--json"))
    assert row.advice == ""


def test_no_sorting_is_advised_of_a_sample(lake: Lake, command: Command) -> None:
    [row] = rows_of(command("check", interleaved(lake), "--where", "id = 25", "--sample", 1, "--json"))
    assert row.advice == ""


def test_no_sorting_is_advised_of_files_that_xtable_translated(lake: Lake, command: Command) -> None:
    [row] = rows_of(command("check", interleaved(lake, **XTABLE), "--where", "id = 25", "--json"))
    assert row.advice == ""


def test_the_screen_has_the_statement_that_sorts(lake: Lake, command: Command) -> None:
    out = command("check", interleaved(lake), "--where", "id = 25").out
    assert "do        Have Spark sort the rows, into files as large as today's (Spark SQL): CALL" in " ".join(
        out.split("\n")
    ).replace("            ", "")


# less than the whole table


def test_of_metadata_alone_planned_files_are_told(false_bound: Path, command: Command) -> None:
    ran = command("check", false_bound, "--where", "id = 5", "--metadata-only", "--json")
    assert (ran.status, rows_of(ran)) == (0, (PredicateRow("id = 5", 2, 1, 20),))
    assert [one for one in ran.document.claims if one.claim == CLAIM] == []


def test_the_screen_says_that_no_value_was_compared(healthy: Path, command: Command) -> None:
    out = command("check", healthy, "--where", "id = 5", "--metadata-only").out
    assert "WHERE id = 5\n  3 live · 1 planned; 20 rows to scan; no value was compared\n" in out


def test_of_a_sample_it_says_how_many_files_were_read(healthy: Path, command: Command) -> None:
    out = command("check", healthy, "--where", "city = 'Rome'", "--sample", 1).out
    told = "3 live · 3 planned; 60 rows to scan; 2 of 2 files read hold 20 matching rows"  # one drawn, one odd
    assert told in " ".join(out.split())


def test_a_predicate_on_a_column_that_is_not_compared_is_counted_all_the_same(healthy: Path, command: Command) -> None:
    [row] = rows_of(command("check", healthy, "--columns", "price", "--where", "id = 25", "--json"))
    assert (row.planned, row.matching, row.rows_matching) == (1, 1, 1)


def test_a_predicate_is_counted_beside_one_claim(healthy: Path, command: Command) -> None:
    ran = command("check", healthy, "--claim", "every_file_exists", "--where", "id = 25", "--json")
    assert rows_of(ran)[0].matching == 1


def test_files_that_cannot_match_by_their_values_are_not_read_again(
    healthy: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []

    def counting(scanner: Scanner, files: DataFiles, *more: Any) -> list[dict[str, int]]:
        read.append(len(files))
        return matching_rows(scanner, files, *more)

    monkeypatch.setattr("xtable_audit.check.own_predicates.matching_rows", counting)
    command("check", healthy, "--where", "id = 25", "--json")
    assert read == [1]


# what is no predicate

REFUSED = {
    "id = ": "is no SQL condition: it cannot be parsed, at character 4",
    "id = 1 ORDER BY id": "is no SQL condition",
    "id = 1; DROP TABLE orders": "is no SQL condition",
    "": "is no SQL condition",
    "(" * 5000: "is no SQL condition",
    "ids = 1": "the table has no column ids whose values can be judged; did you mean id?",
    "lower(city) = 'rome'": "LOWER(city) = 'rome' is not a condition that planners skip files by",
    "id = price": "id = price is not a condition that planners skip files by",
    "id IN (SELECT 1)": "is not a condition that planners skip files by",
    "city LIKE '%me'": "is not a condition that planners skip files by",
    "id = NULL": "is not a condition that planners skip files by",
    "id = 'five'": "'five' does not fit id, which is of type long",
    "id = 1.5": "1.5 does not fit id, which is of type long",
    "id = 12345678901234567890": "does not fit id, which is of type long",
    "at > '2023-02-30'": "does not fit at, which is of type timestamp; write TIMESTAMP '2023-05-05 01:02:03.123456'",
    "at > TIMESTAMP '2023-02-03 04:05:06.1234567'": "does not fit at, which is of type timestamp",
    "city = 7": "7 does not fit city, which is of type string; write a text such as 'Oslo'",
}


@pytest.mark.parametrize(("predicate", "words"), REFUSED.items(), ids=lambda text: text[:30])
def test_what_is_no_predicate_is_said_in_a_sentence_before_data_is_read(
    predicate: str, words: str, lake: Lake, command: Command
) -> None:
    for file in data_files(lake.table("orders", orders())):
        file.unlink()
    ran = command("check", lake.root("orders"), "--where", predicate)
    assert (ran.status, words in ran.err, len(ran.err.splitlines()), ran.out) == (4, True, 1, ""), ran.err
