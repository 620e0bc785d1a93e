"""A known finding hides no other one of the same claim and table."""

from __future__ import annotations

from tests.run.conftest import Audit
from tests.run.spoilt import COLUMN, TABLE

SELECTED = ("-k", f"{TABLE}-xtable and bounds_contain_values and not after")


def test_the_finding_alone_is_known(audit: Audit) -> None:
    ran = audit(*SELECTED)
    assert (ran.status, set(ran.outcomes().values())) == (0, {"known"}), ran.text


def test_a_second_fault_in_another_column_is_new(audit_alone: Audit) -> None:
    ran = audit_alone("-p", "tests.run.spoilt", *SELECTED)
    [claim] = ran.document["claims"]
    assert (ran.status, claim["outcome"], claim["finding"]["registered"]) == (1, "finding", None), ran.text
    assert COLUMN in claim["finding"]["columns"]
