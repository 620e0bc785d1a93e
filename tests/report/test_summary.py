"""A run as Markdown for a job's summary."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.audit.runs import claim, document
from tests.report.forms import HOSTILE_FINDINGS, audit, hostile, own_table
from xtable_audit.report.document import Document
from xtable_audit.report.summary import MOST, summary

KIB = 1024
NEW = (
    "| UNSOUND (wrong results) | bounds contain every value | orders-xtable · column d "
    "| 1 of 4 files, which holds 10 of 40 rows | &#91;0.0 … 0.0&#93; for part-1.parquet |  |"
)


@pytest.mark.parametrize(
    ("run", "first"),
    [
        (document(claim()), "## CONFORMANT: every selected claim holds · exit 0"),
        (audit(), "## FINDINGS: 1 new, 1 registered but gone · exit 1"),
        (own_table(), "## DO NOT TRUST for d: readers lose rows · exit 1"),
    ],
    ids=["of a run without findings", "of an audit", "of a user's own table"],
)
def test_the_first_line_is_the_verdict(run: Document, first: str) -> None:
    assert summary(run).splitlines()[0] == first


@pytest.mark.parametrize(
    "line",
    [
        "### New",
        NEW,
        "### Registered but gone: mend the register",
        "* XTF-009 is gone",
        "* 1 claim: trino is not up",
        "<summary>1 known finding</summary>",
        "| XTF-003 | NaN makes bounds 0.0 | wrong results (UNSOUND) | 1 claim on 1 table |  |",
    ],
)
def test_an_audit_has_the_line(line: str) -> None:
    assert line in summary(audit()).splitlines()


def test_a_claim_that_follows_from_a_finding_has_no_row() -> None:
    assert summary(audit()).count("| UNSOUND") == 1


def test_an_accepted_finding_is_no_row_but_named() -> None:
    text = summary(own_table(accepted=("XTF-003",)))
    assert (text.count("| UNSOUND"), "* wrong results for d: XTF-003, " in text) == (1, True)


def test_a_finding_on_a_users_table_says_what_it_is_known_as() -> None:
    assert "| UNSOUND (wrong results), known as XTF-003 |" in summary(own_table())


@pytest.mark.parametrize("run", [audit, own_table], ids=["an audit", "a user's own table"])
def test_a_known_finding_says_what_to_do(run: Callable[[], Document]) -> None:
    made = run()
    entries = {id: replace(one, remedy="Leave NaN out.") for id, one in made.register.items()}
    assert "| First, in the source, for existing rows too: Leave NaN out. Then drop the Iceberg metadata" in summary(
        replace(made, register=entries)
    )


def test_what_is_left_out_is_counted() -> None:
    assert f"and {HOSTILE_FINDINGS - MOST:,} more in audit.json" in summary(hostile())


def test_a_job_may_show_it_whatever_the_run_found() -> None:
    assert len(summary(hostile()).encode()) < 900 * KIB


@pytest.mark.parametrize("run", [hostile, lambda: own_table(name="a|<b>")], ids=["an audit", "a user's own table"])
def test_a_name_is_no_markup(run: Callable[[], Document]) -> None:
    text = summary(run())
    assert not re.search(r"<(?!/?(details|summary)>)", text)
    assert {line.count("|") for line in text.splitlines() if line.startswith("| UNSOUND")} == {7}
