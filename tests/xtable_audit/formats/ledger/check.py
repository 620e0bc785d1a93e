"""What is judged of a ledger: every claim of any format, and one of its own."""

from __future__ import annotations

from collections.abc import Iterator

from tests.xtable_audit.formats.ledger.format import LedgerTable
from xtable_audit.claims import claims_of
from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.check_support import CheckSupport
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case


def _total(case: Case) -> int | None:
    assert isinstance(case.stored.native, LedgerTable)
    return case.stored.native.total


@claim(
    "the ledger's rows are those of its files",
    needs=Need("a total of rows", lambda case: _total(case) is not None),
    spec='Ledger, Totals: "rows is the sum of the rows of all files"',
    breaks=Verdict.UNSOUND,
    of="ledger",
)
def totals_are_of_all_files(case: Case) -> Iterator[Deviation]:
    rows = sum(filter(None, case.stored.files["record_count"].to_pylist()))
    if _total(case) != rows:
        yield Deviation((), saw=f"rows {_total(case)}", expected=f"{rows}, of its files", whole=True)


SUPPORT = CheckSupport(claims_of("ledger"), sums=(totals_are_of_all_files,))
