"""The recorded answers of Hudi's own reader are of the tables, releases and questions that are there today."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lab.provision.hudi.digest import digest_of
from lab.provision.hudi.kept import kept
from lab.provision.hudi.recorded import recorded
from lab.provision.plan import Plan
from lab.stack.cache import Cache
from lab.subjects.hudi_tables import HudiSpec, hudi_specs
from tests.of_each import of_each
from xtable_audit.formats.hudi.claims import layers
from xtable_audit.formats.hudi.claims.deviation import HudiClaim


@of_each("spec", hudi_specs(), ids=lambda spec: str(spec.id))
def test_the_recording_is_of_todays_table_and_questions(spec: HudiSpec) -> None:
    """Else `python -m lab.recording --hudi` has to make it anew."""
    found = kept(recorded(str(spec.id), spec.release, Cache()), "recorded")
    assert found.subject == digest_of(spec, Plan().shipping)


@pytest.mark.parametrize(
    ("claim", "spoilt"),
    [
        (layers.partition_statistics_leave_the_partitions_that_could_match, {"partitions": ("state=CA", "state=NY")}),
        (layers.column_statistics_leave_the_files_that_could_match, {"after_column_statistics": 2}),
    ],
    ids=["a partition too many", "a file too many"],
)
def test_a_layer_of_the_published_table_that_leaves_too_much_is_reported(
    claim: HudiClaim, spoilt: dict[str, Any]
) -> None:
    """Its index is not read, and its layers are held to its values all the same."""
    case = kept(recorded("ship_sorted-hudi1.2.0", "1.2.0", Cache()), "recorded").case
    trials = tuple(replace(trial, **spoilt) if trial.mode == "on" else trial for trial in case.trials)
    assert (claim.deviations(case), len(claim.deviations(replace(case, trials=trials)))) == ([], 1)
