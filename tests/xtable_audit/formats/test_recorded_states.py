"""Recorded sources without Spark: their state at every sync and their rows, held against what Spark showed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_jobs.battery.tables import BATTERY
from tests.tables.families import by_family, unlike
from tests.tables.recorded import RecordedSync, columns, names, newest, stages, state, syncs
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.named_source import read_rows
from xtable_audit.formats.source import NotCompared, SourceState, Undetermined, UpdatesBeside
from xtable_audit.values.value_codes import compare, numbered

pytestmark = pytest.mark.slow  # reads every recorded table
TABLES = tuple(recorded())
SHOWN = tuple(
    table
    for table, of in recorded().items()
    if of.format == "HUDI" and (recorded_sources() / f"{table}.rows.parquet").is_file()
)
LATE = ("0.4.0-incubating", "edge_delta_two_dropped")
"""Its syncs fail but for the first and the idle one, which leaves the table as it is (XTF-065)."""
OF_TIMES = "0.2.0-incubating"
"""The release that keeps a time instead of Delta's version; the recordings have another time than the log's."""
NOT_READ = {
    "edge_names": "Invalid field name",
    "partition_dropped": "Only support when",
    "partition_in_struct": "is not present in the table schema",
}
"""What hudi-rs refuses, and its words."""
OUTSIDE = {"delta_shallow_clone", "delta_parquet_clone"}
"""Whose files are not in the table's folder."""
MERGED = {"mor_late_compaction"}
"""Which has log files in the end: Spark shows the read-optimized view, hudi-rs the snapshot view."""
OF_PATHS = {"partition_bare", "partition_empty", "partition_like_a_path", "partition_special", "partition_void"}
"""Tables of whose column `p` Spark shows what the path says, hudi-rs what the file holds."""
ASKED = [name for name in recorded() if (recorded_sources() / f"{name}.rows.parquet").is_file()]
KEY = "record_key"


def is_skipped(sync: RecordedSync) -> bool:
    """Whether the sync says that it is at an earlier commit, as it skips that of its stage (XTF-068)."""
    return sync.stage + 1 == BATTERY[sync.table].in_synced_second


def one_of_each_stage() -> Iterator[RecordedSync]:
    """The first of a release: an idle and a full sync are of the commit that was synced before them."""
    seen = set()
    for sync in syncs():
        stage = sync.release, sync.table, sync.stage
        if stage not in seen and ((sync.release, sync.table) != LATE or sync.stage == 0) and not is_skipped(sync):
            seen.add(stage)
            yield sync


SYNCS = tuple(one_of_each_stage())


def undetermined(sync: RecordedSync) -> str:
    """Why the state cannot be read; "" if it must be."""
    taken_back = {"history_restore": (2, 3), "history_rollback": (1,), "v8_restore": (1, 2), "v9_restore": (1, 2)}
    if sync.release == OF_TIMES and recorded()[sync.table].format == "DELTA":
        return "the table says that it was synced to the version of"
    if sync.table in taken_back and sync.stage in taken_back[sync.table]:
        return "which the source's timeline does not have any more"
    if (sync.table, sync.stage) == ("edge_archived", 0):
        return "the source's timeline is read from"
    return ""


TOLD = [sync for sync in SYNCS if not undetermined(sync)]

UNTOLD = [sync for sync in SYNCS if undetermined(sync)]


@cache
def state_at(sync: RecordedSync) -> SourceState:
    return state(sync)


def shown(sync: RecordedSync) -> set[str] | None:
    return columns(sync.table, sync.stage)


def table_of(sync: RecordedSync) -> str:
    return sync.table


def columns_at(sync: RecordedSync) -> set[str]:
    return {one.lower() for one in state_at(sync).columns}


@cache
def rows(table: str) -> pa.Table:
    return read_rows(TableFolder.at(str(recorded_sources() / table)), newest(table))


# The source at every recorded sync, read from its newest state without Spark, held against what Spark's was then.


@by_family(TOLD, table_of)
def test_live_files_are_those_of_that_time(cases: list[RecordedSync]) -> None:
    def then(sync: RecordedSync) -> set[str]:
        return {*stages(sync.table)[sync.stage]["base_files"]}

    assert not [*unlike(cases, lambda sync: names(state_at(sync), sync.table), then)]


@by_family([sync for sync in TOLD if sync.release != OF_TIMES and shown(sync)], table_of)
def test_columns_are_those_that_spark_showed(cases: list[RecordedSync]) -> None:
    assert not [*unlike(cases, columns_at, shown)]


@by_family(UNTOLD, table_of)
def test_a_state_that_the_log_does_not_tell_is_not_guessed(cases: list[RecordedSync]) -> None:
    for sync in cases:
        with pytest.raises(Undetermined, match=undetermined(sync)):
            state(sync)


# the newest state, of tables too that no recorded release reads


@by_family(TABLES, str)
def test_live_files_of_the_newest_state_are_those_of_its_own_engine(cases: list[str]) -> None:
    def last(table: str) -> set[str]:
        return {*stages(table)[-1]["base_files"]}

    assert not [*unlike(cases, lambda table: names(newest(table), table), last)]


