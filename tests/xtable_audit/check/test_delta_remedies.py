"""The advice for Delta tables mends what it says: its statement is run, and nothing is found afterwards."""

from __future__ import annotations

import pickle
from decimal import Decimal
from pathlib import Path

import polars
import pyarrow as pa
import pytest
from deltalake import DeltaTable

from tests.tables.lake import ChangeAdd, by_delta_rs, change_add
from tests.xtable_audit.cli.conftest import Command, command
from tests.xtable_audit.cli.test_check_delta import findings
from xtable_audit.formats.delta.check.support import ANEW, REMEDIES, unreadable
from xtable_audit.formats.delta.log import LacksCommit
from xtable_audit.model.malformed import Malformed

__all__ = ["command"]
SPOILT: dict[str, ChangeAdd] = {
    "bounds_contain_values": lambda add, said: said["minValues"].update(id=39),
    "bounds_are_of_the_columns_type": lambda add, said: said["maxValues"].update(id="many"),
    "null_counts_are_exact": lambda add, said: said["nullCount"].update(id=20),
    "record_counts_are_exact": lambda add, said: said.update(numRecords=7),
    "every_file_exists": lambda add, said: add.update(path="gone.parquet"),
}


CLAIM = ("bounds_contain_values",)


def statement(advice: str) -> str:
    return advice.partition("): ")[2]


@pytest.mark.parametrize("claim", SPOILT)
def test_the_statement_that_is_printed_mends_the_finding(tmp_path: Path, command: Command, claim: str) -> None:
    table = by_delta_rs(tmp_path / "orders")
    ids = set(DeltaTable(str(table)).to_pyarrow_table()["id"].to_pylist())
    change_add(table, 1, SPOILT[claim])
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    [told] = [one for one in found.advice if statement(one)]
    exec(statement(told))
    assert command("check", f"delta:{table}", "--yes").status == 0
    left = ids - set(range(20, 40)) if claim == "every_file_exists" else ids
    assert set(DeltaTable(str(table)).to_pyarrow_table()["id"].to_pylist()) == left


def with_decimals(root: Path, digits: str) -> Path:
    """A table of a decimal of that many digits, and one that is greater by 3."""
    values = pa.array([-Decimal(digits), 3 - Decimal(digits)], pa.decimal128(len(digits), 0))
    return by_delta_rs(root, pa.table({"id": [1, 2], "money": values}))


def test_delta_rs_is_not_asked_to_write_decimals_anew_that_it_logs_as_doubles(tmp_path: Path, command: Command) -> None:
    table = with_decimals(tmp_path / "wide", "1234567890123456789")
    [found] = [one for one in findings(command("check", f"delta:{table}", "--yes", "--json")) if one.claim in CLAIM]
    assert (found.column, [one for one in found.advice if statement(one)]) == ("money", [])
    exec(ANEW.format(location=repr(str(table))))
    assert [one.claim for one in findings(command("check", f"delta:{table}", "--yes", "--json"))][:1] == [*CLAIM]


def test_decimals_that_a_double_keeps_are_written_anew(tmp_path: Path, command: Command) -> None:
    table = with_decimals(tmp_path / "narrow", "123456789012345")
    change_add(table, 0, lambda add, said: said["minValues"].update(id=2))
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    [told] = [one for one in found.advice if statement(one)]
    exec(statement(told))
    assert command("check", f"delta:{table}", "--yes").status == 0


def test_the_way_around_a_false_bound_finds_the_rows_that_it_loses(tmp_path: Path, command: Command) -> None:
    table = by_delta_rs(tmp_path / "orders")
    change_add(table, 1, SPOILT["bounds_contain_values"])
    [found] = findings(command("check", f"delta:{table}", "--yes", "--json"))
    assert found.advice[-1].endswith("Polars, by read_delta(table).filter(condition)")
    condition = polars.col("id") == 25
    assert polars.scan_delta(str(table)).filter(condition).collect().height == 0
    assert polars.read_delta(str(table)).filter(condition).height == 1


def test_sorting_as_it_is_advised_leaves_files_that_do_not_overlap(tmp_path: Path, command: Command) -> None:
    rows = pa.table({"id": pa.array([*range(0, 4000, 2), *range(1, 4000, 2)], pa.int64())})
    files = [rows.take(pa.array(range(start, 4000, 8))) for start in range(8)]
    table = by_delta_rs(tmp_path / "mixed", *files)
    ran = command("check", f"delta:{table}", "--yes", "--json", "--where", "id < 100")
    own = ran.document.own_table
    assert own is not None
    assert "z_order(['id']" in own.predicates[0].advice
    exec(statement(own.predicates[0].advice))
    assert sorted(DeltaTable(str(table)).to_pyarrow_table()["id"].to_pylist()) == list(range(4000))


def test_what_rewrites_files_is_the_remedy_that_writes_all_rows_anew() -> None:
    assert [one.rewrites for one in REMEDIES] == [one.statement == ANEW for one in REMEDIES]


LOG = "s3://lake/orders/_delta_log"
MISSING = LacksCommit(LOG, 3)


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (MISSING, " --snapshot 2"),
        (pickle.loads(pickle.dumps(MISSING)), " --snapshot 2"),
        (Malformed(f"{LOG}/{3:020}.json", "is empty"), " --snapshot 2"),
        (Malformed(LOG, MISSING.reason), ""),
        (LacksCommit(LOG, 0), ""),
    ],
    ids=["missing", "missing, told by another process", "broken", "in the same words", "the first"],
)
def test_what_came_before_a_commit_is_told_by_its_version_not_by_what_is_said_of_it(
    error: Malformed, ending: str
) -> None:
    ways = unreadable(error, "delta:orders")
    assert (ways[-1].endswith(ending), len(ways)) == (True, 2 if ending else 1)


def test_a_missing_commit_says_the_same_in_another_process() -> None:
    assert str(pickle.loads(pickle.dumps(MISSING))) == str(MISSING) == f"{LOG} lacks the commit of version 3"
