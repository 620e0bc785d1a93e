"""The extents of known findings: which one a run has, what differs from it, and the file that keeps them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.audit.runs import found
from xtable_audit.register.bad_register import BadRegister
from xtable_audit.register.extent import Extent, Extents, changed, load_extents, run_of, written

TEST = "bounds_contain_values[types_nan-xtable]"
OLD, NEW, IN_PLACE = Extent(1, 2), Extent(2, 4, ("d", "f")), Extent(3, 6, ("d",), losing=2, wrong=5)
KEPT = Extents({"XTF-003": {TEST: {"0.3.0": OLD, "0.4.0": NEW, "0.2.0-to-0.4.0": IN_PLACE}}})
RUNS: dict[str, tuple[str, str | None, Extent | None]] = {
    "a release": ("0.3.0-incubating", None, OLD),
    "a candidate counts as its release": ("0.4.0-incubating-rc2", None, NEW),
    "a recorded upgrade": ("0.4.0-incubating", "0.2.0-incubating", IN_PLACE),
    "an upgrade that is not recorded": ("0.4.0-incubating", "0.3.0-incubating", NEW),
    "a release that the register does not cover": ("0.5.0-SNAPSHOT", None, NEW),
    "an upgrade to it": ("0.5.0-SNAPSHOT", "0.3.0-incubating", NEW),
    "a jar without a number": ("my-bundled.jar", None, NEW),
}


@pytest.mark.parametrize(("release", "since", "expected"), RUNS.values(), ids=RUNS)
def test_a_run_has_its_registered_extent(release: str, since: str | None, expected: Extent | None) -> None:
    assert KEPT.registered("XTF-003", TEST, release, since) == expected


@pytest.mark.parametrize(
    ("entry", "test"), [("XTF-004", TEST), ("XTF-003", "another[types_nan-xtable]")], ids=["entry", "test"]
)
def test_what_is_not_registered_has_none(entry: str, test: str) -> None:
    assert KEPT.registered(entry, test, "0.4.0-incubating") is None


LOST = Extent(1, 2, losing=9, wrong=1)
"""What the judge's planner loses; no recording has the planner of Iceberg Java."""


@pytest.mark.parametrize(
    ("seen", "change"),
    [
        (LOST, ""),
        (replace(LOST, losing=8), ""),
        (
            replace(LOST, files=2),
            "XTF-003 registers 1 file with 2 rows, 1 row lost or wrong. Seen: 2 files with 2 rows",
        ),
    ],
    ids=["as the judge", "by fewer predicates", "in more files"],
)
def test_a_planner_that_no_recording_has_is_held_against_the_judges(seen: Extent, change: str) -> None:
    kept = Extents({"XTF-003": {"no_file_is_dropped[t-judge]": {"0.4.0": LOST}}})
    registered = kept.registered("XTF-003", "no_file_is_dropped[t-java]", "0.4.0-incubating")
    assert changed("XTF-003", registered, seen).startswith(change)
    assert bool(changed("XTF-003", registered, seen)) is bool(change)


def test_a_planner_with_an_extent_of_its_own_is_held_against_that() -> None:
    kept = Extents({"XTF-003": {"d[t-judge]": {"0.4.0": LOST}, "d[t-java]": {"0.4.0": NEW}}})
    assert kept.registered("XTF-003", "d[t-java]", "0.4.0-incubating") == NEW


def test_a_covered_release_takes_no_other_ones_extent() -> None:
    """That it is not registered there is to be seen."""
    kept = Extents({"XTF-003": {TEST: {"0.4.0": NEW}, "another[t]": {"0.3.0": OLD}}})
    assert kept.registered("XTF-003", TEST, "0.3.0-incubating") is None


def test_the_files_that_the_metadata_does_not_list_are_files() -> None:
    finding = found(files=1, rows=10)
    assert Extent.of(replace(finding, impact=replace(finding.impact, unlisted=2, losing=3, lost=4))) == Extent(
        3, 10, ("d",), 3, 4
    )


REGISTERED = "XTF-003 registers 1 file with 2 rows."
CHANGES = {
    "more files": (Extent(2, 2), f"{REGISTERED} Seen: 2 files with 2 rows."),
    "fewer files": (Extent(0, 0), f"{REGISTERED} Seen: 0 files with 0 rows."),
    "other files": (Extent(1, 3), f"{REGISTERED} Seen: 1 file with 3 rows."),
    "a column": (Extent(1, 2, ("d",)), f"{REGISTERED} Seen: 1 file with 2 rows, in d."),
    "a predicate": (
        Extent(1, 2, losing=1, wrong=1),
        f"{REGISTERED} Seen: 1 file with 2 rows, 1 predicate that loses rows, 1 row lost or wrong.",
    ),
}


@pytest.mark.parametrize(("seen", "sentence"), CHANGES.values(), ids=CHANGES)
def test_each_difference_is_a_change(seen: Extent, sentence: str) -> None:
    assert changed("XTF-003", OLD, seen) == sentence


def test_the_registered_extent_is_no_change() -> None:
    assert changed("XTF-003", OLD, OLD) == ""


@pytest.mark.parametrize(
    ("release", "since", "run"),
    [
        ("0.4.0-incubating", None, "0.4.0"),
        ("0.4.0-SNAPSHOT", "0.2.0-incubating", "0.2.0-to-0.4.0"),
        ("a.jar", None, "a.jar"),
    ],
)
def test_a_run_is_named_by_numbers(release: str, since: str | None, run: str) -> None:
    assert run_of(release, since) == run


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "findings.extents.json").write_text(written(KEPT), encoding="utf-8")
    assert load_extents(tmp_path / "findings.toml") == KEPT


def test_runs_of_one_extent_share_a_line() -> None:
    kept = Extents({"XTF-003": {TEST: {"0.3.0": OLD, "0.4.0": OLD}}})
    assert f'  "{TEST}": {{"0.3.0 0.4.0": {{"files": 1, "rows": 2}}}}\n' in written(kept)


def test_a_register_without_the_file_has_no_extents(tmp_path: Path) -> None:
    assert load_extents(tmp_path / "findings.toml") is None


@pytest.mark.parametrize("text", ["{", "[]", '{"XTF-003": 7}', '{"XTF-003": {"t": {"0.4.0": {"size": 1}}}}'])
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "findings.extents.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadRegister, match=r"^findings\.extents\.json cannot be read \(.*\): restore it from git\.$"):
        load_extents(tmp_path / "findings.toml")
