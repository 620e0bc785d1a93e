"""No false alarm: the battery's rows, written by Iceberg's own writer, break no claim by which a reader loses rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lab.provision.dataset import ROWS
from lab.stack.cache import Cache
from tests.tables.families import by_family
from tests.tables.mirror import Mirror
from xtable.replay import BATTERY_RECORDINGS, SOURCES, unpacked
from xtable_audit.claims import CLAIMS
from xtable_audit.model.finding import Verdict
from xtable_audit.planning.grid import grid
from xtable_audit.planning.selection import judge_selections
from xtable_audit.subject.case import Case, Source, read_case

HARMFUL = {Verdict.UNSOUND, Verdict.DUPLICATE, Verdict.STALE, Verdict.FAILED_SILENTLY}
OF_HUDI = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
"""Columns of texts, which Hudi adds to every table."""
WHOLE = "plain_types"
"""The table that is written with them; the others' values are their own alone."""
BEYOND_PYTHON = "types_year_10000_plain"
"""PyIceberg cannot write its times, for Python's end with the year 9999."""
RECORDED = {
    name: path
    for path in sorted((unpacked(BATTERY_RECORDINGS, Cache()) / SOURCES).glob(f"*.{ROWS}"))
    if (name := path.name.removesuffix(f".{ROWS}")) != BEYOND_PYTHON
}


def rewritten(mirror: Mirror, catalog: SqlCatalog, name: str, rows: pa.Table) -> Case:
    """The rows as PyIceberg writes them, in two data files of two snapshots."""
    root = mirror.uri(f"rewritten/{name}")
    mirror.file(f"{root}/metadata").mkdir(parents=True)
    mirror.file(f"{root}/data").mkdir(parents=True)
    table = catalog.create_table(f"tests.{name}", schema=rows.schema, location=root)
    half = (rows.num_rows + 1) // 2
    with table.transaction() as both:
        for places in (range(half), range(half, rows.num_rows)):
            if places:
                both.append(rows.take(list(places)))
    location = table.metadata_location
    files = {task.file.file_path: task.file.file_size_in_bytes for task in table.scan().plan_files()}
    return read_case(mirror.objects, name, location, Source((), (), files, shown=rows))


def in_microseconds(rows: pa.Table) -> pa.Table:
    """Spark's INT96 times, which Arrow reads as nanoseconds, in the unit that Iceberg has."""
    fields = [
        field.with_type(pa.timestamp("us", field.type.tz)) if pa.types.is_timestamp(field.type) else field
        for field in rows.schema
    ]
    return rows.cast(pa.schema(fields))


NULL_LISTS = ("types_lists_plain", "types_lists_groups", "types_lists_index")
null_lists = pytest.mark.xfail(strict=True, reason="PyIceberg 0.12 writes a null list of structs as an empty list")
"""No false alarm but a true one: the data files that it leaves hold [] where the rows hold null."""


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    return Mirror(tmp_path_factory.mktemp("mirror"))


@pytest.fixture(scope="module")
def catalog(mirror: Mirror) -> Iterator[SqlCatalog]:
    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=mirror.uri("rewritten"), **mirror.pyiceberg)
    catalog.create_namespace("tests")
    yield catalog
    catalog.close()


@pytest.fixture(scope="module")
def case_of(mirror: Mirror, catalog: SqlCatalog) -> Callable[[str], Case]:
    """The same rows are written once, for all that is asserted of them: a quarter of the tables differ in their history
    alone.
    """
    written: dict[bytes, Case] = {}

    def case(name: str) -> Case:
        rows = in_microseconds(pq.read_table(RECORDED[name])).replace_schema_metadata()
        rows = rows if name == WHOLE else rows.drop_columns([one for one in OF_HUDI if one in rows.column_names])
        of_rows = contents(rows)
        if of_rows not in written:
            written[of_rows] = rewritten(mirror, catalog, name, rows)
        return written[of_rows]

    return cache(case)


def contents(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows.combine_chunks())
    return hashlib.sha256(sink.getvalue()).digest()


Found = TypeVar("Found")


def once(judge: Callable[[Case], Found]) -> Callable[[Case], Found]:
    """Judges each case once. A case is known by its metadata: rows that are in it compare, and have no hash."""
    known: dict[Hashable, Found] = {}

    def judged(case: Case) -> Found:
        place = case.stored.metadata_location
        if place not in known:
            known[place] = judge(case)
        return known[place]

    return judged


@by_family([name for name in RECORDED if name not in NULL_LISTS], str)
def test_no_claim_by_which_a_reader_loses_rows_is_broken(cases: list[str], case_of: Callable[[str], Case]) -> None:
    assert not {name: found for name in cases if (found := harm(case_of(name)))}


@null_lists
@pytest.mark.parametrize("name", NULL_LISTS)
def test_a_null_list_of_structs_is_written_as_it_is(name: str, case_of: Callable[[str], Case]) -> None:
    assert harm(case_of(name)) == {}


@once
def harm(case: Case) -> dict[str, list[str]]:
    return {
        id: [deviation.saw for deviation in found]
        for id, claim in CLAIMS.items()
        if (found := [d for d in claim.deviations(case) if (d.verdict or claim.breaks) in HARMFUL])
    }


@pytest.fixture(scope="module")
def dropped(mirror: Mirror) -> Callable[[Case], list[str]]:
    """The predicates by which a matching file is dropped."""

    @once
    def dropped(case: Case) -> list[str]:
        columns = [leaf.path for leaf in case.stored.leaves]
        predicates = [one for column in columns for one in grid(case, column, columns[0])]
        seen = judge_selections(mirror.objects, case, predicates)
        return [one.predicate for one in seen if one.matching - one.planned]

    return dropped


@by_family(RECORDED, str)
def test_no_matching_file_is_dropped_by_any_predicate(
    cases: list[str], case_of: Callable[[str], Case], dropped: Callable[[Case], list[str]]
) -> None:
    assert not {name: found for name in cases if (found := dropped(case_of(name)))}
