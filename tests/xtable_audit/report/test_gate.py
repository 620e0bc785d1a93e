"""The gate's answer, from what the three runs say; its exit status, its page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.of_each import of_each
from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.compare import Change
from xtable_audit.report.gate import Gate, GateRun, judge_upgrade
from xtable_audit.report.gate_answers import UpgradeAdvice
from xtable_audit.report.gate_page import markdown, page, summary

OLD, NEW = "0.3.0-incubating", "0.4.0-incubating"
HELD, FOUND, LOOSE = claim(), claim("finding", wrong=2), claim("finding", verdict="LOOSE")
COSMETIC = claim("finding", verdict="COSMETIC")
HARMLESS = claim("finding")
"""Wrong bounds by which no tried predicate loses a row."""
NOTHING = claim("not_applicable", reason="the claim needs a stored bound")
REFUSED = claim("not_applicable", reason="of version 8", cause=Cause.REFUSED)


def gate(before: Any, after: Any, in_place: Any, **changed: Any) -> Gate:
    """One claim by each run."""
    return judge_upgrade(*runs(before, after, in_place), **changed)


def runs(before: Any, after: Any, in_place: Any) -> tuple[GateRun, GateRun, GateRun]:
    return (
        GateRun("from", OLD, document(before, release=OLD), report="from/latest/audit.json"),
        GateRun("to", NEW, document(after), report="to/latest/audit.json"),
        GateRun("in place", NEW, document(in_place, upgrade_from=OLD), upgrade_from=OLD) if in_place else NOT_RUN,
    )


NOT_RUN = GateRun("in place", NEW, None, "the store cannot be reached", upgrade_from=OLD)
ANSWERS = {
    "nothing changes": (HELD, HELD, HELD, UpgradeAdvice.UPGRADE_IN_PLACE, 0),
    "all is mended, in place too": (FOUND, HELD, HELD, UpgradeAdvice.UPGRADE_IN_PLACE, 0),
    "it stays as bad as it is": (FOUND, FOUND, FOUND, UpgradeAdvice.UPGRADE_IN_PLACE, 0),
    "what is mended stays in place": (FOUND, HELD, FOUND, UpgradeAdvice.DROP_METADATA, 0),
    "what is mended stays in place, where it affects no reader": (
        COSMETIC,
        HELD,
        COSMETIC,
        UpgradeAdvice.UPGRADE_IN_PLACE,
        0,
    ),
    "the upgrade itself breaks it": (HELD, HELD, FOUND, UpgradeAdvice.DROP_METADATA, 1),
    "TO answers wrongly": (HELD, FOUND, FOUND, UpgradeAdvice.DO_NOT_UPGRADE, 1),
    "TO answers wrongly where it was slow": (LOOSE, FOUND, FOUND, UpgradeAdvice.DO_NOT_UPGRADE, 1),
    "TO has wrong bounds, by which no row is lost": (HELD, HARMLESS, HARMLESS, UpgradeAdvice.UPGRADE_IN_PLACE, 1),
    "TO reads what FROM refuses, and answers wrongly": (REFUSED, FOUND, FOUND, UpgradeAdvice.CANNOT_SAY, 1),
    "TO reads what FROM refuses, and answers rightly": (REFUSED, HELD, HELD, UpgradeAdvice.CANNOT_SAY, 6),
    "TO refuses what FROM reads": (HELD, REFUSED, REFUSED, UpgradeAdvice.CANNOT_SAY, 6),
    "TO has nothing to compare": (HELD, NOTHING, NOTHING, UpgradeAdvice.CANNOT_SAY, 6),
    "TO has nothing to compare where FROM was wrong": (FOUND, NOTHING, NOTHING, UpgradeAdvice.CANNOT_SAY, 6),
    "the upgrade in place has nothing to compare": (HELD, HELD, NOTHING, UpgradeAdvice.CANNOT_SAY, 6),
    "nothing to compare in any run": (NOTHING, NOTHING, NOTHING, UpgradeAdvice.CANNOT_SAY, 6),
    "TO has something to compare, and it is right": (NOTHING, HELD, HELD, UpgradeAdvice.CANNOT_SAY, 6),
    "TO is slow": (HELD, LOOSE, LOOSE, UpgradeAdvice.UPGRADE_IN_PLACE, 1),
    "registered but gone": (HELD, claim("gone"), HELD, UpgradeAdvice.UPGRADE_IN_PLACE, 1),
    "a claim could not run": (HELD, claim("inconclusive"), HELD, UpgradeAdvice.CANNOT_SAY, 6),
    "the upgrade in place could not run": (FOUND, HELD, None, UpgradeAdvice.CANNOT_SAY, 6),
    "no upgrade in place, but TO answers wrongly": (HELD, FOUND, None, UpgradeAdvice.DO_NOT_UPGRADE, 1),
}


@pytest.mark.parametrize(("before", "after", "in_place", "advice", "status"), ANSWERS.values(), ids=ANSWERS.keys())
def test_answer_and_exit_status(before: Any, after: Any, in_place: Any, advice: UpgradeAdvice, status: int) -> None:
    answer = gate(before, after, in_place)
    assert (answer.advice, answer.exit_status) == (advice, status), answer.sentence


def test_an_upgrade_in_place_says_what_it_leaves_that_affects_no_reader() -> None:
    said = "as 0.4.0-incubating alone writes it, but for what affects no reader: 1 file of 1 table."
    assert said in gate(COSMETIC, HELD, COSMETIC).sentence


@pytest.mark.parametrize(("to", "stays"), [(FOUND, True), (HELD, False)], ids=["it stays", "it is mended"])
def test_an_upgrade_in_place_says_what_it_leaves_as_it_was(to: Any, stays: bool) -> None:
    said = "What both releases break stays broken: 2 rows lost or wrong, in 1 file of 1 table."
    assert (said in gate(FOUND, to, to).sentence) is stays


UNFIT = {
    "a recording": (document(FOUND, mode="recorded"), "a recorded run never answers a gate"),
    "a release that is not there": (document(HELD, mode="absent"), "the release does not resolve"),
    "a run cut short": (replace(document(HELD), complete=False), "it was cut short"),
    "no audit.json": (None, "it wrote no audit.json"),
    "an upgrade where none was requested": (document(HELD, upgrade_from=OLD), "it was an upgrade in place"),
}


@pytest.mark.parametrize("which", [0, 1], ids=["before", "after"])
@pytest.mark.parametrize(("document_of_run", "reason"), UNFIT.values(), ids=UNFIT.keys())
def test_unfit_run_leaves_no_answer(which: int, document_of_run: Any, reason: str) -> None:
    before, after, in_place = (
        replace(one, document=document_of_run) if place == which else one
        for place, one in enumerate(runs(HELD, FOUND, FOUND))
    )
    again = judge_upgrade(before, after, in_place)
    assert (again.exit_status, again.advice, again.differences) == (6, UpgradeAdvice.CANNOT_SAY, ())
    assert reason in again.sentence


PARTLY = {"history_upsert": "2026-11-24", "good_layout": None}


@pytest.mark.parametrize(("which", "status"), [(0, 0), (1, 6), (2, 6)], ids=["FROM", "TO", "in place"])
def test_only_from_may_take_translations_from_recordings(which: int, status: int) -> None:
    given = list(runs(HELD, HELD, HELD))
    recorded = given[which].document
    assert recorded is not None
    given[which] = replace(given[which], document=replace(recorded, translation_recorded_on=PARTLY))
    again = judge_upgrade(given[0], given[1], given[2])
    assert again.exit_status == status
    assert ("a recorded run never answers a gate" in " ".join(again.unfit)) == (which != 0)
    assert any("1 table recorded on 2026-11-24, 1 synced" in note for note in again.notes) == (which == 0)


def test_run_that_was_no_upgrade_in_place_is_not_taken_for_one() -> None:
    """Or "in place ends where TO alone does" would hold whatever an upgrade leaves behind."""
    before, after, in_place = runs(FOUND, HELD, HELD)
    assert judge_upgrade(before, after, replace(in_place, document=document(HELD))).exit_status == 6


def test_page_answers_the_users_question_in_its_last_lines() -> None:
    last = "\n".join(page(gate(FOUND, HELD, FOUND)).splitlines()[-3:])
    assert "Is it safe to upgrade in place" in last
    assert "UPGRADE, AND DROP THE ICEBERG METADATA FIRST" in last
    assert "2 rows lost or wrong, in 1 file of 1 table" in last


@pytest.mark.parametrize(
    ("table", "target", "counts"),
    [
        ("types_nan-xtable", "iceberg", True),
        ("types_nan-delta_by_kernel", "delta", True),
        ("types_nan-delta_by_control", "delta", False),
        ("types_nan-control", "iceberg", False),
        ("native_iceberg", "iceberg", False),
    ],
)
def test_what_xtable_writes_has_an_answer_by_kind_of_source(table: str, target: str, counts: bool) -> None:
    """To whichever target."""
    one = claim(table=table)
    assert [answer.tables for answer in gate(one, one, one, target=target).answers] == [1] * counts


MANY = [f"table_{number}-xtable" for number in range(40)]


def many() -> Gate:
    """Forty tables with a finding each, all of kinds of their own, and words far wider than a line."""
    before = document(*(claim("held", table) for table in MANY), release=OLD)
    after = document(*(claim("finding", table, saw="x" * n + " seen" * 40) for n, table in enumerate(MANY)))
    there = document(*after.claims, upgrade_from=OLD)
    note = ("The register has no entries for XTable 0.6.0: it is judged by the claims alone, and against FROM.",)
    return judge_upgrade(
        GateRun("from", OLD, before), GateRun("to", NEW, after), GateRun("in place", NEW, there, upgrade_from=OLD), note
    )


def test_page_is_one_page() -> None:
    lines = page(many()).splitlines()
    assert (len(lines) <= 60, max(map(len, lines)) <= 100) == (True, True), "\n".join(lines)


def test_what_the_page_leaves_out_is_counted() -> None:
    assert "… and 32 more such lines, in gate.md" in page(many())


def test_the_summary_of_a_job_is_the_whole_page() -> None:
    assert summary(many()) == markdown(many())


def test_a_summary_that_no_job_would_show_is_cut_after_a_whole_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xtable_audit.report.gate_page.LARGEST", 5_000)
    *kept, empty, rest = summary(many()).splitlines()
    assert (kept, empty, rest) == (markdown(many()).splitlines()[: len(kept)], "", "The rest is in gate.md.")
    assert len(summary(many()).encode()) <= 5_000 < len(markdown(many()).encode())


@of_each("table", MANY)
def test_markdown_leaves_nothing_out(table: str) -> None:
    assert table in markdown(many())


def test_markdown_says_with_what_it_was_made() -> None:
    assert "with suite 2026.11, hudi 0.15.0, spark 3.5.9" in markdown(many())


@pytest.mark.parametrize("write", [page, markdown])
def test_a_release_without_entries_is_noted(write: Any) -> None:
    assert "judged by the claims alone" in write(many())


def test_alike_findings_stand_in_one_line() -> None:
    before = document(*(claim("held", table) for table in MANY), release=OLD)
    after = document(*(claim("finding", table) for table in MANY))
    answer = judge_upgrade(
        GateRun("from", OLD, before),
        GateRun("to", NEW, after),
        GateRun("in place", NEW, document(*after.claims, upgrade_from=OLD), upgrade_from=OLD),
    )
    assert "40 files of 40 tables: table_0-xtable, table_1-xtable and 38 more" in page(answer)


COW, VECTORS = "Hudi, COPY_ON_WRITE", "Delta with deletion vectors"


def kinds(*of: tuple[str, Any, Any, Any]) -> Gate:  # a kind, and a claim by table for each run
    """A gate over a table of each kind of source, with its claim in each of the three runs."""
    sources = {f"table_{number}-xtable": kind for number, (kind, *_) in enumerate(of)}
    runs = [
        replace(
            document(*(claims[place](table) for table, (_, *claims) in zip(sources, of, strict=True))),
            sources=sources,
        )
        for place in range(3)
    ]
    there = replace(runs[2], run=replace(runs[2].run, upgrade_from=OLD))
    return judge_upgrade(
        GateRun("from", OLD, runs[0]), GateRun("to", NEW, runs[1]), GateRun("in place", NEW, there, "", "", OLD)
    )


def held(table: str) -> ClaimResult:
    return claim("held", table)


def wrong(table: str) -> ClaimResult:
    return claim("finding", table, wrong=2)


def refused(table: str) -> ClaimResult:
    return claim("not_applicable", table, reason="of version 8", cause=Cause.REFUSED)


BOTH = kinds((COW, wrong, held, wrong), (VECTORS, refused, wrong, wrong))


@pytest.mark.parametrize(
    ("kind", "advice"),
    [(COW, UpgradeAdvice.DROP_METADATA), (VECTORS, UpgradeAdvice.WAIT)],
    ids=["left behind", "newly read"],
)
def test_each_kind_of_source_has_its_own_answer(kind: str, advice: UpgradeAdvice) -> None:
    assert {one.kind: one.advice for one in BOTH.answers}[kind] == advice


def test_an_answer_counts_broken_claims_and_wrong_rows_of_both_releases() -> None:
    answer = next(one for one in BOTH.answers if one.kind == COW)
    assert (str(answer.before), str(answer.after), str(answer.left_behind)) == ("1 (2 rows)", "0", "1 (2 rows)")


def test_the_page_sums_up_what_both_releases_break() -> None:
    assert "all of them: 1 (2 rows) -> 1 (2 rows)" in page(BOTH)


@pytest.mark.parametrize("write", [page, markdown])
@pytest.mark.parametrize("kind", [COW, VECTORS])
def test_the_answers_come_before_the_runs(write: Any, kind: str) -> None:
    text = write(BOTH)
    assert 0 < text.index(kind) < text.index("0.4.0-incubating", text.index(kind))


def test_the_procedure_to_drop_stands_where_an_answer_says_so() -> None:
    assert ("To drop the Iceberg metadata" in markdown(BOTH), "To drop" in markdown(gate(HELD, HELD, HELD))) == (
        True,
        False,
    )


def test_no_link_of_the_page_is_relative_to_a_folder_in_which_it_may_not_lie() -> None:
    """It is a job's summary, a comment of a pull request, and a file of `out`."""
    text = markdown(BOTH)
    assert "XTF-060 (`docs/findings/XTF-060.md`) says why" in text
    assert "](" not in text


def test_what_is_still_there_is_one_line_a_cause() -> None:
    known = [claim("known", f"table_{n}-xtable", registered="XTF-004", verdict="LOOSE") for n in range(5)]
    before, after = document(*known, release=OLD), document(*known)
    answer = judge_upgrade(
        GateRun("from", OLD, before),
        GateRun("to", NEW, after),
        GateRun("in place", NEW, document(*known, upgrade_from=OLD), upgrade_from=OLD),
    )
    assert "| XTF-004 | 5 | 5 files of 5 tables |" in markdown(answer)


KNOWN = claim("known", registered="XTF-012", wrong=2)


@pytest.mark.parametrize(
    ("after", "change", "id"),
    [
        (FOUND, Change.STILL, "XTF-012"),
        (HELD, Change.LEFT_BEHIND, "XTF-012"),
        (claim("finding", wrong=9, files=3), Change.CHANGED, None),
    ],
    ids=["still there", "left behind", "changed, so that it may have another cause"],
)
def test_cause_is_the_registers_entry_of_FROM_where_the_register_has_no_TO(
    after: Any, change: Change, id: str | None
) -> None:
    [one] = gate(KNOWN, after, FOUND if after is HELD else after).of(change)
    assert one.registered == id
