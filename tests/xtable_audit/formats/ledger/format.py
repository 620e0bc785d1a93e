"""Ledger, a table format of somebody else: a folder with Parquet files, and ledger.json, which says what they hold.

How a table is found and read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.installed import TableFormat
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.target_rules import Rule, TargetRules, only_icebergs
from xtable_audit.table.plain_table import PlainFile, PlainTable, plain_metrics
from xtable_audit.table.stored_metrics import StoredMetrics

FILE = "ledger.json"
TYPES = {"long": pa.int64(), "double": pa.float64(), "string": pa.string(), "date": pa.date32()}
RULES = TargetRules(
    "ledger",
    rules={
        "bounds_contain_values": Rule('Ledger, Files: "min and max are the least and the greatest value of the file"'),
        "record_counts_are_exact": Rule("Ledger, Files: rows", "rows is the number of rows of the file"),
    },
    silent=only_icebergs("Ledger", "Ledger"),
    terms={"record_count": "rows", "null_count": "nulls", "file_size_in_bytes": "size", "manifest": FILE},
)


@dataclass(frozen=True)
class LedgerTable(PlainTable):
    """What the ledger has beside columns and files."""

    total: int | None = None
    """The rows of the table, by its own count."""


def find(objects: Objects, root: str) -> tuple[str, tuple[str, ...]]:
    folder = TableFolder(root.rstrip("/"), objects)
    if folder.size(FILE) is None:
        raise Problem(f"{root} is no Ledger table: it holds no {FILE}")
    return folder.uri(FILE), ()


def read(objects: Objects, location: str) -> StoredMetrics:
    folder = TableFolder(location.removesuffix(f"/{FILE}"), objects)
    try:
        ledger = json.loads(objects.read(location))
        schema = pa.schema([(name, TYPES[kind]) for name, kind in ledger["columns"].items()])
        table = LedgerTable(RULES, schema, int(ledger["version"]), total=ledger.get("rows"))
        files = [_file(folder, entry) for entry in ledger["files"]]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Malformed(location, f"is no ledger: {error!r}") from error
    return plain_metrics(objects, location, table, files)


def _file(folder: TableFolder, entry: Mapping[str, Any]) -> PlainFile:
    said = entry.get("min", {}), entry.get("max", {}), entry.get("nulls", {})
    return PlainFile(folder.address(entry["path"]), entry["size"], entry["rows"], *said)


LEDGER = TableFormat(
    target=TargetFormat(
        name="ledger",
        title="Ledger",
        commit="version",
        reads=lambda location: location.endswith(f"/{FILE}"),
        read=read,
        find=find,
        supports_check="tests.xtable_audit.formats.ledger.check:SUPPORT",
    )
)
