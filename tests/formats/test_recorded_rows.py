"""The rows of every recorded source, read by hudi-rs and delta-rs, held against those that Spark showed."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.families import by_family
from tests.formats.recorded import newest
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.rows import read_rows
from xtable_audit.formats.source import NotCompared, Undetermined
from xtable_audit.values.multiset import compare
from xtable_audit.values.value_codes import numbered

pytestmark = pytest.mark.slow  # reads every recorded table
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


def rows(table: str) -> pa.Table:
    return read_rows(TableFolder.at(str(recorded_sources() / table)), newest(table))


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
OTHER = {"edge_delta_many_files", "edge_delta_no_rows"}
"""Of a thousand files, and of none."""


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
