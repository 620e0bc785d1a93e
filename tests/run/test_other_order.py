"""The register's words match a finding whichever of several files it names."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from lab.provision.register import REGISTER
from lab.stack.versions import releases
from tests.run.conftest import Audit, Ran
from xtable_audit.register.extent import path_of_extents

HELD = ("-p", "tests.run.held", "--readers=none")
"""The tests that the register holds to its words, and no others."""
IN_OTHER_ORDER = (*HELD, "-p", "tests.run.other_order")
NEWEST, *_, OLDEST = (one.short for one in releases())  # they are known newest first


@pytest.fixture(scope="module")
def backwards(audit: Audit) -> Ran:
    return audit(*IN_OTHER_ORDER, "--xtable", NEWEST)


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
