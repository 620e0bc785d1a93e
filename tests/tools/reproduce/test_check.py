"""What `check.py` says of a table, on tables by PyIceberg in a folder as a run leaves it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.manifest import DATA_FILE_TYPE

from tests.tools.reproduce.scripts import Done, as_command, fault, named_by, ran
from tools.reproduce.finding import looked_for

PRESENT = 10
"""What `reproduce.sh` turns into 1."""
ROWS = pa.table({"at": [1, 2, 3], "name": ["a", "b", None], "z": pa.array([1, 2, 3], pa.timestamp("us", tz="UTC"))})
COUNT = [one.name for one in DATA_FILE_TYPE[2].fields].index("record_count")
OTHER = ROWS.set_column(0, "at", pa.array([1, 2, 7]))


@dataclass
class Left:
    """What a run left: its table, how its syncs went, and the fault that is looked for."""

    claims: tuple[str, ...] = ("bounds_contain_values", "no_matching_file_is_dropped")
    columns: tuple[str, ...] = ("at",)
    values: pa.Table | None = None
    """What the data file really holds; None for what the metadata describes."""
    exits: tuple[int, ...] = (0,)
    rows: tuple[int | None, ...] = ()
    """What Spark read of the source after each sync."""
    merged: int | None = None
    """How many rows the snapshot view of a MERGE_ON_READ source has after each sync; None of another source."""
    files: list[str] | None = None
    """The source's data files after each sync; None for that of the table."""
    log: str = "statusCode=SUCCESS"
    metadata: bool = True
    verdict: str = ""
    """That of the headline, the first of the claims; that which it usually has where it is empty."""
    partitioned: bool = False
    """Whether the source is partitioned; the table is not."""
    moved: bool = False
    """Whether the data file is in another folder, where the source has it."""
    source: dict[str, Any] = field(default_factory=lambda: {"rows": 3, "files": None, "nulls": {}})
    format: str = "HUDI"
    """XTable's name of the source's format."""
    uncounted: bool = False
    """Whether the metadata has a record_count of 0, as of a folder of Parquet files (XTF-078)."""


Checked = Callable[[Left], Done]


def as_stored(values: pa.Table, schema: pa.Schema) -> pa.Table:
    """With the ids of the schema, and with its types but for a column that has another one than in ROWS."""
    kinds = {field.name: field.type for field in values.schema if field.type != ROWS.schema.field(field.name).type}
    fields = [schema.field(name) for name in values.column_names]
    typed = pa.schema([field.with_type(kinds.get(field.name, field.type)) for field in fields])
    return values.cast(typed).replace_schema_metadata(schema.metadata)


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    catalog = SqlCatalog("here", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", ROWS.schema)
    table.append(ROWS)
    [task] = table.scan().plan_files()
    uncounted = catalog.create_table("n.uncounted", ROWS.schema)
    task.file[COUNT] = 0
    with uncounted.transaction() as change, change.update_snapshot().fast_append() as added:
        added.append_data_file(task.file)
    catalog.close()
    data = Path(task.file.file_path.removeprefix("file://"))

    def check(left: Left) -> Done:
        if left.values is not None:
            pq.write_table(as_stored(left.values, pq.read_schema(data)), data)
        source = left.source
        if left.moved:
            (tmp_path / "elsewhere").mkdir()
            source = source | {"files": [str(data.rename(tmp_path / "elsewhere" / data.name))]}
        sought = fault(left.claims, left.columns, left.verdict) | {"partitioned": left.partitioned}
        sought["source"] = left.format
        location = (uncounted if left.uncounted else table).metadata_location if left.metadata else None
        rows = left.rows or [None] * len(left.exits)
        files = [str(data)] if left.files is None else left.files
        merged: dict[str, Any] = {} if left.merged is None else {"snapshot_rows": left.merged}
        syncs = [
            merged
            | {"exit": status, "metadata": location, "rows": count, "files": files if count is not None else None}
            for status, count in zip(left.exits, rows, strict=True)
        ]
        for name, content in {"fault": sought, "syncs": syncs, "source": source}.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content))
        (tmp_path / "sync.log").write_text(left.log)
        return ran("check.py", tmp_path)

    return check


def ended(done: Done) -> tuple[int, str]:
    """The exit status, and the word of the verdict."""
    return done.returncode, done.stdout.rstrip().splitlines()[-1].partition(":")[0] if done.stdout else done.stderr


def test_a_healthy_table_lacks_the_fault(checked: Checked) -> None:
    done = checked(Left())
    assert ended(done) == (0, "FAULT GONE"), done.stdout + done.stderr


def test_a_false_bound_is_the_fault(checked: Checked) -> None:
    done = checked(Left(values=OTHER))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr
    assert "at = 7: 1 rows match; found by PyIceberg 0" in done.stdout


