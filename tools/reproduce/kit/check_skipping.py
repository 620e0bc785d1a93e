"""Compares what Hudi's own indexes store with the values, and its reader's answers with data skipping on and off.

Reads what `skipping.py` leaves. Ends with 10 if the fault of fault.json in this folder is there, 0 if it is gone, 6 if
it could not be tried. Needs pyarrow.
"""

import json
import math
import sys
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from verdict import HERE, Fails, could_not_run, decide  # type: ignore[import-not-found]

CHECKED = {
    "bounds_called_tight_are_tight",
    "column_statistics_are_tight",
    "column_statistics_contain_every_value",
    "every_live_file_has_its_column_statistics",
    "every_live_partition_has_its_partition_statistics",
    "every_question_is_answered",
    "nan_lies_within_the_bounds",
    "no_row_is_lost_by_skipping",
    "null_counts_are_right",
    "partition_statistics_are_tight",
    "partition_statistics_contain_every_value",
    "value_counts_are_right",
}
"""The claims that this script looks for. Of another one it cannot say that it holds."""
SHOWN = 40
"""Lines of healthy statistics; more are left out."""


@dataclass
class Actual:
    """The values of a column in one file or partition, without nulls and NaN: as bounds should describe them."""

    least: Any
    greatest: Any
    rows: int
    nulls: int
    nans: int


def main() -> int:
    fault = json.loads((HERE / "fault.json").read_text())
    folders = sorted((HERE / "stages").glob("*"), key=lambda path: int(path.name))
    stages = [(json.loads((path / "index.json").read_text()), pq.read_table(path / "rows")) for path in folders]
    answers = json.loads((HERE / "answers.json").read_text())
    release = stages[-1][0]["hudi"]
    print(f"{fault['id']}: {fault['title']}\nHudi {release}\n")
    unasked = [f"{one['predicate']}: {told(one['off'])}" for one in answers if isinstance(one["off"], str)]
    status: int
    if not any(facts["records"] for facts, _ in stages):
        status = could_not_run(fault, "Hudi wrote no records of column statistics", release)
    elif unasked:
        status = could_not_run(fault, f"Hudi's reader fails with skipping off too: {unasked[0]}", release)
    else:
        found = [fails for facts, rows in stages for fails in of_the_index(facts, rows)]
        status = decide(fault, [*found, *of_the_answers(answers)], release=release, checked=CHECKED)
    return status


def of_the_index(facts: dict[str, Any], rows: pa.Table) -> Iterator[Fails]:
    print(f"after {facts['words']}: stored [lower … upper], nulls of values; actual")
    healthy = 0
    for kind in ("partition_stats", "column_stats"):
        if kind not in facts["indexes"] or (kind == "column_stats" and facts["logs"]):
            continue  # neither the records of base files nor those of log files describe the merged rows
        groups = grouped(facts, rows, kind)
        records = [one for one in facts["records"] if one["kind"] == kind and one["column"] in rows.column_names]
        for record in sorted(records, key=lambda one: (one["column"], one["of"])):
            if record["of"] not in groups:
                continue  # of a file that an older version of the table has
            type_ = rows.schema.field(record["column"]).type
            actual = measured(groups[record["of"]].column(record["column"]), type_)
            line = f"{kind} of {record['of'][:40]} · {record['column']}: {stored(record, type_)}; {seen(actual, type_)}"
            broken = [*claims_of(record, actual, type_)]
            healthy += not broken
            if broken or (healthy <= SHOWN and not record["column"].startswith("_hoodie_")):
                print(("  ! " if broken else "    ") + line)
            yield from (Fails(claim, f"after {facts['words']}: {line}", record["column"]) for claim in broken)
        for missing in absent(kind, records, groups):
            print(f"  ! {missing.where}")
            yield missing


def grouped(facts: dict[str, Any], rows: pa.Table, kind: str) -> dict[str, pa.Table]:
    """The rows of each live partition, or of each live base file by its name."""
    if kind == "partition_stats":
        names = {path.rpartition("/")[0] for path in facts["live"]}
        own = rows.column("_hoodie_partition_path").to_pylist()
    else:
        names = {path.rpartition("/")[2] for path in facts["live"]}
        own = rows.column("_hoodie_file_name").to_pylist()
    return {name: rows.filter(pa.array([one == name for one in own], pa.bool_())) for name in sorted(names)}


def measured(values: pa.ChunkedArray, type_: pa.DataType) -> Actual:
    known = physical(values.drop_null(), type_)
    numbers = [value for value in known if value == value]
    return Actual(
        min(numbers, default=None),
        max(numbers, default=None),
        len(values),
        values.null_count,
        len(known) - len(numbers),
    )


def physical(values: pa.ChunkedArray, type_: pa.DataType) -> list[Any]:
    """Values as bounds decode: days and microseconds as integers, texts as UTF-8."""
    if pa.types.is_date(type_):
        values = values.cast(pa.int32())
    elif pa.types.is_timestamp(type_):
        values = values.cast(pa.timestamp("us", type_.tz)).cast(pa.int64())
    elif pa.types.is_string(type_):
        values = values.cast(pa.binary())
    found: list[Any] = values.to_pylist()
    return found


