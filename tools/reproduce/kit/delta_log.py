"""A table by its Delta log: the JSON of its commits, read as it is written there, and delta-rs over it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from columns import Column, physical  # type: ignore[import-not-found]
from deltalake import DeltaTable
from files import local  # type: ignore[import-not-found]
from pyarrow import fs
from readers import answer  # type: ignore[import-not-found]

KEPT = 32
"""Characters that Delta's writers keep of a longer text."""
MILLISECOND = 999
"""Microseconds that a timestamp loses where it is cut down to milliseconds, as Delta's protocol says."""
NO_VALUE = (ValueError, ArithmeticError, TypeError, AttributeError, KeyError)
"""What is raised for a text or number that is no value of a type."""
WITHOUT_BOUNDS = ("boolean", "binary")
Names = tuple[str, ...]


@dataclass
class Log:
    """The table after one commit. Checkpoints are not read: they repeat what the commits say."""

    root: Path
    metadata: dict[str, Any] = field(default_factory=dict)
    protocol: dict[str, Any] = field(default_factory=dict)
    adds: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By path, as the log spells it."""

    @property
    def fields(self) -> list[dict[str, Any]]:
        fields: list[dict[str, Any]] = json.loads(self.metadata["schemaString"])["fields"]
        return fields

    @property
    def partition_by(self) -> list[str]:
        return list(self.metadata.get("partitionColumns") or ())

    def file_of(self, path: str) -> Path:
        """The file that a reader looks for: a path is a URI, relative to the table."""
        file: Path = self.root / local(unquote(path))
        return file

    @property
    def files(self) -> list[Path]:
        return [self.file_of(path) for path in self.adds]


def log_of(commit: str) -> Log:
    """The table after the commit in that file."""
    newest = local(commit)
    log = Log(newest.parent.parent)
    for file in sorted(newest.parent.glob("*.json")):
        for line in file.read_text().splitlines() if file.name <= newest.name else ():
            action = json.loads(line)
            log.metadata = action.get("metaData") or log.metadata
            log.protocol = action.get("protocol") or log.protocol
            if add := action.get("add"):
                log.adds[add["path"]] = add
            if remove := action.get("remove"):
                log.adds.pop(remove["path"], None)
    return log


def statistics_of(add: dict[str, Any]) -> dict[str, Any]:
    """Empty where there are none. Numbers with a point are decimals, with every digit. Raises ValueError."""
    statistics: dict[str, Any] = json.loads(add["stats"], parse_float=Decimal) if add.get("stats") else {}
    return statistics


def leaves(fields: list[dict[str, Any]], around: Names = ()) -> Iterator[tuple[Names, str]]:
    """Columns outside lists and maps: names from the top, and type."""
    for one in fields:
        names = (*around, one["name"])
        kind = one["type"]
        if isinstance(kind, str):
            yield names, kind
        elif kind["type"] == "struct":
            yield from leaves(kind["fields"], names)
        else:
            yield names, kind["type"]


def at(values: Any, names: Names) -> Any:
    """What the statistics say of a column; None if nothing."""
    for name in names:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def measured(log: Log, add: dict[str, Any], path: Path) -> Iterator[Column]:
    """Raises ValueError for statistics that are no JSON."""
    statistics, rows = statistics_of(add), pq.read_table(path, partitioning=None, coerce_int96_timestamp_unit="us")
    for names, kind in leaves(log.fields) if statistics else ():
        if names[0] in log.partition_by or names[0] not in rows.column_names or kind in ("array", "map"):
            continue
        values = rows.column(names[0]).combine_chunks()
        for part in names[1:]:
            values = pc.struct_field(values, part)
        if not is_held(values.type, kind):
            continue
        known = physical(values.drop_null())
        nulls = at(statistics.get("nullCount"), names)
        bounds = [decoded(statistics, side, names, kind) for side in ("minValues", "maxValues")]
        extremes = min(known, default=None), max(known, default=None)
        yield Column(
            file=path.name,
            name=".".join(names),
            kind=values.type,
            lower=bounds[0],
            upper=bounds[1],
            least=extremes[0],
            greatest=extremes[1],
            nulls=nulls if isinstance(nulls, int) or kind != "binary" else values.null_count,
            values=statistics.get("numRecords"),
            actual_nulls=values.null_count,
            actual_values=len(values),
            is_cut=(is_cut(bounds[0], extremes[0], kind, KEPT), is_cut(bounds[1], extremes[1], kind, KEPT - 1)),
            has_bounds=kind not in WITHOUT_BOUNDS,
        )


def is_held(there: pa.DataType, kind: str) -> bool:
    """Whether a data file's type holds what the log says. Integers may be narrower there, and never wider."""
    of = pa.types
    if kind.startswith(("decimal", "timestamp")):
        return bool(of.is_decimal(there) if kind.startswith("decimal") else of.is_timestamp(there))
    match kind:
        case "byte" | "short" | "integer" | "long":
            return bool(of.is_integer(there)) and there.bit_width <= (64 if kind == "long" else 32)
        case "float" | "double":
            return bool(of.is_floating(there)) and there.bit_width <= (64 if kind == "double" else 32)
        case "string":
            return bool(of.is_string(there) or of.is_large_string(there))
    return True


def decoded(statistics: dict[str, Any], side: str, names: Names, kind: str) -> Any:
    """A bound as `physical` has values; None where there is none, or none of the column's type."""
    said = at(statistics.get(side), names)
    try:
        return None if said is None or kind in WITHOUT_BOUNDS else value_of(said, kind)
    except NO_VALUE:
        return None


def value_of(said: Any, kind: str) -> Any:
    """A bound or a partition value as `physical` has values. Raises one of NO_VALUE."""
    if kind.startswith("decimal"):
        return Decimal(str(said))
    if kind.startswith("timestamp"):
        moment = datetime.fromisoformat(said)
        since = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
        return since // timedelta(microseconds=1)
    match kind:
        case "string" | "binary":
            return said.encode()
        case "boolean":
            return {"true": True, "false": False}[str(said).lower()]
        case "date":
            return (date.fromisoformat(said) - date(1970, 1, 1)).days
        case "float":
            return pa.scalar(float(said), pa.float32()).as_py()
        case "double":
            return float(said)
    return int(said)


def is_cut(bound: Any, value: Any, kind: str, alike: int) -> bool:
    """Whether Delta's writers may have cut the bound from the value: times to milliseconds, long texts."""
    if bound is None or value is None:
        return False
    if kind.startswith("timestamp"):
        return bool(0 < abs(bound - value) <= MILLISECOND)
    if kind != "string" or len(value.decode()) <= KEPT:
        return False
    return bool(bound.decode()[:alike] == value.decode()[:alike])


def by_delta_rs(root: Path, equal: tuple[str, Any] | None = None) -> int | str:
    """Over pyarrow's dataset, which skips files by the statistics of the log."""
    where = pc.field(equal[0]) == pc.scalar(equal[1]) if equal else None
    found: int | str = answer(lambda: dataset_of(root).to_table(filter=where).num_rows)
    return found


def dataset_of(root: Path) -> Any:
    """By Arrow's own files: where they are Python's, a process may abort as it ends (apache/arrow#34314)."""
    return DeltaTable(str(root)).to_pyarrow_dataset(filesystem=fs.SubTreeFileSystem(str(root), fs.LocalFileSystem()))
