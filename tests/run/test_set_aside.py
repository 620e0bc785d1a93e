"""What a table's claims do not judge is reported once, whichever tests check the table."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from fixtures.expect import Expectation
from fixtures.results import ReportedFacts
from fixtures.session import AuditSession
from tests.run.tables import table_with
from xtable_audit.model.set_aside import SetAside
from xtable_audit.report.document import SetAsideRow

ASIDE = (SetAside("values of type variant are not judged", column="v"), SetAside("not read", path="s3://b/1.orc"))


def reported(case: object, tests: int) -> list[SetAsideRow]:
    table = table_with("t-xtable", cast("Any", case), "")
    results = ReportedFacts()
    for _ in range(tests):
        item = SimpleNamespace(user_properties=[])
        Expectation(cast("AuditSession", None), table, cast("pytest.Item", item))
        report = SimpleNamespace(when="call", outcome="passed", user_properties=item.user_properties)
        results.take(cast("pytest.TestReport", report))
    return list(results.set_aside)


def test_each_part_that_is_set_aside_is_reported_once() -> None:
    case = SimpleNamespace(stored=SimpleNamespace(set_aside=ASIDE), removed=())
    assert reported(case, tests=2) == [
        SetAsideRow("t-xtable", "v", None, "values of type variant are not judged"),
        SetAsideRow("t-xtable", None, "s3://b/1.orc", "not read"),
    ]


def test_a_table_that_cannot_be_read_has_nothing_set_aside() -> None:
    assert reported(None, tests=1) == []
