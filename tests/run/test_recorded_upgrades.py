"""Upgrades in place on recordings: the findings about them are shown again, and nothing is left out in silence."""

from __future__ import annotations

import pytest

from lab.provision.register import REGISTER, register
from lab.stack.cache import Cache
from lab.stack.versions import releases
from tests.run.conftest import Audit
from xtable.replay import BATTERY_RECORDINGS, Recording, unpacked
from xtable.writer import Way, ways
from xtable_audit.model.subject_id import SubjectId

UPGRADES = [way for way in ways(releases()) if way.since]
IN_PLACE = ("--upgrade-from=0.2.0", "--xtable=0.4.0", "--readers=none")
ONE_TABLE = ("suites/bounds", "-k", "types_decimal_index and contain_values")
STALE = "suites/bounds/test_bounds.py::test_bounds_contain_values"


def test_what_an_earlier_release_wrote_is_still_there(audit: Audit) -> None:
    ran = audit(*IN_PLACE, *ONE_TABLE)
    assert (ran.status, ran.outcomes()[f"{STALE}[types_decimal_index-xtable]"]) == (0, "known"), ran.text


def test_a_release_alone_does_not_write_it(audit: Audit) -> None:
    ran = audit("--xtable=0.4.0", "--readers=none", *ONE_TABLE)
    assert (ran.status, ran.outcomes()[f"{STALE}[types_decimal_index-xtable]"]) == (0, "held"), ran.text


def test_tables_that_no_upgrade_is_recorded_of_are_left_out_by_a_word(audit: Audit) -> None:
    ran = audit("suites/bounds", *IN_PLACE, "-k", "types_decimal_i and contain_values")
    assert "those that findings name; the run audits no others" in " ".join(ran.text.split()), ran.text
    assert {SubjectId.parse(test.partition("[")[2]).dataset for test in ran.outcomes()} == {"types_decimal_index"}


@pytest.mark.parametrize("way", UPGRADES, ids=lambda way: way.name)
def test_every_table_that_a_finding_about_upgrades_names_is_recorded(way: Way) -> None:
    recording = Recording.open(
        way.release.version, unpacked(BATTERY_RECORDINGS, Cache()), way.since.version if way.since else None
    )
    named = {
        SubjectId.parse(table).dataset
        for entry in register(REGISTER)
        for where in entry.where
        if where.upgrade_from is not None
        for table in where.subjects
    }
    assert named <= set(recording.datasets)
