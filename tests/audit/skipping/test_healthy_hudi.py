"""A healthy table raises nothing: what the mutations are held against."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit.skipping import healthy
from xtable_audit.formats.hudi.claims import CLAIMS, coverage
from xtable_audit.formats.hudi.claims.deviation import HudiClaim
from xtable_audit.formats.hudi.index import INDEX


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS.keys())
def test_untouched_table_holds(claim: HudiClaim) -> None:
    assert claim.deviations(healthy.case()) == []


@pytest.mark.parametrize(("beside", "judged"), [(set(), True), ({"state=NY/.a_20261121.log.1_0-0-0"}, False)])
def test_column_statistics_are_not_judged_where_updates_lie_in_logs(beside: set[str], judged: bool) -> None:
    """A base file's rows and those that are shown are then two things."""
    without = replace(healthy.case().newest, beside=frozenset(beside), index=INDEX.empty_table())
    found = coverage.every_live_file_has_its_column_statistics.deviations(replace(healthy.case(), stages=(without,)))
    assert bool(found) == judged
