"""The matrix of readers and tables: one for each format of metadata, and none wider than a terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console, Group, RenderableType

from xtable_audit.report.document import Reading, SelectionRow
from xtable_audit.report.matrix import WIDTH, in_full, in_sum

ICEBERGS, DELTAS = ("pyiceberg", "duckdb"), ("deltalake", "duckdb_delta")


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
