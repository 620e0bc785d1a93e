"""Which deletes apply to which files and rows, and when `xtable-audit check` judges them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import fs

from tests.tables.draft import Draft, Fault
from tests.tables.healthy_deletes import COUNTED, DELETED, VECTORS
from tests.xtable_audit.claims import faults_beside, faults_of_version_3
from tests.xtable_audit.conftest import DraftOf
from tests.xtable_audit.values.test_pages import LARGE, ROWS, claiming
from xtable_audit.check.cost import ReadCost
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.formats.iceberg.deletes import by_path, position_rows
from xtable_audit.locate.locate import Located
from xtable_audit.model.limits import MIB
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.scan_input import Deletes, WantedColumn
from xtable_audit.report.document import Document
from xtable_audit.table.deletions import EQUALITY, POSITION, PUFFIN, DeleteFile, Tuple, apply
from xtable_audit.values import deleted_rows
from xtable_audit.values.deleted_rows import joined, live_rows
from xtable_audit.values.value_codes import combined, numbered

UNPARTITIONED = frozenset({1})
PATHS = ["a", "b", "c", "d"]
PARTITIONS: list[Tuple] = [(0, ("1",)), (0, ("2",)), (1, ()), (2, ("1",))]
REPEATED = 4096
PAGES: dict[str, Any] = {"use_dictionary": False, "data_page_size": LARGE, "max_rows_per_page": ROWS}
sequences = st.integers(1, 4)
data_files = st.dictionaries(st.sampled_from(PATHS), st.tuples(sequences, st.sampled_from(PARTITIONS)))
delete_files = st.lists(
    st.builds(
        DeleteFile,
        st.text("xyz", min_size=1, max_size=3),
        st.sampled_from([POSITION, EQUALITY]),
        st.sampled_from(["PARQUET", PUFFIN, "ORC"]),
        sequences,
        st.sampled_from(PARTITIONS),
        referenced=st.sampled_from([None, *PATHS, "gone"]),
    ),
    max_size=8,
)
WHOLE = Options("orders")
OF = {DELETED: "delete_counts_are_exact", VECTORS: "vectors_hold_older_deletes", COUNTED: "statistics_can_be_read"}


@dataclass
class Silent:
    """Goes on, and keeps what was known before."""

    first: list[Document] = field(default_factory=list)

    def judged_metadata(self, document: Document) -> None:
        self.first.append(document)

    def go_on(self, cost: ReadCost) -> bool:
        return True

    def progress(self, cost: ReadCost) -> Callable[[int, int], None]:
        return lambda files, size: None


def checked(draft: Draft, options: Options) -> tuple[dict[str, Outcome], dict[str, Outcome]]:
    """The outcome of each claim by metadata, and in the end."""
    watch = Silent()
    document = check(Located("orders", draft.table.metadata_location, draft.mirror.objects), options, watch)
    told = (watch.first[0], document)
    before, after = ({one.claim: one.outcome for one in each.claims} for each in told)
    return before, after


# Which deletes apply to which files and rows: found without comparing each with each, and the same as if so found.


@given(data_files, delete_files)
def test_deletes_apply_by_the_rule(data: dict[str, tuple[int, Tuple]], deletes: list[DeleteFile]) -> None:
    found = apply(deletes, [(path, *those) for path, those in data.items()], UNPARTITIONED)
    ruled = {path: sorted(map(id, those)) for path in data if (those := applying(deletes, path, *data[path]))}
    assert {path: sorted(map(id, those)) for path, those in found.applied.items()} == ruled
    assert [path in found.applied for path in (*data, "gone")] == [path in ruled for path in (*data, "gone")]
    assert (len(found.applied), bool(found.applied)) == (len(ruled), bool(ruled))
    assert sorted(map(id, found.applied.each())) == sorted({one for those in ruled.values() for one in those})
    for path in data:
        assert found.applied.all_known(path) == all(one.is_known for one in applying(deletes, path, *data[path]))
    for one in deletes:
        assert sorted(found.applied.to(one)) == sorted(path for path in ruled if id(one) in ruled[path])


def applying(deletes: Sequence[DeleteFile], path: str, sequence: int, partition: Tuple) -> list[DeleteFile]:
    """Iceberg spec, Scan Planning: each delete file is compared with each data file."""
    by_position = [
        one for one in deletes if one.content == POSITION and sequence <= one.sequence and one.partition == partition
    ]
    by_vector = [one for one in by_position if one.is_vector and one.referenced == path]
    by_value = [
        one
        for one in deletes
        if one.content == EQUALITY
        and sequence < one.sequence
        and (one.partition == partition or one.partition[0] in UNPARTITIONED)
    ]
    others = [one for one in by_position if not one.is_vector and one.referenced in (None, path)]
    return (by_vector or others) + by_value


@given(st.lists(st.tuples(st.sampled_from([*PATHS, "é", ""]), st.integers(0, 9))))
def test_positions_are_those_of_their_paths(rows: list[tuple[str, int]]) -> None:
    paths, positions = pa.array([path for path, _ in rows], pa.string()), np.array([at for _, at in rows], np.int64)
    found = by_path(paths.dictionary_encode(), positions)
    assert [*found] == pc.unique(paths).to_pylist()
    assert {path: mine.tolist() for path, mine in found.items()} == {
        path: positions[np.asarray(pc.equal(paths, path))].tolist() for path in found
    }


def test_a_path_that_is_repeated_is_held_once(tmp_path: Path) -> None:
    """A megabyte, four thousand times, in a file of some kibibytes: 4 GiB if each row had its own."""
    file = tmp_path / "deletes.parquet"
    once = pa.DictionaryArray.from_arrays(np.zeros(REPEATED, np.int32), pa.array(["x" * MIB]))
    deleted = pa.table({"file_path": once, "pos": np.arange(REPEATED)})
    pq.write_table(deleted, file, compression="zstd", store_schema=False, dictionary_pagesize_limit=1 << 30)
    assert file.stat().st_size < MIB
    delete = DeleteFile(str(file), POSITION, "PARQUET", 1, (0, ()))
    rows = position_rows(Objects(fs.LocalFileSystem()), delete)
    assert (rows.num_rows, len(rows["file_path"].unique())) == (REPEATED, 1)
    assert rows.nbytes < 2 * MIB


def test_a_page_of_a_delete_file_that_claims_too_much_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "deletes.parquet"
    pq.write_table(pa.table({"file_path": ["a"] * ROWS, "pos": np.arange(ROWS)}), file, **PAGES)
    claiming(file, "pos", (1 << 31) - 1)
    with pytest.raises(Malformed, match="a page of pos in row group 0 claims 2,147,483,647 bytes"):
        position_rows(Objects(fs.LocalFileSystem()), DeleteFile(str(file), POSITION, "PARQUET", 1, (0, ())))


ID, NAME = WantedColumn(1, "id", pa.int64()), WantedColumn(2, "name", pa.string())

values = st.tuples(st.none() | st.integers(0, 3), st.none() | st.sampled_from("xy"))


@pytest.mark.parametrize("few", [0, 100], ids=["rows numbered with all keys", "rows looked up"])
@given(
    st.lists(values, min_size=1, max_size=8),
    st.dictionaries(
        st.sampled_from([(ID,), (NAME,), (ID, NAME), (NAME, ID)]),
        st.lists(st.tuples(sequences, st.lists(values, max_size=3)), min_size=1, max_size=4),
    ),
    sequences,
    st.sets(st.integers(0, 7)),
)
def test_rows_are_live_that_no_delete_removes(
    few: int,
    rows: list[Any],
    deletes: dict[tuple[WantedColumn, ...], list[tuple[int, list[Any]]]],
    sequence: int,
    positions: set[int],
) -> None:
    """Each later delete by value is compared with the rows alone."""
    table = columns_of(rows)
    live = np.array([place not in positions for place in range(len(rows))])
    together = []
    for by, read in deletes.items():
        each = [(number, columns_of(keys).select([one.path for one in by])) for number, keys in read]
        together.append(joined(by, each))
        for number, keys in each:
            if number > sequence:
                mine, gone = combined([numbered(table[one.path], keys[one.path]) for one in by])
                live &= ~np.isin(mine, gone)
    places = np.array(sorted(place for place in positions if place < len(rows)), np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deleted_rows, "FEW", few)
        deleted = Deletes(places, together, sequence)
        found = live_rows(len(rows), 0, deleted, lambda column: table[column.path].combine_chunks())
    assert (np.ones(len(rows), bool) if found is None else found).tolist() == live.tolist()


def columns_of(rows: Sequence[Any]) -> pa.Table:
    ids, names = ([row[place] for row in rows] for place in (0, 1))
    return pa.table({"id": pa.array(ids, pa.int64()), "name": pa.array(names, pa.string())})


# `xtable-audit check` judges delete files and statistics when it reads values, and not before.


@pytest.mark.parametrize("table", OF)
def test_they_are_not_read_with_the_metadata(draft_of: DraftOf, table: str) -> None:
    before, after = checked(draft_of(table), WHOLE)
    assert (before.get(OF[table]), after[OF[table]]) == (None, Outcome.HELD)


@pytest.mark.parametrize("table", OF)
@pytest.mark.parametrize("options", [WHOLE, Options("orders", sample=1)], ids=["whole", "a sample"])
def test_healthy_tables_have_no_finding(draft_of: DraftOf, table: str, options: Options) -> None:
    _, after = checked(draft_of(table), options)
    assert {id for id, outcome in after.items() if outcome not in (Outcome.HELD, Outcome.NOT_APPLICABLE)} == set()


FAULTS = (*faults_beside.FAULTS, *faults_of_version_3.FAULTS, *faults_beside.STATISTICS_FAULTS)


@pytest.mark.parametrize("fault", [one for one in FAULTS if "missing" in one.id or "one too" in one.id], ids=str)
def test_a_fault_is_found(draft_of: DraftOf, fault: Fault) -> None:
    draft = draft_of(fault.table)
    fault.spoil(draft)
    _, after = checked(draft, WHOLE)
    assert {id for id, outcome in after.items() if outcome is Outcome.FINDING} == {*fault.breaks}


def test_a_table_without_them_has_nothing_that_waits(draft_of: DraftOf) -> None:
    before, _ = checked(draft_of("typed"), WHOLE)
    assert {before[id] for id in OF.values()} == {Outcome.NOT_APPLICABLE}
