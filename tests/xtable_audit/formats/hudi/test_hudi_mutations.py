"""Every claim about Hudi's own skipping is proven by mutation: a fault raises its finding alone, no fault none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import pytest

from tests.of_each import of_each
from tests.xtable_audit.formats.hudi import faults_of_answers, faults_of_indexes, healthy
from tests.xtable_audit.formats.hudi.fault import DROPPED, HudiFault
from xtable_audit.formats.hudi.claims import CLAIMS, coverage
from xtable_audit.formats.hudi.claims.deviation import HudiClaim, HudiDeviation, build_finding
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, INDEX
from xtable_audit.formats.hudi.indexed_table import FILE, HudiCase
from xtable_audit.model.finding import Finding

FAULTS: tuple[HudiFault, ...] = (*faults_of_indexes.FAULTS, *faults_of_answers.FAULTS)
HEALTHY = healthy.case()


@dataclass(frozen=True)
class Seen:
    """What the judge makes of the table with one fault."""

    case: HudiCase
    deviations: dict[str, list[HudiDeviation]]
    findings: dict[str, Finding]


@cache
def seen(fault: HudiFault) -> Seen:
    case = fault.spoil(HEALTHY)
    broken = {id: deviations for id, claim in CLAIMS.items() if (deviations := claim.deviations(case))}
    assert not [id for id in broken if CLAIMS[id].lacks(case)], "a claim breaks that has nothing to compare"
    return Seen(case, broken, {id: _finding(id, case, deviations) for id, deviations in broken.items()})


def _finding(id: str, case: HudiCase, deviations: list[HudiDeviation]) -> Finding:
    whose = CLAIMS[id].blame
    assert whose is not None
    return build_finding(CLAIMS[id], case, deviations, whose)


# A healthy table raises nothing: what the mutations are held against.


@of_each("claim", CLAIMS.values(), ids=CLAIMS)
def test_untouched_table_holds(claim: HudiClaim) -> None:
    assert claim.deviations(healthy.case()) == []


@pytest.mark.parametrize(("beside", "judged"), [(set(), True), ({"state=NY/.a_20261121.log.1_0-0-0"}, False)])
def test_column_statistics_are_not_judged_where_updates_lie_in_logs(beside: set[str], judged: bool) -> None:
    """A base file's rows and those that are shown are then two things."""
    without = replace(healthy.case().newest, beside=frozenset(beside), index=INDEX.empty_table())
    found = coverage.every_live_file_has_its_column_statistics.deviations(replace(healthy.case(), stages=(without,)))
    assert bool(found) == judged


# Every claim about Hudi's own skipping is proven by mutation: one fault raises its finding, and no other's.


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_raises_its_claims_and_no_others(fault: HudiFault) -> None:
    found = seen(fault).findings
    assert {id: finding.verdict for id, finding in found.items()} == fault.breaks
    assert all(fault.column in (None, finding.column) for finding in found.values())


@of_each("fault", [fault for fault in FAULTS if fault.files])
def test_finding_counts_the_files_and_the_rows_it_touches(fault: HudiFault) -> None:
    spoilt = seen(fault)
    touched = [deviation for several in spoilt.deviations.values() for deviation in several]
    [stage] = {spoilt.case.stages[deviation.stage] for deviation in touched}
    live = stage.live(COLUMN_STATISTICS)
    assert {live[place] for deviation in touched for place in deviation.places} == fault.files
    rows = sum(file in fault.files for file in stage.values[FILE].to_pylist())
    worst_impact = max((one.impact.files, one.impact.rows) for one in spoilt.findings.values())
    assert worst_impact == (len(fault.files), rows)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.loses], ids=str)
def test_lost_rows_are_reported_by_a_query(fault: HudiFault) -> None:
    assert fault.loses is not None
    finding = seen(fault).findings["no_row_is_lost_by_skipping"]
    assert (finding.example, finding.impact.lost) == fault.loses
    assert finding.impact.tried == len(healthy.DRAWN)


@of_each("id", CLAIMS)
def test_every_claim_is_broken_by_some_fault(id: str) -> None:
    """A new claim must come with its mutation."""
    assert any(id in fault.breaks for fault in FAULTS)


@of_each("id", CLAIMS)
def test_every_claim_is_held_against_something(id: str) -> None:
    assert CLAIMS[id].lacks(HEALTHY) is None


@of_each("id", CLAIMS)
def test_without_answers_or_indexes_no_claim_applies(id: str) -> None:
    bare = replace(HEALTHY, stages=(HEALTHY.stages[DROPPED],), trials=())
    assert CLAIMS[id].lacks(bare) is not None
