"""Each finding ends with what to do, each remedy is printed once, and nothing of a statement is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.audit.runs import document, found
from tests.report.test_first import OWN
from xtable_audit.model.finding import Finding
from xtable_audit.report.finding_lines import AS_ABOVE, NOTHING, findings_lines


def lines(*groups: Sequence[Finding]) -> list[str]:
    own = replace(document(), own_table=replace(OWN, candidates={}))
    return [line.plain for line in findings_lines(groups, own)]


def remedies(*groups: Sequence[Finding]) -> list[str]:
    return [line.strip() for line in lines(*groups) if line.startswith(("  do ", "  or "))]


def test_a_finding_without_a_remedy_says_so() -> None:
    assert remedies([found()]) == [f"do        {NOTHING}"]


def test_a_remedy_of_two_findings_is_told_once() -> None:
    one, two, three = (found(advice=advice) for advice in (("mend",), ("mend", "wait"), ("mend",)))
    told = remedies([one], [two], [three])
    assert told == ["do        mend", f"do        {AS_ABOVE}", "or        wait", f"do        {AS_ABOVE}"]


def test_a_root_without_a_remedy_has_that_of_what_follows_from_it() -> None:
    assert remedies([found(), found(claim="bounds_are_tight", advice=("mend",))]) == ["do        mend"]


def test_a_statement_is_whole() -> None:
    statement = f"CALL {'x' * 500}({'y' * 200})"
    assert statement.replace(" ", "") in "".join(lines([found(advice=(statement,))])).replace(" ", "")


def test_stored_and_expected_paths_show_where_they_differ() -> None:
    name = f"part-{'0' * 60}.parquet"
    told = "\n".join(lines([found(saw=f"no object at s3://l/p=50%2525/{name}", expected=f"s3://l/p=50%25/{name}")]))
    assert "p=50%2525/" in told
    assert "p=50%25/" in told
    assert name not in told
