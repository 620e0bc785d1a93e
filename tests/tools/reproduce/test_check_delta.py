"""What `check_delta.py` says of a table, on tables by delta-rs whose log is edited, in a folder as a run leaves it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from tests.tools.reproduce.scripts import Done, as_command, fault, module, named_by, not_seen, ran
from tools.reproduce.finding import looked_for

PRESENT = 10
"""What `reproduce.sh` turns into 1."""
FIRST = datetime(2023, 2, 5, 1, 2, 3, 123456, UTC)
ROWS = pa.table(
    {
        "n": [1, 2, 3],
        "at": pa.array([FIRST, FIRST, FIRST.replace(microsecond=999999)], pa.timestamp("us", "UTC")),
        "text": ["a", None, "x" * 40],
        "ratio": [0.5, float("nan"), 3.0],
        "flag": [True, False, None],
        "m": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int32())),
        "s": [{"inner": 1}, {"inner": None}, {"inner": 3}],
        "p": ["x", "x", "x"],
    }
)
NULLS = {"n": 0, "at": 0, "text": 1, "ratio": 0, "flag": 1}
Edit = Callable[[dict[str, Any]], None]


@dataclass
class Left:
    """What a run left: a log that is edited after it was written, and the fault that is looked for."""

    claim: str
    add: Edit | None = None
    """Changes the `add` of the data file, whose statistics are an object here."""
    metadata: Edit | None = None
    columns: tuple[str, ...] = ()
    verdict: str = ""
    exits: tuple[int, ...] = (0,)
    synced: bool = True
    gone: bool = False
    """Whether the data file is deleted."""
    partitioned: bool = True
    rows: pa.Table | None = None
    """Other rows than ROWS."""
    log: str = "statusCode=SUCCESS"
    source: Mapping[str, Any] = field(default_factory=dict)
    more: tuple[str, ...] = ()
    """Further claims of the finding."""


Checked = Callable[[Left], Done]


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    def check(left: Left) -> Done:
        root = tmp_path / "table"
        rows = ROWS if left.rows is None else left.rows
        write_deltalake(root, rows, partition_by=["p"] if left.partitioned else None)
        [commit] = (root / "_delta_log").glob("*.json")
        data = [str(path) for path in root.rglob("*.parquet")]
        commit.write_text("\n".join(edited(json.loads(line), left) for line in commit.read_text().splitlines()))
        if left.gone:
            Path(data[0]).unlink()
        source: dict[str, Any] = {"rows": 3, "files": data, "nulls": NULLS, "columns": rows.column_names}
        metadata = str(commit) if left.synced else None
        syncs = [{"exit": status, "metadata": metadata, "rows": 3, "files": data} for status in left.exits]
        sought = fault([left.claim, *left.more], left.columns, left.verdict) | {
            "partitioned": True,
            "target": "DELTA",
            "target_by": "Delta Kernel",
        }
        for name, content in {"fault": sought, "syncs": syncs, "source": source | dict(left.source)}.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content))
        (tmp_path / "sync.log").write_text(left.log)
        return ran("check_delta.py", tmp_path)

    return check


def edited(action: dict[str, Any], left: Left) -> str:
    if "add" in action and left.add is not None:
        stats = json.loads(action["add"]["stats"])
        changed = action["add"] | {"stats": stats}
        left.add(changed)
        if not isinstance(changed["stats"], str):
            changed["stats"] = json.dumps(changed["stats"])
        action = {"add": changed}
    if "metaData" in action and left.metadata is not None:
        left.metadata(action["metaData"])
    return json.dumps(action)


def ended(done: Done) -> tuple[int, str]:
    """The exit status, and the word of the verdict."""
    return done.returncode, done.stdout.rstrip().splitlines()[-1].partition(":")[0] if done.stdout else done.stderr


def bounds(column: str, **sides: object) -> Edit:
    def edit(add: dict[str, Any]) -> None:
        for side, value in sides.items():
            add["stats"][f"{side}Values"][column] = value

    return edit


def stats(**changes: object) -> Edit:
    def edit(add: dict[str, Any]) -> None:
        add["stats"] |= changes

    return edit


def null_count(column: str, count: object) -> Edit:
    def edit(add: dict[str, Any]) -> None:
        add["stats"]["nullCount"][column] = count

    return edit


def entry(**changes: object) -> Edit:
    return lambda add: add.update(changes)


def marked(metadata: dict[str, Any]) -> None:
    schema = json.loads(metadata["schemaString"])
    schema["fields"][0]["metadata"]["delta.columnMapping.id"] = 1
    metadata["schemaString"] = json.dumps(schema)


def without(name: str) -> Edit:
    def edit(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        schema["fields"] = [one for one in schema["fields"] if one["name"] != name]
        metadata["schemaString"] = json.dumps(schema)

    return edit


def by_p(metadata: dict[str, Any]) -> None:
    """Partitioned by a column that the data file holds too, as those of Hudi do; delta-rs leaves it out."""
    metadata["partitionColumns"] = ["p"]


def generated(name: str, expression: str) -> Edit:
    def edit(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        column = {"name": name, "type": "integer", "nullable": True}
        schema["fields"].append(column | {"metadata": {"delta.generationExpression": expression}})
        metadata.update(schemaString=json.dumps(schema), partitionColumns=[name])

    return edit


SECOND = "2023-02-05T01:02:03Z"
FAULTS: dict[str, Left] = {
    "a bound cut to whole seconds": Left(
        "bounds_contain_values", bounds("at", min="2023-02-05 01:02:03", max="2023-02-05 01:02:03"), columns=("at",)
    ),
    "rows that delta-rs loses by it": Left("no_matching_file_is_dropped", bounds("at", min=SECOND, max=SECOND)),
    "bounds in 1970": Left("bounds_contain_values", bounds("at", min="1970-01-20T09:25:58.923Z", max=SECOND)),
    "a minimum above a number": Left("bounds_contain_values", bounds("n", min=2), columns=("n",)),
    "a bound beyond a field of a struct": Left("bounds_are_tight", bounds("s", max={"inner": 9}), columns=("s.inner",)),
    "a wide bound": Left("bounds_are_tight", bounds("n", max=9), columns=("n",)),
    "no bounds": Left("bounds_are_present", stats(minValues={}, maxValues={})),
    "a bound of another type": Left("bounds_are_of_the_columns_type", bounds("n", max="many")),
    "a count of nulls that is wrong": Left("null_counts_are_exact", null_count("n", 1), columns=("n",)),
    "a count that denies nulls": Left("null_counts_are_exact", null_count("text", 0), verdict="UNSOUND"),
    "an object for the nulls of a map": Left("null_counts_are_numbers", null_count("m", {"key": 0}), columns=("m",)),
    "no row, by numRecords": Left("record_counts_are_exact", stats(numRecords=0)),
    "statistics that are no JSON": Left("logged_statistics_can_be_read", entry(stats="{")),
    "another size": Left("sizes_are_exact", entry(size=1)),
    "a path with a blank": Left("paths_are_uris", entry(path="p=x y/a.parquet")),
    "a file that is gone": Left("every_file_exists", gone=True),
    "another partition value": Left(
        "tuples_equal_every_row", entry(partitionValues={"p": "y"}), metadata=by_p, partitioned=False
    ),
    "an id of column mapping": Left("mapped_columns_have_ids_and_names", metadata=marked),
    "a column that the schema lacks": Left(
        "values_are_those_of_the_source", metadata=without("n"), source={"nulls": {"n": 0}}
    ),
    "a column that the source lacks": Left("no_column_is_left_over", source={"columns": ["at"]}),
    "no partitions": Left("spec_is_the_configured_one", partitioned=False),
    "a file that the log lacks": Left("no_file_is_missing", source={"files": ["/there.parquet"]}),
    "a file that the source lacks": Left("no_file_is_stale", source={"files": []}),
    "a row that is missing": Left("no_row_is_missing", source={"rows": 4}),
    "a row too many": Left("no_row_is_shown_twice", source={"rows": 2}),
    "a failed sync": Left("every_sync_comes_through", exits=(1,), synced=False, log="x.Exception: no"),
}


@pytest.mark.parametrize("left", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_seen(checked: Checked, left: Left) -> None:
    done = checked(left)
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


def test_a_healthy_table_breaks_no_claim(checked: Checked) -> None:
    claims = sorted(looked_for("check_delta.py"))
    done = checked(Left(claims[0], more=tuple(claims[1:])))
    assert ended(done) == (0, "FAULT GONE"), done.stdout + done.stderr
    assert not_seen(done.stdout) == claims
    assert "ANOTHER FAULT" not in done.stdout


LEGAL: dict[str, Left] = {
    "to milliseconds": Left(
        "bounds_contain_values", bounds("at", min="2023-02-05T01:02:03.123Z", max=SECOND[:-1] + ".999Z")
    ),
    "to 32 characters": Left("bounds_are_tight", bounds("text", max="x" * 32)),
    "to 31 characters and a higher one": Left("bounds_are_tight", bounds("text", max="x" * 31 + "y")),
}


@pytest.mark.parametrize("left", LEGAL.values(), ids=LEGAL)
def test_a_bound_may_be_cut(checked: Checked, left: Left) -> None:
    done = checked(left)
    assert ended(done) == (0, "FAULT GONE"), done.stdout + done.stderr
    assert "ANOTHER FAULT" not in done.stdout


def test_a_partition_value_that_equals_every_row_breaks_no_claim(checked: Checked) -> None:
    left = Left("tuples_equal_every_row", entry(partitionValues={"p": "x"}), metadata=by_p, partitioned=False)
    assert ended(checked(left)) == (0, "FAULT GONE")


def test_a_partition_value_of_another_type_is_seen(checked: Checked) -> None:
    """delta-rs refuses the whole table then, but the log was read."""
    rows = ROWS.set_column(ROWS.schema.get_field_index("p"), "p", pa.array([FIRST] * 3, pa.timestamp("us", "UTC")))
    left = Left("partition_values_are_of_their_type", entry(partitionValues={"p": "1672531200123006"}), rows=rows)
    done = checked(left)
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


@pytest.mark.parametrize(("bucket", "ends"), [("3", (PRESENT, "FAULT PRESENT")), ("2", (0, "FAULT GONE"))])
def test_a_bucket_is_that_of_its_expression(checked: Checked, bucket: str, ends: tuple[int, str]) -> None:
    """Spark 3.5: MOD((HASH('x') & 2147483647), 4) is 2. Iceberg's bucket of 'x' is 3."""
    rows = ROWS.set_column(ROWS.schema.get_field_index("text"), "text", pa.array(["x", "x", "x"]))
    expression = generated("bucket", "MOD((HASH(text) & 2147483647), 4)")
    left = Left(
        "spec_is_the_configured_one",
        entry(partitionValues={"bucket": bucket}),
        expression,
        partitioned=False,
        rows=rows,
        source={"nulls": NULLS | {"text": 0}},
    )
    done = checked(left)
    assert ended(done) == ends, done.stdout + done.stderr
    assert "ANOTHER FAULT" not in done.stdout


