"""Delete files in Parquet, Avro and ORC are applied, or their data files are set aside by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tables import deletes, typed
from tests.tables.draft import Draft
from tests.tables.typed import ROWS
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, TableOf, broken
from tests.xtable_audit.formats.iceberg.test_set_aside import relabel
from xtable_audit.claims.needs import EARLIER_ROWS, NO_DELETES
from xtable_audit.claims.readers import planning, reading
from xtable_audit.claims.translation.history import rows_are_as_many_after_a_sync
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.predicate import Compare
from xtable_audit.planning.selection import Selection, judge_selections
from xtable_audit.scan import live_files
from xtable_audit.subject.case import Case
from xtable_audit.subject.table_rows import read_rows
from xtable_audit.table.deletions import POSITION, DeleteFile, apply

FORMATS = ("PARQUET", "AVRO", "ORC")
PLACE = 1
EVERY = Compare("long", ">", -(10**18))


def live(draft: Draft, case: Case) -> list[int]:
    """The values of `long` in the live rows of the file at PLACE that are not null."""
    rows = read_rows(draft.mirror.objects, case.stored, live_files(draft.mirror.objects, case.stored)).values
    return sorted(row["long"] for row in rows.to_pylist() if row["region"] == "north" and row["long"] is not None)


def selected(draft: Draft, case: Case) -> Selection:
    [found] = judge_selections(draft.mirror.objects, case, [EVERY])
    return found


VALUES = sorted(typed.rows(PLACE)["long"])
"""Of `long`, in the file at PLACE."""


@pytest.mark.parametrize("kind", FORMATS)
def test_position_deletes_are_applied(draft_of: DraftOf, kind: str) -> None:
    draft = draft_of("typed")
    before = selected(draft, draft.table.case).rows_returned
    deletes.delete_rows(draft, PLACE, kind, [1, 3])
    case = draft.case()
    assert (len(live(draft, case)), selected(draft, case).rows_returned) == (len(VALUES) - 2, before - 2)
    assert case.stored.set_aside == ()


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_avro_deletes_are_read_in_each_codec(draft_of: DraftOf, codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletes, "WRITERS", {"AVRO": lambda table, file: deletes.write_avro(table, file, codec)})
    draft = draft_of("typed")
    deletes.delete_rows(draft, PLACE, "AVRO", [1])
    assert len(live(draft, draft.case())) == len(VALUES) - 1


@pytest.mark.parametrize("kind", FORMATS)
def test_deletes_break_no_claim(draft_of: DraftOf, kind: str) -> None:
    draft = draft_of("typed")
    deletes.delete_rows(draft, PLACE, kind, [1, 3])
    assert broken(draft) == set()


@pytest.mark.parametrize("kind", FORMATS)
def test_a_delete_file_that_is_not_of_its_format_is_malformed(draft_of: DraftOf, kind: str) -> None:
    draft = draft_of("typed")
    file = draft.mirror.file(deletes.delete_rows(draft, PLACE, kind, [1]))
    Path(file).write_bytes(b"nothing of the kind")
    case = draft.case()
    with pytest.raises(Malformed, match=f"deletes-1.{kind.lower()}"):
        live_files(draft.mirror.objects, case.stored)


def test_parquet_deletes_by_value_are_applied(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    deletes.delete_values(draft, PLACE, "PARQUET", "long", VALUES[:2])
    assert live(draft, draft.case()) == VALUES[2:]


@pytest.fixture(params=["AVRO", "ORC"])
def aside(request: pytest.FixtureRequest, draft_of: DraftOf) -> Draft:
    """The file at PLACE has deletes by value, in a format that the judge does not read them in."""
    draft = draft_of("typed")
    deletes.delete_values(draft, PLACE, request.param, "long", VALUES[:2])
    return draft


def test_a_file_with_deletes_that_are_not_read_is_set_aside_by_name(aside: Draft) -> None:
    [found] = aside.case().stored.set_aside
    assert (found.path, found.column) == (aside.path(PLACE), None)
    assert found.reason.startswith("has deletes in deletes-2.")


def test_its_rows_are_not_counted(aside: Draft) -> None:
    found = selected(aside, aside.case())
    assert found.matching == {aside.path(0), aside.path(2)}
    assert aside.path(PLACE) in found.planned


def test_it_breaks_no_claim(aside: Draft) -> None:
    assert broken(aside) == set()


def test_its_bounds_are_judged_all_the_same(aside: Draft) -> None:
    """Bounds and counts include deleted rows."""
    mutate.raise_lower(aside, PLACE, "int")
    assert "bounds_contain_values" in broken(aside)


def reading_of(draft: Draft, case: Case) -> reading.TableReading:
    """A reader that returns the table's rows as they are."""
    one = reading.Asked(EVERY, selected(draft, case), "1", 3 * ROWS, None, None, None, None, None)
    return reading.TableReading("r", case.stored, (one,), lambda: (), lambda: reading.Reread("", 3 * ROWS, None))