def test_a_folder_without_counts_is_read_file_by_file_and_planned(checked: Checked) -> None:
    """What else is wrong is looked for in each file; PyIceberg itself shows no row."""
    claims = ("record_counts_are_exact", "no_matching_file_is_dropped")
    done = checked(Left(claims=claims, columns=(), verdict="UNSOUND", format="PARQUET", uncounted=True))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr
    assert "all rows: 3 in the source; found by PyIceberg file by file 3" in done.stdout
    assert "no condition: 3 rows in the files, PyIceberg shows 0" in done.stdout
    assert "not seen" not in done.stdout


def test_a_false_bound_is_asked_for_by_its_own_value(checked: Checked) -> None:
    """Not by rows that a missing count hides anyway."""
    done = checked(Left(values=OTHER, format="PARQUET", uncounted=True))
    assert "no condition: 3 rows in the files, PyIceberg shows 0" in done.stdout
    assert done.stdout.count("seen                no_matching_file_is_dropped") == 1
    assert "at = 7: 1 rows match; found by PyIceberg 0" in done.stdout


def test_the_fault_in_another_column_is_another_fault(checked: Checked) -> None:
    done = checked(Left(values=OTHER, columns=("name",)))
    assert ended(done) == (0, "FAULT GONE")
    assert "ANOTHER FAULT: bounds_contain_values" in done.stdout


def test_a_claim_at_another_verdict_than_the_page_gives_is_another_form(checked: Checked) -> None:
    done = checked(Left(values=OTHER, verdict="LOOSE"))
    assert ended(done) == (6, "ANOTHER FORM"), done.stdout + done.stderr
    assert "not bounds_contain_values at LOOSE, but bounds_contain_values at UNSOUND" in done.stdout


def test_another_claim_of_the_finding_than_its_headline_is_another_form(checked: Checked) -> None:
    done = checked(Left(("record_counts_are_exact", "bounds_contain_values"), values=OTHER))
    assert ended(done) == (6, "ANOTHER FORM"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "claim"),
    [("* seen", "bounds_contain_values"), ("not seen", "record_counts_are_exact"), ("could not be tried", "x_is_y")],
)
def test_each_claim_of_the_finding_is_named(checked: Checked, line: str, claim: str) -> None:
    claims = ("bounds_contain_values", "record_counts_are_exact", "field_ids_are_stable")
    shown = checked(Left(claims, values=OTHER)).stdout.replace("field_ids_are_stable", "x_is_y")
    assert re.search(rf"{re.escape(line)} +{claim}", shown), shown


def test_the_answer_is_kept(checked: Checked, tmp_path: Path) -> None:
    checked(Left(values=OTHER))
    kept = json.loads((tmp_path / "result.json").read_text())
    assert kept["ended"] == "FAULT PRESENT"
    assert (kept["claim"], kept["verdict"]) == ("bounds_contain_values", "UNSOUND")


@pytest.mark.parametrize(("exits", "verdict"), [((0, 0), "UNSOUND"), ((0, 1), "STALE")], ids=["came through", "failed"])
def test_a_file_that_is_missing_after_a_last_sync_that(checked: Checked, exits: tuple[int, int], verdict: str) -> None:
    source = {"rows": 3, "files": ["new.parquet"], "nulls": {}}
    claims = ("no_file_is_missing", "every_sync_comes_through")
    done = checked(Left(claims, (), exits=exits, verdict=verdict, source=source))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


MISPLACED = ("every_file_exists", "no_file_is_missing", "no_file_is_stale", "no_row_is_missing")


@pytest.mark.parametrize("claim", MISPLACED)
def test_a_file_that_is_named_where_it_is_not_makes_readers_raise(checked: Checked, claim: str) -> None:
    """Nothing is lost silently: the verdict is UNREADABLE for each claim that follows."""
    done = checked(Left((claim,), (), verdict="UNREADABLE", moved=True))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("claim", "files"),
    [
        ("no_file_is_missing_after_a_sync", ["there.parquet"]),
        ("no_file_is_stale_after_a_sync", []),
    ],
)
def test_files_after_an_earlier_sync_are_compared(checked: Checked, claim: str, files: list[str]) -> None:
    done = checked(Left((claim,), (), exits=(0, 0), rows=(3, None), files=files))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


def test_a_state_before_the_sync_that_fails_is_compared(checked: Checked) -> None:
    done = checked(Left(("rows_are_as_many_after_a_sync",), (), exits=(0, 1), rows=(2, None)))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("no_file_is_missing", {"rows": 3, "files": ["there.parquet", "gone.parquet"], "nulls": {}}),
        ("no_file_is_stale", {"rows": 3, "files": ["there.parquet"], "nulls": {}}),
        ("no_row_is_missing", {"rows": 4, "files": None, "nulls": {}}),
        ("no_row_is_shown_twice", {"rows": 2, "files": None, "nulls": {}}),
    ],
)
def test_another_number_of_files_or_rows_is_the_fault(checked: Checked, claim: str, source: dict[str, Any]) -> None:
    done = checked(Left(claims=(claim,), columns=(), source=source))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


def test_a_count_of_nulls_that_is_wrong_is_the_fault(checked: Checked) -> None:
    values = ROWS.set_column(1, "name", pa.array(["a", "b", "c"]))
    done = checked(Left(claims=("null_counts_are_exact",), columns=("name",), values=values))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


