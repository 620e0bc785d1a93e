"""Every claim is proven by mutation: a fault raises that claim's finding and no other family's; no fault, none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.of_each import of_each
from tests.tables import deletes
from tests.tables.draft import HEALTHY, NEGATIVE, Fault
from tests.tables.healthy_deletes import VECTORS
from tests.xtable_audit.claims import (
    faults_beside,
    faults_of_bounds,
    faults_of_files,
    faults_of_history,
    faults_of_manifests,
    faults_of_metadata_json,
    faults_of_partition,
    faults_of_rows,
    faults_of_snapshots,
    faults_of_states,
    faults_of_version_3,
)
from tests.xtable_audit.claims.faults_of_metadata_json import change_column
from tests.xtable_audit.claims.faults_of_rows import Layout
from tests.xtable_audit.claims.needs_of_claims import looking, waiting
from tests.xtable_audit.conftest import DraftOf, SpoiltOf, TableOf
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.claims.deviation import TableClaim as Claim
from xtable_audit.claims.translation.files import no_file_is_missing
from xtable_audit.formats.iceberg.claims import row_lineage
from xtable_audit.formats.iceberg.claims.schema import required_columns_have_no_nulls
from xtable_audit.formats.iceberg.claims.states import required_columns_have_no_nulls_after_a_sync
from xtable_audit.judge import build_finding
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.planning.selection import judge_selections
from xtable_audit.subject.case import Case, Part

FAULTS: tuple[Fault, ...] = (
    *faults_of_bounds.FAULTS,
    *faults_of_files.FAULTS,
    *faults_of_partition.FAULTS,
    *faults_of_rows.FAULTS,
    *faults_of_metadata_json.SCHEMA_FAULTS,
    *faults_of_history.FAULTS,
    *faults_of_manifests.FAULTS,
    *faults_of_snapshots.FAULTS,
    *faults_of_metadata_json.FAULTS,
    *faults_of_states.FAULTS,
    *faults_beside.FAULTS,
    *faults_of_version_3.FAULTS,
    *faults_of_version_3.ROW_ID_FAULTS,
    *faults_beside.STATISTICS_FAULTS,
)


@of_each("fault", [fault for fault in FAULTS if "file dropped" in fault.id])
def test_a_dropped_file_is_reported_as_one_the_metadata_does_not_list(spoilt_of: SpoiltOf, fault: Fault) -> None:
    """What is not in the evidence has no rows to count there: its impact is the file itself."""
    _, case = spoilt_of(fault)
    missing = _finding(no_file_is_missing, no_file_is_missing.deviations(case), case)
    assert (missing.impact.unlisted, "every row of 1 file" in str(missing.impact)) == (1, True)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_raises_its_claims_and_no_others(spoilt_of: SpoiltOf, fault: Fault) -> None:
    _, case = spoilt_of(fault)
    found = {id: deviations for id, claim in CLAIMS.items() if (deviations := claim.deviations(case))}
    findings = {id: _finding(CLAIMS[id], deviations, case) for id, deviations in found.items()}

    assert [id for id in found if CLAIMS[id].lacks(case)] == []
    assert {id: finding.verdict for id, finding in findings.items()} == fault.breaks
    assert {place for deviations in found.values() for d in deviations for place in d.places} == set(fault.places)
    for id, finding in findings.items():
        touched = {place for d in found[id] for place in d.places}
        assert fault.column in (None, finding.column)
        assert replace(finding.impact, unlisted=0, wrong=0) == case.impact(touched)
        assert touched <= set(fault.places)


def _finding(claim: Claim, deviations: list[Deviation], case: Case) -> Finding:
    return build_finding(claim, case, deviations, (Blame.XTABLE, "it was spoilt"))


@pytest.mark.parametrize("table", sorted({fault.table for fault in FAULTS}))
def test_of_spoilt_metadata_the_claims_that_wait_are_those_that_look(spoilt_of: SpoiltOf, table: str) -> None:
    for fault in (one for one in FAULTS if one.table == table):
        _, case = spoilt_of(fault)
        bare = replace(case, history=(), rows=None, source=replace(case.source, shown=None))
        assert waiting(bare, Part.VALUES) == looking(bare, Part.VALUES), fault


@of_each("fault", [fault for fault in FAULTS if fault.loses])
def test_unsound_fault_makes_a_reader_lose_rows(spoilt_of: SpoiltOf, fault: Fault) -> None:
    """Of the healthy table every matching file is planned; of the spoilt one, not."""
    draft, case = spoilt_of(fault)
    assert fault.loses is not None
    predicate = fault.loses(draft)
    [healthy] = judge_selections(draft.table.mirror.objects, draft.table.case, [predicate])
    [spoilt] = judge_selections(draft.mirror.objects, case, [predicate])

    assert healthy.matching <= healthy.planned
    assert spoilt.matching == healthy.matching
    assert spoilt.matching - spoilt.planned == {draft.path(place) for place in fault.places} & healthy.matching != set()


@of_each("id", CLAIMS)
def test_every_claim_is_broken_by_some_fault(id: str) -> None:
    """A new claim must come with its mutation."""
    spoilt: list[Fault | Layout] = [*FAULTS, *faults_of_rows.LAYOUTS]
    assert any(id in fault.breaks for fault in spoilt)


OF_HELD_IDS = (row_lineage.held_row_ids_are_assigned, row_lineage.rows_are_no_newer_than_their_file)


# Untouched tables raise nothing: what the mutations are held against.


@of_each("claim", CLAIMS.values(), ids=CLAIMS)
def test_untouched_tables_hold(table_of: TableOf, claim: Claim) -> None:
    assert not {id: found for id in HEALTHY if (found := claim.deviations(table_of(id).case))}


REQUIRED = (required_columns_have_no_nulls, required_columns_have_no_nulls_after_a_sync)
"""No column of a healthy table is required."""


@of_each("claim", [c for c in CLAIMS.values() if c not in REQUIRED], ids=lambda c: c.id)
def test_every_claim_applies_to_some_healthy_table(table_of: TableOf, claim: Claim) -> None:
    """Else no healthy table would show that it holds."""
    assert [id for id in HEALTHY if claim.lacks(table_of(id).case) is None] != []


def test_a_required_column_without_nulls_holds(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    change_column(draft, "int", required=True)
    claim, case = required_columns_have_no_nulls, draft.case()
    assert (claim.lacks(case), claim.deviations(case)) == (None, [])


@of_each("claim", [c for c in CLAIMS.values() if c.family != "layout"], ids=lambda c: c.id)
def test_badly_laid_out_tables_hold_all_but_their_layout(table_of: TableOf, claim: Claim) -> None:
    assert not {id: found for id in NEGATIVE if (found := claim.deviations(table_of(id).case))}


@pytest.mark.parametrize("claim", [c for c in CLAIMS.values() if c.family == "layout"], ids=lambda c: c.id)
@pytest.mark.parametrize("id", NEGATIVE)
def test_badly_laid_out_table_breaks_its_layout_in_every_file(table_of: TableOf, id: str, claim: Claim) -> None:
    case = table_of(id).case
    touched = {place for deviation in claim.deviations(case) for place in deviation.places}
    assert touched == set(range(len(case.stored.paths)))


# Row ids and last updates that a data file holds: true ones break no claim.


@pytest.mark.parametrize("claim", OF_HELD_IDS, ids=lambda claim: claim.id)
def test_true_ones_break_no_claim(draft_of: DraftOf, claim: TableClaim) -> None:
    draft = draft_of(VECTORS)
    deletes.hold_lineage(draft, lambda row, end: end - 1 - row, updated=1)
    case = draft.case()
    assert (claim.lacks(case), list(claim.check(case))) == (None, [])


@pytest.mark.parametrize("claim", OF_HELD_IDS, ids=lambda claim: claim.id)
def test_a_table_without_them_has_nothing_to_compare(draft_of: DraftOf, claim: TableClaim) -> None:
    assert claim.lacks(draft_of("typed").case()) is not None
