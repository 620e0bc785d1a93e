"""The first screen: what a lead reads of a run, whatever came of it."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.finding import Answers, Verdict
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import Owner
from xtable_audit.report.document import Document, Registered, TrialRow
from xtable_audit.report.first_screen import HEIGHT, WIDTH, headline, print_first_screen

ANSWERS = Answers("types_nan-xtable", "d = 1.0", 1, {"duckdb": 0, "polars": 0, "daft": "refuses it"})
NAN = Registered("NaN makes bounds 0.0", "xtable", Owner.XTABLE, "everyday")
DAYS = Registered("Days of 1582 get other bounds", "xtable", Owner.XTABLE, "rare")
HUDIS = Registered("LIKE is looked up as =", "hudi", Owner.HUDI, "everyday")


def screen(run: Document) -> list[str]:
    """The lines of the whole screen, as a terminal shows them."""
    console = Console(file=io.StringIO(), width=200, highlight=False)
    console.print(headline(run))
    print_first_screen(console, run, "out/latest/audit.json")
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def known(entry: str, registered: Registered, **changed: Any) -> Document:
    return replace(document(claim(), claim("known", registered=entry, **changed)), register={entry: registered})


def crowded() -> Document:
    """More of everything than fits."""
    new = [
        claim("finding", f"table_{n}-xtable", test=f"suites/x.py::test_claim_{n}", sentence=str(n)) for n in range(9)
    ]
    gone = [claim("gone", reason=f"XTF-{n:03} is gone: {'a long title ' * 20}") for n in range(9)]
    stopped = [claim("inconclusive", reason=f"reason {n}: {'many words ' * 30}") for n in range(9)]
    entries = {f"XTF-{n:03}": Registered("A long title, " * 20, "xtable", Owner.XTABLE, "everyday") for n in range(40)}
    others = {f"XTF-1{n:02}": Registered("title", f"reader_{n}", Owner.READERS, "rare") for n in range(12)}
    held = [claim("known", registered=entry) for entry in [*entries, *others]]
    run = document(*new, *gone, *stopped, *held)
    return replace(run, register=entries | others, notes=("A note of many words. " * 7,) * 2)


OUTCOMES = {
    "CONFORMANT: every selected claim holds · exit 0": document(claim()),
    "KNOWN DEFECTS, nothing new · exit 0": known("XTF-003", NAN),
    "FINDINGS: 1 new · exit 1": document(claim(), claim("finding")),
    "FINDINGS: 1 new, 2 registered but gone · exit 1": document(claim("finding"), claim("gone"), claim("gone")),
    "INCONCLUSIVE: 1 claim could not run; that is no pass · exit 6": document(claim(), claim("inconclusive")),
    "INCONCLUSIVE: no selected claim was judged; that is no pass · exit 6": document(claim("not_applicable")),
    "ERROR: the suite itself failed · exit 1": document(claim(), claim("error")),
    "ERROR: the run was cut short": replace(document(claim()), complete=False),
}


@pytest.mark.parametrize(("words", "run"), OUTCOMES.items(), ids=OUTCOMES)
def test_the_verdict_is_the_second_line(words: str, run: Document) -> None:
    assert screen(run)[1] == words


@pytest.mark.parametrize(("words", "run"), OUTCOMES.items(), ids=OUTCOMES)
def test_the_verdict_is_the_last_line(words: str, run: Document) -> None:
    assert screen(run)[-1] == words


@pytest.mark.parametrize("run", [crowded(), *OUTCOMES.values()], ids=["crowded", *OUTCOMES])
def test_no_line_is_wider_than_a_terminal(run: Document) -> None:
    assert max(map(len, screen(run))) <= WIDTH


@pytest.mark.parametrize("run", [crowded(), *OUTCOMES.values()], ids=["crowded", *OUTCOMES])
def test_the_screen_has_no_more_lines_than_a_terminal(run: Document) -> None:
    assert len(screen(run)) <= HEIGHT, "\n".join(screen(run))


def test_a_replay_says_so_with_its_day_in_the_first_line() -> None:
    run = document(claim(), mode="recorded")
    recorded = replace(
        run, translation=replace(run.translation, recorded_on="2026-11-22", reason="no release resolves")
    )
    first, *rest = screen(recorded)
    assert "REPLAY OF 2026-11-22, not run here" in first
    assert "XTable is not run: no release resolves. A replay answers no gate." in rest


def test_a_live_run_says_so_in_the_first_line() -> None:
    assert "· live ·" in screen(document(claim()))[0]


def test_a_common_finding_comes_before_a_rare_one() -> None:
    run = document(claim("known", registered="XTF-005"), claim("known", registered="XTF-009"))
    lines = screen(replace(run, register={"XTF-005": DAYS, "XTF-009": NAN}))
    assert lines.index("  XTF-009  NaN makes bounds 0.0") < lines.index("  XTF-005  Days of 1582 get other bounds")


def test_a_finding_says_what_readers_answer() -> None:
    words = "           wrong results (UNSOUND): 2 of 2 readers count 0 rows, not 1"
    assert words in screen(known("XTF-003", NAN, answers=ANSWERS))


def test_claims_that_follow_from_an_unreadable_table_are_counted_apart() -> None:
    run = known("XTF-003", NAN, cause=Cause.FOLLOWS)
    assert "1 failing as registered (1 only because their table cannot be read)" in " ".join(screen(run))


def test_lost_rows_are_counted() -> None:
    words = "           wrong results (UNSOUND): 7 rows lost or wrong, in 1 file of 1 table"
    assert words in screen(known("XTF-003", NAN, wrong=7))


def test_an_address_leaves_room_for_what_is_wrong_with_it() -> None:
    address = f"s3://bucket/{'folder/' * 20}file.parquet"
    run = document(claim("inconclusive", reason=f"{address} cannot be looked up: the store closes the connection"))
    assert "cannot be looked up: the store closes the connection" in " ".join(" ".join(screen(run)).split())


def test_lost_predicates_are_counted_once_whoever_plans() -> None:
    trials = (TrialRow("t", "judge", 20, 3, {}), TrialRow("t", "pyiceberg", 20, 3, {}))
    run = replace(known("XTF-003", NAN), trials=trials)
    assert "3 of 20 predicates tried lose rows." in " ".join(screen(run))


def test_a_finding_of_hudis_is_not_listed_as_xtables() -> None:
    lines = screen(known("XTF-044", HUDIS))
    assert "Not XTable's: 1 of Hudi (XTF-044)" in lines
    assert not any("Does it hit you" in line for line in lines)


@pytest.mark.parametrize(
    ("bar", "verdict", "status"),
    [
        (Verdict.UNSOUND, "UNSOUND", 1),
        (Verdict.UNSOUND, "LOOSE", 0),
        (Verdict.LOOSE, "UNSOUND", 1),
        (None, "UNSOUND", 0),
    ],
    ids=["as bad", "less bad", "worse", "no bar"],
)
def test_a_known_finding_fails_the_run_from_the_verdict_of_fail_on_up(
    bar: Verdict | None, verdict: str, status: int
) -> None:
    run = known("XTF-003", NAN, verdict=verdict)
    assert replace(run, run=replace(run.run, fail_on=bar)).exit_status == status


def test_the_verdict_names_the_option_that_fails_the_run() -> None:
    run = known("XTF-003", NAN)
    barred = replace(run, run=replace(run.run, fail_on=Verdict.UNSOUND))
    assert screen(barred)[-1] == "KNOWN DEFECTS, nothing new · exit 1 by --fail-on UNSOUND"


RESTORED = {
    "Sources: 2 from recordings, 1 written by Spark.": {"a": "2026-11-24", "b": "2026-11-24", "c": None},
    "Sources: 1 from recordings.": {"a": "2026-11-24"},
    "Sources: 1 written by Spark.": {"a": None},
}


@pytest.mark.parametrize(("words", "days"), RESTORED.items(), ids=RESTORED)
def test_a_live_run_says_where_its_sources_come_from(words: str, days: dict[str, str | None]) -> None:
    assert words in screen(replace(document(claim()), source_recorded_on=days))


def test_a_replay_does_not_say_so_again() -> None:
    run = replace(document(claim()), source_recorded_on={"a": "2026-11-24"})
    replay = replace(run, translation=replace(run.translation, mode="recorded", recorded_on="2026-11-24"))
    assert not any("Sources" in line for line in screen(replay))


def test_a_live_run_says_which_translations_are_recorded() -> None:
    days = {"a": "2026-11-24", "b": "2026-11-23", "c": "2026-11-24", "d": None}
    lines = " ".join(screen(replace(document(claim()), translation_recorded_on=days)))
    assert "XTable's translations: 1 table recorded on 2026-11-23, 2 tables recorded on 2026-11-24, 1 synced." in lines


def test_a_live_run_that_syncs_all_does_not_say_so() -> None:
    assert not any(
        "translations" in line for line in screen(replace(document(claim()), translation_recorded_on={"a": None}))
    )
