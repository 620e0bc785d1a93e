"""Whole runs against their frozen outcomes: what differs is found and named, and nothing else."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.provision.checked_register import REGISTER, register
from tests.of_each import of_each
from tests.xtable_audit.report.runs import claim, document
from tools.frozen.__main__ import main
from tools.frozen.digests import FOLDER, Frozen, lines_of
from tools.frozen.run import CHECK, check_recorded
from xtable_audit.model.finding import Impact
from xtable_audit.report.document import Document

COUNTS = "suites/counts/test_counts.py::test_null_counts_are_exact"
ROWS = "suites/selection/test_readers.py::test_rows_are_those_of_the_files"
NAN, PLAIN = "types_nan-xtable", "plain_types-xtable"
RUN = document(
    claim("known", NAN, registered="XTF-003"),
    claim("held", PLAIN),
    claim("held", NAN, COUNTS),
    claim("not_applicable", PLAIN, COUNTS),
)
DAFT = {"table": "good_layout-xtable", "test": "suites/readers/test_readers.py::test_rows_are_those_of_the_files"}
REFUSED = {"verdict": "UNREADABLE", "blame": "reader daft", "registered": "XTF-001"}


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """`run("compare", document, …)`: the command with a document, and with frozen outcomes in a folder of their own."""

    def run(do: str, document: Document, *options: str) -> int:
        (tmp_path / "audit.json").write_text(document.to_json(), encoding="utf-8")
        return main([do, str(tmp_path), f"--frozen={tmp_path / 'frozen'}", *options])

    return run


def with_first(**changed: Any) -> Document:
    """The run, with another first claim, whose finding has what is `changed`."""
    return replace(RUN, claims=(claim("known", NAN, **({"registered": "XTF-003"} | changed)), *RUN.claims[1:]))


def test_the_same_run_in_another_order_and_at_another_time_is_as_frozen(run: Any) -> None:
    run("write", RUN)
    shuffled = random.Random(7).sample(RUN.claims, len(RUN.claims))
    later = [replace(one, seconds=9.0, reason=one.reason and "in other words") for one in shuffled]
    facts = replace(RUN.run, id="20270101-000000-0000", command="pytest -n 2 -q")
    assert run("compare", replace(RUN, run=facts, claims=tuple(later))) == 0


@pytest.mark.parametrize(
    "same",
    [
        {"saw": "[0.0 … 0.0] for 0a3b-other-file.parquet"},
        {"versions": {"xtable": "0.4.0-incubating", "duckdb": "9"}},
        {"log": "2027-01-01 WARN"},
        {"because": "in other words"},
    ],
    ids=lambda one: next(iter(one)),
)
def test_what_varies_between_runs_is_no_difference(same: dict[str, Any], run: Any) -> None:
    run("write", RUN)
    assert run("compare", with_first(**same)) == 0


@pytest.mark.parametrize(
    "other",
    [
        {"saw": "[0.0 … 1.0] for part-1.parquet"},
        {"expected": "[1.0 … 6.0], its values"},
        {"verdict": "LOOSE"},
        {"blame": "xtable via hudi"},
        {"registered": "XTF-004"},
        {"columns": ["d", "f"]},
        {"impact": Impact(2, 4, 10, 40)},
    ],
    ids=lambda one: next(iter(one)),
)
def test_another_finding_is_named_by_its_table_and_claim(
    other: dict[str, Any], run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run("write", RUN)
    capsys.readouterr()
    assert run("compare", with_first(**other)) == 1
    head, tables, claims, _, *lines = capsys.readouterr().out.splitlines()
    assert head == "live-0.4.0-incubating: 4 lines, not as frozen"
    assert tables == "  changed 1 table: types_nan-xtable"
    assert claims == "  changed 1 claim: bounds_contain_values"
    assert [line.split(" | ")[:2] for line in lines] == [["  ? bounds_contain_values", NAN]]


def test_an_outcome_that_changed_is_found_in_the_run_of_before(
    run: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("write", RUN)
    before = tmp_path / "before.json"
    before.write_text(RUN.to_json(), encoding="utf-8")
    held = replace(RUN, claims=(claim("held", NAN), *RUN.claims[1:]))
    capsys.readouterr()
    assert run("compare", held, f"--before={before}") == 1
    came, gone = capsys.readouterr().out.splitlines()[-2:]
    assert came == f"  + bounds_contain_values | {NAN} | held"
    assert gone.startswith(f"  - bounds_contain_values | {NAN} | known XTF-003 | UNSOUND | xtable | d | 1 of 4 files")


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        (RUN.claims[:3:2], ["missing 1 table: plain_types-xtable", "changed 2 claims: "]),
        (RUN.claims[:2], ["missing 1 claim: null_counts_are_exact", "changed 2 tables: "]),
        (
            (*RUN.claims, claim("held", "new-xtable")),
            ["new 1 table: new-xtable", "? bounds_contain_values | new-xtable"],
        ),
    ],
    ids=["a table is gone", "a claim is gone", "a table is new"],
)
def test_what_is_new_or_missing_is_named(
    claims: tuple[Any, ...], told: list[str], run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run("write", RUN)
    capsys.readouterr()
    assert run("compare", replace(RUN, claims=claims)) == 1
    out = capsys.readouterr().out
    assert [words for words in told if words not in out] == []


def test_a_run_of_some_tables_is_compared_with_these(run: Any) -> None:
    run("write", RUN)
    some = replace(RUN, claims=RUN.claims[:3:2])
    assert (run("compare", some, "--selected"), run("compare", some)) == (0, 1)


def test_a_run_of_some_tables_names_the_one_that_changed(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run("write", RUN)
    capsys.readouterr()
    some = replace(RUN, claims=(claim("held", NAN), RUN.claims[2]))
    assert run("compare", some, "--selected") == 1
    assert f"changed 1 table: {NAN}" in capsys.readouterr().out


ASKED = replace(RUN, claims=(*RUN.claims, claim("held", PLAIN, ROWS)))
"""The run, and a reader's answer."""