@pytest.mark.parametrize(
    ("value", "hash"),
    [("x", -80340190), ("Spark", 228093765), ("abcdefg", 2132013596), ("é", 2119106806), (-7, -1618159745)],
)
def test_the_hash_is_that_of_spark(value: str | int, hash: int) -> None:
    """As Spark 3.5 shows it."""
    assert module("spark_hash.py")["spark_hash"](value) == hash % 2**32


def typed(name: str, kind: str) -> Edit:
    def edit(metadata: dict[str, Any]) -> None:
        schema = json.loads(metadata["schemaString"])
        next(one for one in schema["fields"] if one["name"] == name)["type"] = kind
        metadata["schemaString"] = json.dumps(schema)

    return edit


@pytest.mark.parametrize(
    ("name", "kind"), [("n", "integer"), ("ratio", "string"), ("text", "long"), ("ratio", "float")]
)
def test_a_file_of_another_type_than_the_log_has_failed_silently(checked: Checked, name: str, kind: str) -> None:
    left = Left("metadata_and_data_files_can_be_read", metadata=typed(name, kind), verdict="FAILED_SILENTLY")
    done = checked(left)
    assert ended(done) == (PRESENT, "FAULT PRESENT"), done.stdout + done.stderr


def test_what_writes_the_log_is_named(checked: Checked) -> None:
    assert "XTable of your own, to DELTA by Delta Kernel; a fresh JVM" in checked(Left("sizes_are_exact")).stdout


def test_a_log_that_delta_rs_refuses_cannot_be_read(checked: Checked) -> None:
    left = Left("metadata_and_data_files_can_be_read", metadata=lambda metadata: metadata.update(schemaString="{"))
    assert ended(checked(left)) == (PRESENT, "FAULT PRESENT")


def test_the_claims_that_are_checked_are_those_that_the_scripts_name() -> None:
    icebergs = {"bounds_are_of_values", "no_bound_is_nan", "value_counts_are_exact"}
    assert looked_for("check_delta.py") == named_by("check_delta.py") - icebergs


def test_the_command_says_the_same(checked: Checked, tmp_path: Path) -> None:
    here, command = checked(FAULTS["a wide bound"]), as_command("check_delta.py", tmp_path)
    assert command.returncode == here.returncode, command.stderr
    assert sorted(command.stdout.splitlines()) == sorted(here.stdout.splitlines())
