"""`xtable-audit check` judges delete files and statistics when it reads values, and not before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.audit import faults_of_deletes, faults_of_statistics, faults_of_vectors
from tests.audit.conftest import DraftOf
from tests.audit.draft import Draft
from tests.audit.fault import Fault
from tests.audit.healthy_deletes import COUNTED, DELETED, VECTORS
from xtable_audit.check.cost import ReadCost
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.locate.located import Located
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document


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


WHOLE = Options("orders")
OF = {DELETED: "delete_counts_are_exact", VECTORS: "vectors_hold_older_deletes", COUNTED: "statistics_can_be_read"}


@pytest.mark.parametrize("table", OF)
def test_they_are_not_read_with_the_metadata(draft_of: DraftOf, table: str) -> None:
    before, after = checked(draft_of(table), WHOLE)
    assert (before.get(OF[table]), after[OF[table]]) == (None, Outcome.HELD)


@pytest.mark.parametrize("table", OF)
@pytest.mark.parametrize("options", [WHOLE, Options("orders", sample=1)], ids=["whole", "a sample"])
def test_healthy_tables_have_no_finding(draft_of: DraftOf, table: str, options: Options) -> None:
    _, after = checked(draft_of(table), options)
    assert {id for id, outcome in after.items() if outcome not in (Outcome.HELD, Outcome.NOT_APPLICABLE)} == set()


FAULTS = (*faults_of_deletes.FAULTS, *faults_of_vectors.FAULTS, *faults_of_statistics.FAULTS)


@pytest.mark.parametrize("fault", [one for one in FAULTS if "missing" in one.id or "one too" in one.id], ids=str)
def test_a_fault_is_found(draft_of: DraftOf, fault: Fault) -> None:
    draft = draft_of(fault.table)
    fault.spoil(draft)
    _, after = checked(draft, WHOLE)
    assert {id for id, outcome in after.items() if outcome is Outcome.FINDING} == {*fault.breaks}


def test_a_table_without_them_has_nothing_that_waits(draft_of: DraftOf) -> None:
    before, _ = checked(draft_of("typed"), WHOLE)
    assert {before[id] for id in OF.values()} == {Outcome.NOT_APPLICABLE}