@pytest.mark.parametrize("without", [[], ["--without-readers"]], ids=["as any run", "as one without readers"])
def test_a_run_that_asks_no_reader_is_compared_in_all_else_if_that_is_said(without: list[str], run: Any) -> None:
    run("write", ASKED)
    assert (run("compare", RUN, *without), run("compare", ASKED, *without)) == (int(not without), 0)


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        (ASKED.claims[:2], ["missing 1 claim: null_counts_are_exact"]),
        ((claim("held", NAN), *RUN.claims[1:]), ["changed 1 claim: bounds_contain_values", f"| {NAN} | held"]),
        (RUN.claims[::2], ["missing 1 table: plain_types-xtable"]),
    ],
    ids=["a claim is gone", "an outcome changed", "a table is gone"],
)
def test_without_readers_all_else_is_compared(
    claims: tuple[Any, ...], said: list[str], run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run("write", ASKED)
    capsys.readouterr()
    assert run("compare", replace(RUN, claims=claims), "--without-readers") == 1
    out = capsys.readouterr().out
    assert [words for words in said if words not in out] == []


def daft(outcome: str, **changed: Any) -> Document:
    """Daft's answer to a question on a table, which at times loses its refusal (XTF-001)."""
    asked = claim(outcome, **DAFT, reader="daft", question="month", **changed)
    return replace(document(asked), versions={"daft": "0.7.26"})


@pytest.mark.parametrize(
    "other",
    [daft("held"), daft("known", **REFUSED | {"verdict": "UNSOUND"})],
    ids=["it passes", "it fails in the other way"],
)
def test_an_intermittent_finding_may_end_either_way_and_is_named(
    other: Document, run: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    run("write", daft("known", **REFUSED))
    capsys.readouterr()
    assert run("compare", other) == 0
    assert "1 line may end in either way. XTF-001: in 14 of 7,606 askings" in capsys.readouterr().out


@pytest.mark.parametrize(
    "other",
    [daft("finding", **REFUSED | {"registered": None}), daft("inconclusive"), daft("not_applicable")],
    ids=["a finding of no entry", "it could not run", "it does not apply"],
)
def test_an_intermittent_finding_ends_in_no_third_way(other: Document, run: Any) -> None:
    run("write", daft("known", **REFUSED))
    assert run("compare", other) == 1


def test_a_run_that_was_cut_short_is_not_compared(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", replace(RUN, complete=False)) == 4
    assert "cut short" in capsys.readouterr().err


def test_a_run_that_nobody_froze_is_told(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", RUN) == 4
    assert "live-0.4.0-incubating.json is missing" in capsys.readouterr().err


@of_each("file", sorted(FOLDER.glob("*.json")), ids=lambda file: file.stem)
def test_a_file_of_outcomes_is_as_it_would_be_written(file: Path, tmp_path: Path) -> None:
    frozen = Frozen.load(file)
    frozen.save(tmp_path / file.name)
    assert (tmp_path / file.name).read_bytes() == file.read_bytes()
    assert frozen.command.startswith(("pytest ", "python -m tools frozen"))


@pytest.mark.parametrize("table", ["good_layout", "types_nan_plain", "delta_vectors"])
def test_a_check_of_a_recorded_table_is_as_frozen(table: str) -> None:
    [checked] = check_recorded([table])
    now = Frozen.of(lines_of(checked, ()), "")
    assert now.tables[table] == Frozen.load(FOLDER / f"{CHECK}.json").tables[table]


def test_the_register_says_what_is_intermittent() -> None:
    """Else the lines of the recorded runs stand for one outcome each."""
    [words] = Frozen.load(FOLDER / "recorded-0.4.0-incubating.json").intermittent
    lapses = {
        f"{entry.id}: {where.at_times}" for entry in register(REGISTER) for where in entry.where if where.at_times
    }
    assert words in lapses


def test_a_run_of_another_target_is_frozen_beside(run: Any, tmp_path: Path) -> None:
    run("write", RUN)
    run("write", replace(RUN, run=replace(RUN.run, targets=("Delta by Delta Kernel",))))
    delta, iceberg = sorted(file.name for file in (tmp_path / "frozen").iterdir())
    assert delta == iceberg.replace(".json", "-delta_by_kernel.json")


def test_an_upgrade_that_another_writer_begins_is_frozen_beside_one_that_one_writes(run: Any, tmp_path: Path) -> None:
    for words in ("Delta by Delta Kernel", "Delta by Delta Kernel, first syncs to Delta by Delta Standalone"):
        run("write", replace(RUN, run=replace(RUN.run, targets=(words,))))
    assert len([*(tmp_path / "frozen").iterdir()]) == 2
