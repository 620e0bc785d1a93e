"""The columns of the Iceberg table against those that the source's own engine shows."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.claims.deviation import FALSE, Deviation
from xtable_audit.claims.needs import SOURCE_COLUMNS
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.columns import HUDIS_OWN
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case


@claim("every column is one of the source's", needs=SOURCE_COLUMNS, spec=rules.DELETED_FIELDS, breaks=Verdict.STALE)
def no_column_is_left_over(case: Case) -> Iterator[Deviation]:
    """Readers show a column that the source has dropped, with its values in files that were written before.

    Names are compared without case, as Spark compares them. Fields inside lists and maps are not compared.
    """
    if case.source.columns is None:
        return
    known = {path.lower() for path in case.source.columns}
    every = tuple(range(case.stored.files.num_rows))
    for path in case.stored.native.struct_fields:
        parent = path.rpartition(".")[0].lower()
        if path.lower() not in known and (not parent or parent in known) and not path.startswith(HUDIS_OWN):
            saw = "a column that the source does not have"
            yield Deviation(every, saw, "no such column", path, kind=FALSE)
