"""A table that somebody else wrote: its metadata and values are judged by the same claims, its source is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit import mutate
from tests.audit.conftest import DraftOf, TableOf
from tests.audit.tables import HEALTHY
from xtable_audit.claims import CLAIMS
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case

OF_A_SOURCE = {
    *("no_file_is_missing", "no_file_is_stale", "spec_is_the_configured_one"),
    *("files_do_not_overlap", "every_file_holds_one_value_of_its_own"),
    *("no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source"),
}
OF_A_HISTORY = {id for id, claim in CLAIMS.items() if claim.family == "history"}


def theirs(case: Case) -> Case:
    """The table as it looks to somebody who has nothing but its metadata and its files."""
    return replace(case, source=UNKNOWN_SOURCE, history=(), rows=None)


@pytest.mark.parametrize("id", HEALTHY)
def test_claims_about_its_source_and_history_do_not_apply(table_of: TableOf, id: str) -> None:
    case = theirs(table_of(id).case)
    applying = {id for id, claim in CLAIMS.items() if claim.lacks(case) is None}
    assert applying & (OF_A_SOURCE | OF_A_HISTORY) == set()
    assert applying >= {
        "bounds_contain_values",
        "record_counts_are_exact",
        "every_file_exists",
        "tuples_equal_every_row",
    }


@pytest.mark.parametrize("id", HEALTHY)
def test_a_healthy_one_holds_every_claim_that_applies(table_of: TableOf, id: str) -> None:
    case = theirs(table_of(id).case)
    assert {id for id, claim in CLAIMS.items() if claim.lacks(case) is None and claim.deviations(case)} == set()


def test_a_false_bound_is_found_as_on_any_table(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    mutate.raise_lower(draft, 1, "int")
    case = theirs(draft.case())
    found = {id: claim.breaks for id, claim in CLAIMS.items() if claim.lacks(case) is None and claim.deviations(case)}
    assert found == {"bounds_contain_values": Verdict.UNSOUND}
