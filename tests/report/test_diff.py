"""What differs between two runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.audit.runs import claim, document
from tests.report.forms import audit, hostile, own_table
from xtable_audit.report.diff import diff, markdown
from xtable_audit.report.document import Document, UnreadableDocument

HELD, FOUND = document(claim()), document(claim("finding"))


@pytest.mark.parametrize(
    ("before", "after", "title"),
    [
        (HELD, FOUND, "# 1 new"),
        (FOUND, HELD, "# 1 gone"),
        (FOUND, document(claim("finding", verdict="LOOSE")), "# 1 changed"),
        (FOUND, FOUND, "# No difference"),
        (HELD, document(claim("gone", reason="XTF-003 is gone")), "# 1 registered but gone"),
        (own_table(), own_table(), "# No difference"),
    ],
    ids=["a new finding", "one that is gone", "another verdict", "the same", "a mended register", "one table twice"],
)
def test_the_title_counts(before: Document, after: Document, title: str) -> None:
    assert markdown(diff(before, after)).splitlines()[0] == title


def test_what_stays_is_counted_by_its_cause() -> None:
    run = document(claim("known", registered="XTF-003"))
    assert "Still there: 1 claim: XTF-003 (1)" in markdown(diff(run, run)).splitlines()


def test_what_one_run_did_not_check_is_neither_new_nor_gone() -> None:
    text = markdown(diff(HELD, document(claim("finding", "orders-xtable"))))
    assert text.startswith("# No difference")
    assert "Not compared: 2 claims that only one of the runs could check" in text


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("before", "CONFORMANT: every selected claim holds · exit 0"), ("after", "FINDINGS: 1 new · exit 1")],
)
def test_a_run_is_named_with_its_verdict(name: str, verdict: str) -> None:
    run = "XTable 0.4.0-incubating · live · store: moto · 2026-11-22 15:30 UTC"
    assert f"| {name} | {run} | {verdict} |" in markdown(diff(HELD, FOUND)).splitlines()


def test_names_of_tables_are_no_markup() -> None:
    held = replace(hostile(), claims=tuple(claim("held", str(one.table)) for one in hostile().claims))
    assert "<script>" not in markdown(diff(held, hostile()))


def test_an_audit_and_a_check_are_not_compared() -> None:
    with pytest.raises(UnreadableDocument, match="name two of the same kind"):
        diff(audit(), own_table())