def decoded(bound: str | None, type_: pa.DataType) -> Any:
    """A stored bound as `physical` has values."""
    if bound is None:
        return None
    value = json.loads(bound, parse_float=Decimal)
    if pa.types.is_floating(type_):
        return float(value)
    if pa.types.is_decimal(type_):
        return Decimal(value)
    if pa.types.is_binary(type_):
        return b64decode(value)
    if pa.types.is_string(type_):
        return value.encode()
    if isinstance(value, str) and pa.types.is_date(type_):
        return (datetime.fromisoformat(value) - datetime(1970, 1, 1)).days
    if isinstance(value, str) and pa.types.is_timestamp(type_):
        since = datetime.fromisoformat(value).replace(tzinfo=None) - datetime(1970, 1, 1)
        return since // timedelta(microseconds=1)
    return value


def claims_of(record: dict[str, Any], actual: Actual, type_: pa.DataType) -> Iterator[str]:
    """The claims that the record breaks."""
    lower, upper = decoded(record["lower"], type_), decoded(record["upper"], type_)
    kind = "partition_statistics" if record["kind"] == "partition_stats" else "column_statistics"
    nan = isinstance(upper, float) and math.isnan(upper)
    if actual.least is not None and (
        lower is None or upper is None or not lower <= actual.least or upper < actual.greatest
    ):
        yield f"{kind}_contain_every_value"
    if actual.nans and not nan:
        yield "nan_lies_within_the_bounds"
    if loose(lower, upper, actual):
        yield f"{kind}_are_tight"
        if record["tight"]:
            yield "bounds_called_tight_are_tight"
    if record["nulls"] != actual.nulls:
        yield "null_counts_are_right"
    if record["values"] != actual.rows:
        yield "value_counts_are_right"


def loose(lower: Any, upper: Any, actual: Actual) -> bool:
    """Whether the bounds reach beyond the values, or are stored although there are none."""
    if actual.least is None:
        return not actual.nans and (lower is not None or upper is not None)
    nan = isinstance(upper, float) and math.isnan(upper) and not actual.nans
    return bool(nan or (lower is not None and lower < actual.least) or (upper is not None and upper > actual.greatest))


def absent(kind: str, records: list[dict[str, Any]], groups: dict[str, pa.Table]) -> Iterator[Fails]:
    """Live files or partitions without a record of a column that another one has a record of."""
    claim = {
        "column_stats": "every_live_file_has_its_column_statistics",
        "partition_stats": "every_live_partition_has_its_partition_statistics",
    }[kind]
    for column in sorted({one["column"] for one in records if one["of"] in groups}):
        named = {one["of"] for one in records if one["column"] == column}
        for of, rows in groups.items():
            if of not in named and rows.num_rows:
                yield Fails(claim, f"{kind} of {of[:40]} · {column}: no record of {rows.num_rows} rows", column)


def of_the_answers(answers: list[dict[str, Any]]) -> Iterator[Fails]:
    for one in answers:
        line = f"{one['predicate']}: skipping off {told(one['off'])}; on {told(one['on'])}"
        if "tolerant" in one:
            line += f"; on, in the default failure mode {told(one['tolerant'])}"
        lost = "every_question_is_answered" if isinstance(one["on"], str) else "no_row_is_lost_by_skipping"
        fails = lost if one["on"] != one["off"] else ""
        print(("  ! " if fails else "    ") + line)
        if fails:
            yield Fails(fails, line)


def told(answer: int | str) -> str:
    return f"refuses ({answer[:120]})" if isinstance(answer, str) else f"{answer} rows"


def stored(record: dict[str, Any], type_: pa.DataType) -> str:
    lower, upper = (show(decoded(record[name], type_), type_) for name in ("lower", "upper"))
    return f"stored [{lower} … {upper}], {record['nulls']} of {record['values']}"


def seen(actual: Actual, type_: pa.DataType) -> str:
    nan = f" and {actual.nans} NaN" if actual.nans else ""
    bounds = f"[{show(actual.least, type_)} … {show(actual.greatest, type_)}]{nan}"
    return f"actual {bounds}, {actual.nulls} of {actual.rows}"


def show(value: Any, type_: pa.DataType) -> str:
    text = "absent" if value is None else str(value)
    if isinstance(value, bytes):
        text = value.decode(errors="replace") if pa.types.is_string(type_) else value.hex()
    elif isinstance(value, int) and pa.types.is_date(type_):
        text = f"{datetime(1970, 1, 1) + timedelta(days=value):%Y-%m-%d}"
    elif isinstance(value, int) and pa.types.is_timestamp(type_):
        text = f"{datetime(1970, 1, 1) + timedelta(microseconds=value)}"
    return text if len(text) <= 26 else f"{text[:21]}…"


if __name__ == "__main__":
    sys.exit(main())
