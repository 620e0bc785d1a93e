"""The releases that the register covers, and what a finding does in each of them."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from lab.provision.checked_register import REGISTER, register
from lab.stack.cache import cache_root
from lab.stack.maven_repositories import Repositories
from lab.stack.versions import hudi_releases, releases, stack
from lab.subjects.hudi_tables import BOTH_INDEXES
from tests.of_each import of_each
from xtable_audit.model.finding import Verdict
from xtable_audit.register.affects import KERNEL
from xtable_audit.register.code import UNREAD, Main, OnMain, ReadCode, ReproductionEnd
from xtable_audit.register.entry import Entry, Where
from xtable_audit.register.fields import BadRegister
from xtable_audit.register.register import Covered, covers
from xtable_audit.report.release_states import MAIN, main_branch, newest_affected, registered, states, with_main

HUDI = f"hudi-spark{stack().spark.rpartition('.')[0]}-bundle_{stack().scala}"
JUDGED = [one for one in hudi_releases() if one.table_version >= BOTH_INDEXES]
RELEASES = ("0.2.0", "0.3.0", "0.4.0")
ENTRY = register(REGISTER)[2]


def where(releases: str, verdict: Verdict, **more: Any) -> Where:
    plain = replace(ENTRY.where[0], at_times="", upgrade_from=None)
    return replace(plain, releases=SpecifierSet(releases), verdict=verdict, **more)


def entry(*blocks: Where) -> Entry:
    return replace(ENTRY, where=blocks)


MENDED = entry(where(">=0.2,<0.4", Verdict.UNSOUND), where(">=0.2,<0.3", Verdict.LOOSE))

MILDER = entry(where(">=0.2,<0.4", Verdict.UNSOUND), where(">=0.4,<0.5", Verdict.LOOSE))


# The releases that the register covers, and their days.


@pytest.mark.parametrize("version", [one.version for one in JUDGED])
def test_the_day_of_a_release_of_hudi_is_that_of_its_jars_manifest(version: str) -> None:
    jar = Repositories.of_this_machine(cache_root()).find(
        PurePosixPath(f"org/apache/hudi/{HUDI}/{version}/{HUDI}-{version}.jar")
    )
    if jar is None:
        pytest.skip(f"the jar of Hudi {version} is not on this machine")
    with zipfile.ZipFile(jar) as entries:
        year, month, day, *_ = entries.getinfo("META-INF/MANIFEST.MF").date_time
    [covered] = [one for one in covers(REGISTER)["hudi"] if one.version == version]
    assert covered.day == date(year, month, day)


def test_xtables_releases_are_those_that_are_known() -> None:
    assert [one.version for one in covers(REGISTER)["xtable"]] == [one.short for one in releases()][::-1]


def test_hudis_releases_are_those_whose_indexes_are_judged() -> None:
    assert [one.version for one in covers(REGISTER)["hudi"]] == [one.version for one in JUDGED][::-1]


def test_the_oldest_release_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "findings.toml"
    file.write_text('[covers]\nxtable = { "0.10.0" = "2026-01-02", "0.9.0" = "2025-01-02" }\n')
    assert covers(file)["xtable"] == (Covered("0.9.0", date(2025, 1, 2)), Covered("0.10.0", date(2026, 1, 2)))


def test_a_register_may_cover_no_release(tmp_path: Path) -> None:
    file = tmp_path / "findings.toml"
    file.write_text("")
    assert covers(file) == {}


@pytest.mark.parametrize(
    "of", ['["0.4.0"]', '"0.4.0"', '{ "0.4.0" = "May" }', '{ "0.4.0" = 2026 }', '{ "new" = "2026-01-02" }']
)
def test_what_names_no_releases_is_refused_in_one_sentence(tmp_path: Path, of: str) -> None:
    file = tmp_path / "findings.toml"
    file.write_text(f"[covers]\nxtable = {of}\n")
    with pytest.raises(BadRegister, match=r"findings\.toml: covers names each component with its releases"):
        covers(file)


# What a finding does in each release, for its page.


@pytest.mark.parametrize(
    ("entry", "verdicts"),
    [
        (MENDED, [Verdict.UNSOUND, Verdict.UNSOUND, None]),
        (MILDER, [Verdict.UNSOUND, Verdict.UNSOUND, Verdict.LOOSE]),
    ],
    ids=["mended", "milder"],
)
def test_each_release_has_its_worst_verdict(entry: Entry, verdicts: list[Verdict | None]) -> None:
    assert list(states(entry, "xtable", RELEASES).values()) == verdicts


@pytest.mark.parametrize(
    ("entry", "newest"),
    [(MENDED, ("0.3.0", Verdict.UNSOUND)), (MILDER, ("0.4.0", Verdict.LOOSE))],
    ids=["mended", "milder"],
)
def test_the_newest_affected_release_counts(entry: Entry, newest: tuple[str, Verdict]) -> None:
    assert newest_affected(entry, "xtable", RELEASES) == newest


def test_what_comes_and_goes_does_not_count() -> None:
    assert newest_affected(entry(where(">=0.2", Verdict.STALE, at_times="1 of 9")), "xtable", RELEASES) is None


def test_an_upgrade_in_place_counts_where_nothing_else_shows_it() -> None:
    upgraded = where(">=0.3,<0.5", Verdict.UNSOUND, upgrade_from=SpecifierSet(">=0.2,<0.3"))
    alone, beside = entry(upgraded), entry(upgraded, where(">=0.2,<0.3", Verdict.LOOSE))
    assert newest_affected(alone, "xtable", RELEASES) == ("0.4.0", Verdict.UNSOUND)
    assert newest_affected(beside, "xtable", RELEASES) == ("0.2.0", Verdict.LOOSE)


def on_main(state: OnMain, ran: ReproductionEnd | None = None, of: Entry = MILDER) -> dict[str, Verdict | None]:
    main = Main("54b58df", date(2026, 8, 8), date(2026, 11, 23), state, "why", ran)
    return with_main(replace(of, read=ReadCode(main=main)), RELEASES)


@pytest.mark.parametrize(
    ("state", "ran", "of", "verdict"),
    [
        (OnMain.UNCHANGED, None, MILDER, Verdict.LOOSE),
        (OnMain.CHANGED, ReproductionEnd.PRESENT, MILDER, Verdict.LOOSE),
        (OnMain.CHANGED, ReproductionEnd.GONE, MILDER, None),
        (OnMain.MENDED, None, MILDER, None),
        (OnMain.UNCHANGED, None, MENDED, None),
    ],
    ids=["the same code", "another, run", "another, run, and gone", "mended", "gone from the newest release before"],
)
def test_main_does_what_the_newest_release_does(
    state: OnMain, ran: ReproductionEnd | None, of: Entry, verdict: Verdict | None
) -> None:
    assert on_main(state, ran, of)[MAIN] == verdict


def test_of_changed_code_that_was_not_run_nothing_is_known() -> None:
    assert MAIN not in on_main(OnMain.CHANGED)


def test_an_entry_that_does_not_speak_of_main_has_no_state_there() -> None:
    assert list(with_main(replace(MILDER, read=UNREAD), RELEASES)) == list(RELEASES)


def test_of_a_release_in_which_it_comes_and_goes_nothing_is_known() -> None:
    lapsing = entry(where(">=0.2,<0.3", Verdict.UNSOUND), where(">=0.3,<0.4", Verdict.STALE, at_times="1 of 9"))
    assert with_main(replace(lapsing, read=UNREAD), RELEASES) == {"0.2.0": Verdict.UNSOUND, "0.4.0": None}


def test_main_is_as_unknown_as_the_newest_release() -> None:
    lapsing = entry(where(">=0.2,<0.4", Verdict.UNSOUND), where(">=0.4,<0.5", Verdict.STALE, at_times="1 of 9"))
    assert list(on_main(OnMain.UNCHANGED, of=lapsing)) == ["0.2.0", "0.3.0"]


@of_each("id", [one.id for one in register(REGISTER) if one.components[0] == "xtable"])
def test_every_finding_of_xtable_has_a_release_that_has_it(id: str) -> None:
    states_of = registered(register(REGISTER), covers(REGISTER))[id].states
    [entry] = [one for one in register(REGISTER) if one.id == id]
    of_iceberg = {(one.format, one.writer == KERNEL) for one in entry.affects} == {("iceberg", False)}
    tried = {one.version for one in covers(REGISTER)["xtable"] if entry.is_tried(one.version)}
    assert set(states_of) - {MAIN} == tried - ({"0.2.0", "0.3.0"} if of_iceberg else set())
    assert any(states_of.values())


@pytest.mark.parametrize("component", ["xtable", "hudi"])
def test_the_commit_of_main_is_that_of_the_register(component: str) -> None:
    mains = [main for one in register(REGISTER) if (main := one.main_of(component))]
    [read] = {(main.commit, main.read.isoformat()) for main in mains}
    branch = main_branch(register(REGISTER), component)
    assert branch is not None
    assert (branch.commit, branch.read) == read


def test_main_is_that_of_the_component_that_the_entry_is_of() -> None:
    """An entry of XTable may speak of Hudi's main beside its own."""
    read = ReadCode(hudi_main=Main("65cf7e8", date(2026, 8, 7), date(2026, 11, 24), OnMain.UNCHANGED, "why"))
    of_hudi = entry(*(replace(one, component="hudi") for one in MILDER.where))
    assert MAIN not in with_main(replace(MILDER, read=read), RELEASES)
    assert with_main(replace(of_hudi, read=read), RELEASES)[MAIN] is Verdict.LOOSE


@of_each("id", [one.id for one in register(REGISTER) if one.components[0] == "hudi"])
def test_what_hudis_main_does_is_known_by_reading(id: str) -> None:
    one = registered(register(REGISTER), covers(REGISTER))[id]
    assert MAIN in one.states
    assert not one.ran_on_main