@by_family(SHOWN, str)
def test_every_row_that_spark_shows_is_of_a_live_file(cases: list[str]) -> None:
    """Spark names the file of each row; of a row that came from a log file, its file group. Of a table whose files got
    other names afterwards it shows those of before, of the same groups.
    """
    for table in cases:
        files = {name.rpartition("/")[2] for name in names(newest(table), table)}
        groups = {name.partition("_")[0] for name in files}
        rows = pq.read_table(recorded_sources() / f"{table}.rows.parquet", columns=["_hoodie_file_name"])
        shown = {*rows["_hoodie_file_name"].to_pylist()}
        if BATTERY[table].in_one_second:
            assert {name.partition("_")[0] for name in shown} <= groups, table
        else:
            assert shown <= files | groups, table


@by_family([table for table in TABLES if columns(table, -1)], str)
def test_columns_of_the_newest_state_are_those_that_spark_shows(cases: list[str]) -> None:
    def ours(table: str) -> set[str]:
        return {one.lower() for one in newest(table).columns}

    assert not [*unlike(cases, ours, lambda table: columns(table, -1))]


@pytest.mark.parametrize(
    ("table", "beside"),
    {
        "mor_late_compaction": [UpdatesBeside("1 log file", 1, 0)],
        "mor_deleted": [],
        "mor_base_only": [],
        "history_upsert": [],
        "delta_vectors": [UpdatesBeside("its deletion vector", 0, 3)],
        "delta_plain": [],
    }.items(),
)
def test_what_is_beside_the_data_files_is_told(table: str, beside: list[UpdatesBeside]) -> None:
    assert [*newest(table).beside.values()] == beside


@pytest.mark.parametrize(("table", "updates", "deletes"), [("mor_updated", 1, 0), ("mor_deleted", 0, 1)])
def test_a_log_file_that_was_compacted_later_is_told(table: str, updates: int, deletes: int) -> None:
    [sync] = [one for one in TOLD if (one.table, one.stage, one.release) == (table, 1, OF_TIMES)]
    assert [*state_at(sync).beside.values()] == [UpdatesBeside("1 log file", updates, deletes)]


# The rows of every recorded source, read by hudi-rs and delta-rs, held against those that Spark showed.


@by_family([name for name in ASKED if name not in {*NOT_READ} | OUTSIDE | MERGED], str)
def test_the_rows_are_those_that_spark_shows(cases: list[str]) -> None:
    assert not {table: faults for table in cases if (faults := unlike_sparks(table))}


def unlike_sparks(table: str) -> list[object]:
    """The columns, the numbers of rows, or the names of columns in which the two differ."""
    ours = rows(table)
    theirs = pq.read_table(recorded_sources() / f"{table}.rows.parquet", coerce_int96_timestamp_unit="us")
    own = {"p"} if table in OF_PATHS else set()
    names = [name for name in theirs.column_names if not name.startswith("_hoodie") and name not in own]
    if {*names} != {name for name in ours.column_names if not name.startswith("_hoodie")} - own:
        return [names]
    columns = {name: numbered(ours[name], theirs[name]) for name in names}
    found = compare(columns, [KEY] if KEY in columns else names)
    values = [
        name for name, (left, right) in columns.items() if (left[found.unlike[0]] != right[found.unlike[1]]).any()
    ]
    return [*values, *filter(None, (len(found.missing), len(found.foreign), len(found.surplus)))]


@pytest.mark.parametrize(("table", "words"), NOT_READ.items())
def test_what_a_library_refuses_is_not_guessed(table: str, words: str) -> None:
    with pytest.raises(Undetermined, match=f"hudi-rs cannot read them: .*{words}"):
        rows(table)


@pytest.mark.parametrize("table", sorted(OUTSIDE))
def test_files_outside_the_tables_folder_are_not_read(table: str) -> None:
    with pytest.raises(Undetermined, match="names files outside its folder"):
        rows(table)


MAPPED = {f"edge_delta_{name}" for name in ("blank_names", "column_back", "dropped_and_added", "two_dropped")}

AS_A_WHOLE = {"delta_vectors", "delta_mapped"} | MAPPED
"""With deletion vectors, and with column mapping."""

OTHER = {"edge_delta_many_files", "edge_delta_many_parts", "edge_delta_no_rows"}
"""Of a thousand files, of a hundred, and of none."""


@by_family([name for name in ASKED if name not in {*NOT_READ} | OUTSIDE | AS_A_WHOLE | OTHER], str)
def test_the_rows_of_each_file_alone_are_those_of_all(cases: list[str]) -> None:
    for table in cases:
        folder, state, whole = TableFolder.at(str(recorded_sources() / table)), newest(table), rows(table)
        parts = pa.concat_tables(
            [read_rows(folder, state, only=[uri]) for uri in state.files], promote_options="permissive"
        )
        assert {*parts.column_names} == {*whole.column_names}, table
        found = compare({name: numbered(parts[name], whole[name]) for name in whole.column_names}, whole.column_names)
        assert (parts.num_rows, len(found.missing), len(found.foreign)) == (whole.num_rows, 0, 0), table


@pytest.mark.parametrize("table", sorted(AS_A_WHOLE))
def test_what_delta_rs_reads_as_a_whole_alone_is_not_read_in_part(table: str) -> None:
    state = newest(table)
    with pytest.raises(NotCompared, match="delta-rs reads such a table as a whole alone"):
        read_rows(TableFolder.at(str(recorded_sources() / table)), state, only=[*state.files][:1])