def test_a_column_that_a_file_lacks_is_null_in_it(checked: Checked) -> None:
    left = Left(("null_counts_are_exact",), values=ROWS.drop_columns("at"), verdict="UNSOUND")
    done = checked(left)
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


@pytest.mark.parametrize(("zone", "status"), [(None, PRESENT), ("UTC", 0)], ids=["without a time zone", "with one"])
def test_an_instant_over_times(checked: Checked, zone: str | None, status: int) -> None:
    values = ROWS.set_column(2, "z", ROWS["z"].cast(pa.timestamp("us", tz=zone)))
    done = checked(Left(("types_are_those_of_the_files",), ("z",), values, verdict="UNSOUND"))
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize(("rows", "status"), [((3, None), 0), ((2, None), PRESENT)], ids=["as many", "other rows"])
def test_rows_after_an_earlier_sync_are_compared(checked: Checked, rows: tuple[int, ...], status: int) -> None:
    done = checked(Left(("rows_are_as_many_after_a_sync",), (), exits=(0, 0), rows=rows))
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize(("merged", "status"), [(3, 0), (2, PRESENT)], ids=["as many", "other rows"])
def test_rows_are_compared_with_the_snapshot_view(checked: Checked, merged: int, status: int) -> None:
    done = checked(Left(("rows_are_those_of_the_snapshot_view",), (), exits=(0,), rows=(3,), merged=merged))
    assert done.returncode == status, done.stdout + done.stderr


def test_a_table_without_the_partitions_of_its_source_is_the_fault(checked: Checked) -> None:
    left = Left(("spec_is_the_configured_one",), (), partitioned=True)
    assert ended(checked(left)) == (PRESENT, "FAULT PRESENT")


@pytest.mark.parametrize(("nulls", "status"), [(1, 0), (0, PRESENT)], ids=["as many", "other nulls"])
def test_nulls_are_compared_with_those_of_the_source(checked: Checked, nulls: int, status: int) -> None:
    source = {"rows": 3, "files": None, "nulls": {"name": nulls}}
    done = checked(Left(("values_are_those_of_the_source",), ("name",), source=source))
    assert done.returncode == status, done.stdout + done.stderr


def test_a_column_that_the_table_lacks_is_the_fault(checked: Checked) -> None:
    source = {"rows": 3, "files": None, "nulls": {"renamed": 0}}
    done = checked(Left(("values_are_those_of_the_source",), ("renamed",), source=source))
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("columns", "status"), [(["AT", "name", "z"], 0), (["at", "z"], PRESENT)], ids=["the same", "one fewer"]
)
def test_a_column_that_the_source_lacks_is_the_fault(checked: Checked, columns: list[str], status: int) -> None:
    source: dict[str, object] = {"rows": 3, "files": None, "nulls": {}, "columns": columns}
    done = checked(Left(("no_column_is_left_over",), (), source=source))
    assert done.returncode == status, done.stdout + done.stderr


def test_column_sizes_of_a_healthy_table_are_right(checked: Checked) -> None:
    assert ended(checked(Left(("column_sizes_fit_the_file",), ()))) == (0, "FAULT GONE")


def test_a_finding_about_no_claim_that_is_checked_is_not_said_to_be_gone(checked: Checked) -> None:
    done = checked(Left(("field_ids_are_stable",), ()))
    assert ended(done) == (6, "NOT CHECKED"), done.stdout + done.stderr


def test_the_claims_that_are_checked_are_those_that_the_scripts_name() -> None:
    assert looked_for("check.py") == named_by("check.py")


@pytest.mark.parametrize("exits", [(1, 0), (0, 1)], ids=["an earlier one", "the last one"])
def test_a_failed_sync_leaves_what_it_does_not_show_untried(checked: Checked, exits: tuple[int, int]) -> None:
    """The metadata that is left may be of an earlier sync."""
    done = checked(Left(("no_file_is_missing",), (), exits=exits))
    assert ended(done) == (6, "SYNC FAILED"), done.stdout + done.stderr


FAILED = Left(exits=(1,), log="java.lang.IllegalStateException: no\n\tat x.y", metadata=False)


def test_a_sync_that_fails_leaves_the_fault_untried(checked: Checked) -> None:
    done = checked(FAILED)
    assert ended(done) == (6, "SYNC FAILED")
    assert "java.lang.IllegalStateException: no" in done.stdout


def test_a_sync_that_fails_is_the_fault_of_a_finding_about_syncs(checked: Checked) -> None:
    left = Left(("every_sync_comes_through",), (), exits=(1,), log=FAILED.log, metadata=False, verdict="UNREADABLE")
    assert ended(checked(left)) == (PRESENT, "FAULT PRESENT")


def test_the_command_says_the_same(checked: Checked, tmp_path: Path) -> None:
    here, command = checked(Left(values=OTHER)), as_command("check.py", tmp_path)
    assert command.returncode == here.returncode, command.stderr
    assert sorted(command.stdout.splitlines()) == sorted(here.stdout.splitlines())
