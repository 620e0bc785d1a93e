"""Which trials a finding has, when they are due, how their answers are kept, and what a recording shows of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from lab.provision.checked_register import REGISTER, register
from lab.stack.versions import releases
from tests.of_each import of_each
from tests.xtable_audit.report.runs import claim, document
from tools.reproduce import every_finding
from tools.reproduce.every_finding import Reproductions
from tools.reproduce.finding import headlines, shows
from tools.reproduce.reproduced_json import (
    COULD_NOT_RUN,
    GONE,
    PRESENT,
    Reproduction,
    Result,
    command,
    in_words,
    load,
    save,
    trials_of,
)
from xtable_audit.model.finding import Verdict
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import Entry

ENTRIES = {entry.id: entry for entry in register(REGISTER)}
OLDEST, *_, NEWEST = [one.version for one in releases()][::-1]
ENDED = Result(PRESENT, "bounds_contain_values", "UNSOUND", "as its page says", date(2026, 11, 24), "digest", "script")


def tried(id: str, main: str = "") -> list[Reproduction]:
    return [*trials_of(ENTRIES[id], main)]


@of_each("entry", ENTRIES.values(), ids=lambda entry: entry.id)
def test_every_release_that_a_finding_names_on_its_table_is_tried(entry: Entry) -> None:
    assert headlines(entry).keys() <= {trial.release for trial in trials_of(entry)}


def test_the_first_release_without_a_finding_is_tried() -> None:
    assert [trial.release.partition("-")[0] for trial in tried("XTF-015")] == ["0.2.0", "0.3.0"]


def test_main_is_tried_where_it_is_named() -> None:
    assert Reproduction("XTF-004", "xtable", "0.5.0-SNAPSHOT") in tried("XTF-004", "0.5.0-SNAPSHOT")


def test_a_finding_of_a_warm_jvm_is_tried_in_both() -> None:
    assert {(trial.release, trial.warm) for trial in tried("XTF-030")} >= {(OLDEST, False), (OLDEST, True)}


def test_what_brings_a_table_back_is_tried_at_the_newest_release() -> None:
    assert [trial for trial in tried("XTF-029") if trial.recovered] == [
        Reproduction("XTF-029", "xtable", NEWEST, recovered=True)
    ]


def test_an_upgrade_is_tried_from_the_release_that_began_the_table() -> None:
    assert all(trial.first for trial in tried("XTF-060"))


def test_a_trial_is_run_by_the_options_that_a_person_gives() -> None:
    trial = Reproduction("XTF-030", "xtable", NEWEST, warm=True, recovered=True)
    assert command(trial, Path("out")) == ["XTF-030", "--folder=out", "--xtable", NEWEST, "--warm", "--recover"]


def test_answers_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    kept = {trial: replace(ENDED, why=str(trial)) for id in ("XTF-030", "XTF-060") for trial in tried(id)}
    save(kept, tmp_path / "reproduced.json")
    assert load(tmp_path / "reproduced.json") == kept


def test_nothing_is_kept_where_nothing_was_run(tmp_path: Path) -> None:
    assert load(tmp_path / "reproduced.json") == {}


def test_a_claim_is_kept_with_its_verdicts_or_with_why_it_was_not_tried() -> None:
    assert in_words({"a": ["STALE", "UNSOUND"], "b": [], "c": "sync 5 of 7 fails"}) == {
        "a": "STALE, UNSOUND",
        "b": "not seen",
        "c": "sync 5 of 7 fails",
    }


SAME, ANOTHER = Reproduction("XTF-004", "xtable", NEWEST), Reproduction("XTF-004", "xtable", OLDEST)


@pytest.mark.parametrize(
    ("kept", "again", "due"),
    [
        ({}, False, True),
        ({SAME: ENDED}, False, False),
        ({SAME: ENDED}, True, True),
        ({SAME: replace(ENDED, script="an earlier one")}, False, True),
        ({SAME: replace(ENDED, ended=COULD_NOT_RUN)}, False, True),
        ({SAME: replace(ENDED, digest="other classes")}, False, True),
        ({ANOTHER: ENDED}, False, True),
    ],
    ids=[
        "never run",
        "run before",
        "run before, again",
        "by another script",
        "that could not run",
        "over other classes",
        "another release",
    ],
)
def test_a_trial_is_due(
    monkeypatch: pytest.MonkeyPatch, kept: dict[Reproduction, Result], again: bool, due: bool
) -> None:
    entry = ENTRIES["XTF-004"]
    monkeypatch.setattr(every_finding, "resolves", lambda trial: True)
    monkeypatch.setattr(every_finding, "digest_of", lambda trial: "digest")
    monkeypatch.setattr(every_finding, "script_of", lambda entry: "script")
    assert Reproductions(kept, again=again).is_due(entry, SAME) is due


def test_what_does_not_resolve_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(every_finding, "resolves", lambda trial: False)
    assert not Reproductions({}, again=True).is_due(ENTRIES["XTF-004"], SAME)
    assert f"left as it is, for it does not resolve: {SAME}" in capsys.readouterr().out


def test_a_finding_that_is_unknown_ends_with_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert every_finding.main(["XTF-999"]) == 4
    assert "There is no finding XTF-999." in capsys.readouterr().err


# docs/findings/reproduced.json

KEPT = load()


@of_each("entry", ENTRIES.values(), ids=lambda entry: entry.id)
def test_a_finding_was_shown_by_its_script(entry: Entry) -> None:
    """At one of the releases that it names at least, at the verdict of its page."""
    ended = [result.ended for trial, result in KEPT.items() if trial.finding == entry.id and not trial.recovered]
    assert PRESENT in ended


@of_each("entry", [one for one in ENTRIES.values() if one.recovers], ids=lambda entry: entry.id)
def test_a_table_that_is_hit_was_brought_back(entry: Entry) -> None:
    ended = [result.ended for trial, result in KEPT.items() if trial.finding == entry.id and trial.recovered]
    assert ended == [GONE]


@of_each("entry", [one for one in ENTRIES.values() if one.read.main and one.read.main.ran], ids=lambda entry: entry.id)
def test_what_the_register_says_of_main_is_how_its_script_ended_there(entry: Entry) -> None:
    known = {one.version for one in releases()}
    ended = {
        result.ended
        for trial, result in KEPT.items()
        if trial.finding == entry.id and trial.component == "xtable" and trial.release not in known
    }
    assert entry.read.main is not None
    assert entry.read.main.ran is not None
    assert ended <= {{"present": PRESENT, "gone": GONE}[entry.read.main.ran.value]}


# Whether a recording shows a finding is read from what a run judged, in whatever words it prints that.


SHOWN, OTHER = "XTF-003", "XTF-004"
JUDGED = {
    "the finding": (claim("known", registered=SHOWN), True),
    "another's": (claim("known", registered=OTHER), False),
    "of another verdict": (claim("known", registered=SHOWN, verdict="LOOSE"), False),
    "a new one": (claim("finding"), False),
    "one that follows": (claim("known", registered=SHOWN, cause=Cause.FOLLOWS), False),
    "a claim that holds": (claim(), False),
}


@pytest.mark.parametrize(("judged", "shown"), JUDGED.values(), ids=JUDGED)
def test_a_recording_shows_what_fails_as_registered(judged: ClaimResult, shown: bool) -> None:
    assert shows(document(claim(), judged), SHOWN, Verdict.UNSOUND) == shown