def planned_of(draft: Draft, case: Case) -> planning.Planned:
    return planning.Planned(case.stored, [EVERY], [selected(draft, case)], Sequence)


OF_WHOLE_TABLES = (
    planning.only_matching_files_are_planned,
    planning.planning_equals_native,
    planning.negative_control_matches_every_file,
)


@pytest.mark.parametrize("claim", OF_WHOLE_TABLES, ids=lambda claim: claim.id)
def test_claims_on_all_matching_files_name_the_file_that_is_set_aside(
    aside: Draft, claim: planning.PlanningClaim
) -> None:
    planned = planned_of(aside, aside.case())
    lacking = claim.lacks(planned)
    assert lacking is not None
    assert (aside.path(PLACE) in lacking.why(planned), lacking.of_run) == (True, False)


@pytest.mark.parametrize("claim", OF_WHOLE_TABLES, ids=lambda claim: claim.id)
def test_claims_on_all_matching_files_apply_if_none_is_set_aside(
    draft_of: DraftOf, claim: planning.PlanningClaim
) -> None:
    draft = draft_of("typed")
    assert claim.lacks(planned_of(draft, draft.table.case)) is None


def test_a_readers_rows_are_not_compared_with_those_of_fewer_files(aside: Draft) -> None:
    read = reading_of(aside, aside.case())
    lacking = reading.rows_are_those_of_the_files.lacks(read)
    assert lacking is not None
    assert aside.path(PLACE) in lacking.why(read)


def test_a_file_of_another_format_is_named_alike(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    relabel(draft, PLACE, "ORC")
    read = reading_of(draft, draft.case())
    lacking = reading.rows_are_those_of_the_files.lacks(read)
    assert lacking is not None
    assert lacking.why(read) == f"{draft.path(PLACE)}: files of format ORC are not read"


def test_a_readers_rows_are_compared_if_every_delete_is_read(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    deletes.delete_rows(draft, PLACE, "ORC", [1])
    read = reading_of(draft, draft.case())
    assert reading.rows_are_those_of_the_files.lacks(read) is None
    assert len(reading.rows_are_those_of_the_files.deviations(read)) == 1


def test_the_newest_metadata_is_not_judged_by_counts_that_include_deleted_rows(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    healthy = draft.table.case
    deletes.delete_rows(draft, PLACE, "ORC", [1])
    assert NO_DELETES in reading.newest_metadata_is_read.needs
    assert [bool(NO_DELETES.count(reading_of(draft, case))) for case in (healthy, draft.case())] == [True, False]


def test_states_with_deletes_are_nothing_to_count_rows_of(table_of: TableOf) -> None:
    """File counts do not give the number of live rows there."""
    case = table_of("history").case
    delete = DeleteFile("deletes", POSITION, "PARQUET", 1, (0, ()))
    deleted = apply([delete], [("a file", 1, delete.partition)], frozenset())
    states = [replace(one, stored=one.stored and replace(one.stored, deletions=deleted)) for one in case.history]
    lacking = [rows_are_as_many_after_a_sync.lacks(one) for one in (case, replace(case, history=tuple(states)))]
    assert lacking == [None, EARLIER_ROWS]
