"""What a simple format gets for nothing: columns inside structs, partition values, rows, and values of no type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from xtable_audit.claims import CLAIMS
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.scan.local import LocalScanner
from xtable_audit.scan.questions import actual_metrics, live_files
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case
from xtable_audit.subject.table_rows import read_rows
from xtable_audit.table.plain_files import PlainFile, plain_metrics
from xtable_audit.table.plain_table import PlainTable

PLACE = pa.struct([("city", pa.string()), ("spots", pa.list_(pa.int64()))])
SCHEMA = pa.schema([("id", pa.int64()), ("place", PLACE), ("at", pa.timestamp("us")), ("part", pa.string())])
TABLE = PlainTable(TargetRules("plain"), SCHEMA, partition_by=("part",))
OBJECTS = Objects(fs.LocalFileSystem())
NO_NULLS = {"id": 0, "place.city": 0, "at": 0, "part": 0}
FALSE: dict[str, tuple[dict[str, Any], str]] = {
    "a bound inside a struct": ({"upper": {"place.city": "Oslo"}}, "bounds_contain_values"),
    "a bound of another type": ({"lower": {"id": 1.5}}, "bounds_are_of_the_columns_type"),
    "a time that is none": ({"upper": {"at": "noon"}}, "bounds_are_of_the_columns_type"),
    "a bound finer than its type": ({"lower": {"at": "2026-11-25T01:02:03.0000001"}}, "bounds_are_of_the_columns_type"),
    "a partition value": ({"partition": {"part": "b"}}, "tuples_equal_every_row"),
    "a null count": ({"nulls": NO_NULLS | {"id": 2}}, "null_counts_are_exact"),
}
TRUE: dict[str, Any] = {
    "lower": {"id": 1, "place.city": "Oslo", "at": "2026-11-25T01:02:03"},
    "upper": {"id": 2, "place.city": "Rome", "at": "2026-11-25T01:02:03.000001"},
    "nulls": NO_NULLS,
    "partition": {"part": "a"},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    at = pa.array([1795568523000000, 1795568523000001]).cast(pa.timestamp("us"))
    places = pa.array([{"city": "Rome", "spots": [1]}, {"city": "Oslo", "spots": []}], PLACE)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1, 2], "place": places, "at": at, "part": ["a", "a"]}), path)
    return path


def case(file: Path, **said: Any) -> Case:
    entry = PlainFile(str(file), file.stat().st_size, 2, **TRUE | said)
    stored = plain_metrics(OBJECTS, str(file.parent / "plain.json"), TABLE, [entry])
    return Case("plain", stored, actual_metrics(LocalScanner(OBJECTS), stored), UNKNOWN_SOURCE)


CLAIMED = sorted({claim for _, claim in FALSE.values()})


@pytest.mark.parametrize("claim", CLAIMED)
def test_a_claim_holds_of_what_is_true(file: Path, claim: str) -> None:
    assert CLAIMS[claim].deviations(case(file)) == []


@pytest.mark.parametrize(("said", "claim"), FALSE.values(), ids=FALSE)
def test_what_is_false_breaks_one_claim(file: Path, said: dict[str, Any], claim: str) -> None:
    spoilt = case(file, **said)
    assert [id for id in CLAIMED if CLAIMS[id].deviations(spoilt)] == [claim]


def test_rows_are_read_by_name(file: Path) -> None:
    stored = case(file).stored
    assert read_rows(OBJECTS, stored, live_files(OBJECTS, stored)).values.equals(pq.read_table(file))


@pytest.mark.parametrize(
    "entry", [{"rows": "many"}, {"rows": True}, {"size": 1.5}, {"nulls": {"id": "2"}}, {"lower": []}], ids=str
)
def test_an_entry_of_another_form_is_malformed(entry: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match="does not describe a file as its format does"):
        plain_metrics(OBJECTS, "/t/plain.json", TABLE, [PlainFile("/t/a.parquet", **entry)])
