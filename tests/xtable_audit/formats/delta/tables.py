"""Delta tables of another writer, and their logs with one thing changed."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake
from pyarrow import fs
from pyroaring import BitMap64

from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.delta.claims import CLAIMS
from xtable_audit.formats.delta.deletion_vector import RFC_1924, Z85
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.objects import Objects
from xtable_audit.scan import live_files
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, read_case
from xtable_audit.subject.table_rows import Rows, read_rows
from xtable_audit.values.deleted_rows import VECTOR

OBJECTS = Objects(fs.LocalFileSystem())
Action = dict[str, Any]
NOON = dt.datetime(2024, 1, 1, 12, 0, 0, 123456)
BEFORE = dt.datetime(1969, 12, 31, 23, 59, 59, 999999)
UTC = pa.timestamp("us", "UTC")


def of_every_type(after: int = 0) -> pa.Table:
    """Three rows, of which one is null in most columns."""
    return pa.table(
        {
            "tiny": pa.array([-128, 127, None], pa.int8()),
            "int": pa.array([1 + after, 2 + after, None], pa.int32()),
            "long": pa.array([2**60 + 1, -(2**60) - 1, after]),
            "float": pa.array([0.1, 16777216.0, None], pa.float32()),
            "double": pa.array([1e300, -2.5, float("nan")]),
            "text": pa.array(["x" * 50, "b", None]),
            "bytes": pa.array([b"x", b"\xff", None]),
            "bool": pa.array([True, False, None]),
            "date": pa.array([dt.date(1969, 1, 1), dt.date(2024, 5, 5), None]),
            "at": pa.array([NOON, BEFORE, None], UTC),
            "local": pa.array([NOON, BEFORE, None], pa.timestamp("us")),
            "money": pa.array([Decimal("12.50"), Decimal("-0.25"), None], pa.decimal128(9, 2)),
            "place": pa.array(
                [{"zip": 1, "of": {"city": "ü"}}, None, {"zip": None, "of": None}],
                pa.struct({"zip": pa.int64(), "of": pa.struct({"city": pa.string()})}),
            ),
            "list": pa.array([[1], None, []], pa.list_(pa.int64())),
            "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
            "nothing": pa.nulls(3, pa.int64()),
        }
    )


def parted(by: str) -> pa.Table:
    """The same with a partition column whose values need care in a path."""
    texts = pa.array(["a b", "x=y/%41#?:ü", None])
    values = {
        "text": texts,
        "number": pa.array([-1, 7, None]),
        "day": pa.array([dt.date(1969, 12, 31), dt.date(2024, 2, 29), None]),
        "moment": pa.array([NOON, BEFORE, None], UTC),
        "money": pa.array([Decimal("0.10"), Decimal("-5.00"), None], pa.decimal128(9, 2)),
        "bool": pa.array([True, False, None]),
    }
    return of_every_type().select(["int", "at"]).append_column("p", values[by])


def write(root: Path, *tables: pa.Table, **options: Any) -> None:
    """One commit a table."""
    for table in tables:
        write_deltalake(str(root), table, mode="append", **options)


def newest(root: Path) -> str:
    """The metadata location of the newest version."""
    return str(max((root / LOG).glob("*.json")))


def case_at(root: Path, location: str | None = None) -> Case:
    return read_case(OBJECTS, "own-delta", location or newest(root), UNKNOWN_SOURCE)


def rows_at(root: Path) -> Rows:
    case = case_at(root)
    return read_rows(OBJECTS, case.stored, live_files(OBJECTS, case.stored))


def judged(case: Case) -> dict[str, list[Deviation]]:
    """The deviations of every claim that compares something."""
    return {id: claim.deviations(case) for id, claim in CLAIMS.items() if claim.lacks(case) is None}


def failing(case: Case) -> dict[str, list[Deviation]]:
    return {id: found for id, found in judged(case).items() if found}


def actions(path: Path) -> list[Action]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rewrite(root: Path, change: Callable[[list[Action]], Iterable[Action]]) -> None:
    """The commits of the log, each as `change` makes it."""
    for path in sorted((root / LOG).glob("*.json")):
        changed = change(actions(path))
        path.write_text("".join(f"{json.dumps(one)}\n" for one in changed), encoding="utf-8")


def with_add(change: Callable[[Action], None]) -> Callable[[list[Action]], list[Action]]:
    """Changes the `add` of every file."""

    def changed(commit: list[Action]) -> list[Action]:
        for action in commit:
            if "add" in action:
                change(action["add"])
        return commit

    return changed


def with_statistics(change: Callable[[Action], None]) -> Callable[[list[Action]], list[Action]]:
    """Changes the statistics of every file."""

    def changed(add: Action) -> None:
        statistics = json.loads(add["stats"])
        change(statistics)
        add["stats"] = json.dumps(statistics)

    return with_add(changed)


def with_features(commit: list[Action], *features: str) -> list[Action]:
    """A protocol that names its features, these."""
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features, "writerFeatures": features}
    return [{"protocol": protocol} if "protocol" in one else one for one in commit]


def with_metadata(change: Callable[[Action], None]) -> Callable[[list[Action]], list[Action]]:
    def changed(commit: list[Action]) -> list[Action]:
        for action in commit:
            if "metaData" in action:
                change(action["metaData"])
        return commit

    return changed


def with_schema(change: Callable[[Action], None]) -> Callable[[list[Action]], list[Action]]:
    """Changes every column of the schema, also those in structs."""

    def changed(metadata: Action) -> None:
        schema = json.loads(metadata["schemaString"])
        _each(schema, change)
        metadata["schemaString"] = json.dumps(schema)

    return with_metadata(changed)


def _each(struct: Action, change: Callable[[Action], None]) -> None:
    for field in struct["fields"]:
        if isinstance(field["type"], dict) and field["type"]["type"] == "struct":
            _each(field["type"], change)
        change(field)


def inline_vector(*rows: int) -> Action:
    """A deletion vector that the log itself holds."""
    content = VECTOR + BitMap64(rows).serialize()
    padded = content + b"\0" * (-len(content) % 4)
    text = base64.b85encode(padded).decode().translate(str.maketrans(RFC_1924, Z85))
    return {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(content), "cardinality": len(rows)}


GENERATED = {
    "year": ("integer", "YEAR(at)", "2024", "2023"),
    "month": ("string", "DATE_FORMAT(at, 'yyyy-MM')", "2024-01", "2024-02"),
    "day": ("date", "CAST(at AS DATE)", "2024-01-01", "2024-01-02"),
    "hour": ("string", "DATE_FORMAT(at, 'yyyy-MM-dd-HH')", "2024-01-01-12", "2024-01-01-11"),
}
"""Transform -> the type and expression of the partition column that XTable generates, its value here, and another."""


def write_generated(root: Path, transform: str, *, of_another: bool = False) -> None:
    """One file, partitioned by a transform of its timestamp, or `of_another`; as XTable's, it holds no such column."""
    kind, expression, value, other = GENERATED[transform]
    write(root, of_every_type().slice(0, 1))
    column = {"name": "by", "type": kind, "nullable": True, "metadata": {"delta.generationExpression": expression}}

    def metadata(one: Action) -> None:
        schema = json.loads(one["schemaString"])
        schema["fields"].append(column)
        one.update({"schemaString": json.dumps(schema), "partitionColumns": ["by"]})

    rewrite(root, with_metadata(metadata))
    rewrite(root, with_add(lambda add: add.update({"partitionValues": {"by": other if of_another else value}})))
