"""Every claim is proven by mutation: one fault raises that claim's finding, and no other family's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit import (
    faults_of_bounds,
    faults_of_deletes,
    faults_of_files,
    faults_of_history,
    faults_of_layout,
    faults_of_manifests,
    faults_of_metadata_json,
    faults_of_partition,
    faults_of_row_lineage,
    faults_of_rows,
    faults_of_schema,
    faults_of_snapshots,
    faults_of_states,
    faults_of_statistics,
    faults_of_vectors,
)
from tests.audit.conftest import SpoiltOf
from tests.audit.fault import Fault
from tests.audit.faults_of_layout import Layout
from tests.audit.waiting import looking, waiting
from tests.of_each import of_each
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.deviation import TableClaim as Claim
from xtable_audit.claims.translation.files import no_file_is_missing
from xtable_audit.judge import build_finding
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.planning.selection import judge_selections
from xtable_audit.subject.case import Case, Part

FAULTS: tuple[Fault, ...] = (
    *faults_of_bounds.FAULTS,
    *faults_of_files.FAULTS,
    *faults_of_partition.FAULTS,
    *faults_of_rows.FAULTS,
    *faults_of_schema.FAULTS,
    *faults_of_history.FAULTS,
    *faults_of_manifests.FAULTS,
    *faults_of_snapshots.FAULTS,
    *faults_of_metadata_json.FAULTS,
    *faults_of_states.FAULTS,
    *faults_of_deletes.FAULTS,
    *faults_of_vectors.FAULTS,
    *faults_of_row_lineage.FAULTS,
    *faults_of_statistics.FAULTS,
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
    spoilt: list[Fault | Layout] = [*FAULTS, *faults_of_layout.FAULTS]
    assert any(id in fault.breaks for fault in spoilt)
