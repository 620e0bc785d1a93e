"""Columns that a data file does not hold: added later, or kept in the partition tuple alone, as Delta does."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from tests.audit.conftest import DraftOf, TableOf
from tests.audit.draft import Draft
from tests.audit.healthy_history import LATER
from tests.audit.typed import PARTITION, REGIONS, ROWS
from xtable_audit.claims import CLAIMS
from xtable_audit.model.predicate import Compare
from xtable_audit.planning.selection import judge_selections
from xtable_audit.subject.table_rows import read_rows


def without_its_partition_column(draft: Draft) -> Draft:
    """Every data file without the column, no bound or count of it, and no place in the file that was."""
    for place in range(len(REGIONS)):
        file = draft.mirror.file(draft.path(place))
        pq.write_table(pq.read_table(file).drop_columns([PARTITION]), file)
        for name in ("lower_bounds", "upper_bounds", "value_counts", "null_value_counts"):
            draft.put(place, name, PARTITION, None)
        draft.change_file(place, lambda file: file.update(split_offsets=None))
    draft.values_changed = True
    return draft


@pytest.fixture
def delta_like(draft_of: DraftOf) -> Draft:
    return without_its_partition_column(draft_of("typed"))


def test_partition_column_that_files_lack_is_no_fault(delta_like: Draft) -> None:
    case = delta_like.case()
    assert {id for id, claim in CLAIMS.items() if claim.deviations(case)} == {"sizes_are_exact"}


def test_partition_column_that_files_lack_has_the_tuples_value(delta_like: Draft) -> None:
    case = delta_like.case()
    assert case.actual.columns[PARTITION]["min"].to_pylist() == list(REGIONS)
    assert not any(case.actual.held[PARTITION].to_pylist())
    rows = read_rows(delta_like.mirror.objects, case.stored, case.stored.data_files).values
    assert rows[PARTITION].to_pylist() == [region for region in REGIONS for _ in range(ROWS)]


def test_partition_column_that_files_lack_is_found_by_a_predicate(delta_like: Draft) -> None:
    [found] = judge_selections(delta_like.mirror.objects, delta_like.case(), [Compare(PARTITION, "=", REGIONS[1])])
    assert found.counts == (3, 1, 1)


def test_column_that_was_added_later_is_null_in_older_files(table_of: TableOf) -> None:
    case = table_of("history").case
    assert case.actual.held[LATER].to_pylist() == [True, False, False]
    assert case.actual.columns[LATER]["null_count"].to_pylist() == [0, ROWS, ROWS]
