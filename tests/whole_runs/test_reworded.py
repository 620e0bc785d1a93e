"""A run's outcomes come from what is so, not from how it is said or which of several files comes first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from lab.provision.checked_register import REGISTER
from lab.stack.versions import releases
from tests.whole_runs.reworded import OTHERWISE
from tests.whole_runs.run import Audit, Ran
from xtable_audit.register.extent import path_of_extents

TABLES = (
    "v8_native",
    "types_nan_plain",
    "partition_swapped",
    "history_overwrite_table",
    "history_clean",
    "history_drop_columns",
)
SELECTED = ("--readers=none", "-k", " or ".join(f"{table}-xtable" for table in TABLES))
HELD = ("-p", "tests.whole_runs.held_by_entries", "--readers=none")
"""Tests that the register holds to its words, and no others: see the plugin."""
IN_OTHER_ORDER = (*HELD, "-p", "tests.whole_runs.other_order")
NEWEST, *_, OLDEST = (one.short for one in releases())  # they are known newest first


@pytest.fixture(scope="module", autouse=True)
def every_table_if_asked(pytestconfig: pytest.Config) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        if pytestconfig.getoption("--every-table"):
            environment.setenv("EVERY_TABLE", "1")
        yield


@pytest.fixture(scope="module")
def plain(audit: Audit) -> Ran:
    return audit(*SELECTED)


@pytest.fixture(scope="module")
def reworded(audit: Audit) -> Ran:
    return audit("-p", "tests.whole_runs.reworded", *SELECTED)


def told(ran: Ran, *names: str) -> dict[str, tuple[Any, ...]]:
    return {claim["test"]: tuple(claim[name] for name in names) for claim in ran.document["claims"]}


@pytest.fixture(scope="module")
def backwards(audit: Audit) -> Ran:
    return audit(*IN_OTHER_ORDER, "--xtable", NEWEST)


# A run's outcomes come from what is so, not from how it is said: said otherwise, they are the same.


def test_outcomes_and_causes_are_the_same_in_other_words(plain: Ran, reworded: Ran) -> None:
    assert reworded.status == plain.status
    assert told(reworded, "outcome", "cause") == told(plain, "outcome", "cause")


def test_verdicts_and_blames_are_the_same_in_other_words(plain: Ran, reworded: Ran) -> None:
    def judged(ran: Ran) -> dict[str, tuple[Any, ...]]:
        found = {claim["test"]: claim["finding"] for claim in ran.document["claims"] if claim["finding"]}
        return {test: (one["verdict"], one["blame"], one["registered"]) for test, one in found.items()}

    assert judged(reworded) == judged(plain)


def test_the_run_has_what_could_be_told_by_words(plain: Ran) -> None:
    seen = {*told(plain, "outcome", "cause").values()}
    assert {("not_applicable", None), ("not_applicable", "refused"), ("known", None), ("known", "follows")} <= seen


def test_no_finding_is_known_by_what_it_says(plain: Ran, reworded: Ran) -> None:
    def said(ran: Ran) -> dict[str, str]:
        return {claim["test"]: claim["finding"]["saw"] for claim in ran.document["claims"] if claim["finding"]}

    before, after = said(plain), said(reworded)
    others = {test.partition("::test_")[2].partition("[")[0] for test, saw in after.items() if saw != before[test]}
    assert others >= {
        *("no_file_is_missing", "no_row_is_missing", "rows_are_as_many_after_a_sync"),
        "metadata_and_data_files_can_be_read",
    }


def test_the_words_are_others(plain: Ran, reworded: Ran) -> None:
    before, after = told(plain, "sentence", "reason"), told(reworded, "sentence", "reason")
    assert all(OTHERWISE.strip() in after[test][0].lower() for test in before)
    assert not any(reason and reason == after[test][1] for test, (_, reason) in before.items() if reason)


# The register's words match a finding whichever of several files it names.


def test_known_findings_are_known_in_the_other_order(backwards: Ran) -> None:
    assert (backwards.status, set(backwards.outcomes().values())) == (0, {"known"}), backwards.text


def test_findings_are_the_same_in_the_other_order(audit: Audit, backwards: Ran) -> None:
    """Word for word."""
    there, here = (
        {claim["test"]: claim["finding"] for claim in ran.document["claims"]}
        for ran in (audit(*HELD, "--xtable", NEWEST), backwards)
    )
    assert here == there != {}


def test_known_findings_of_an_upgrade_are_known_in_the_other_order(audit: Audit) -> None:
    """Some of the findings of either release may be gone by it, and then hold."""
    ran = audit(*IN_OTHER_ORDER, f"--upgrade-from={OLDEST}", "--xtable", NEWEST)
    outcomes = {test: outcome for test, outcome in ran.outcomes().items() if not _has_nothing(ran, test)}
    assert (ran.status, set(outcomes.values()) - {"held"}) == (0, {"known"}), ran.text


OF_THE_OLDER_RELEASE = (
    "the claim needs an earlier sync that left, unlike the last one, ",
    "the claim needs the commit that was synced last, ",  # 0.2.0 writes it into no snapshot
)


def _has_nothing(ran: Ran, test: str) -> bool:
    """Whether what the claim compares is not in what the older release left."""
    [told] = [one for one in ran.document["claims"] if one["test"] == test]
    return bool(told["outcome"] == "not_applicable" and told["reason"].startswith(OF_THE_OLDER_RELEASE))


@pytest.mark.parametrize(("level", "status"), [("info'", 0), ("warn'", 1)], ids=["the one reported", "another"])
def test_words_of_one_file_among_several_are_those_of_the_least(
    audit: Audit, tmp_path: Path, level: str, status: int
) -> None:
    """In either order it is the same one: the least by what was seen."""
    words = tmp_path / "findings.toml"
    register = REGISTER.read_text(encoding="utf-8")
    words.write_text(register.replace("'st.level=\"", f"'st.level={level}\""), encoding="utf-8")
    copy(path_of_extents(REGISTER), path_of_extents(words))
    of_one = ("--xtable", "0.3.0", f"--findings={words}", "-k", "partition_in_struct")
    assert [audit(*order, *of_one).status for order in (IN_OTHER_ORDER, HELD)] == [status] * 2
