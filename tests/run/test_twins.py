"""Every table of the battery has a claim that holds, or names its twin on which claims hold.

Where XTable leaves nothing that can be read, every claim fails as registered: such a table can find nothing new.
"""

from __future__ import annotations

from functools import cache

from fixtures.known import CAN_BE_READ
from lab.provision.register import REGISTER, register
from lab.stack.versions import releases
from spark_jobs.battery.tables import BATTERY
from tests.of_each import of_each
from tests.run.conftest import Audit

NEWEST = max(releases(), key=lambda one: one.order).short
TWINS = {name: table.twin for name, table in BATTERY.items() if table.twin}


@cache
def unreadable(release: str) -> set[str]:
    """The tables of the battery that are registered as unreadable with this release of XTable."""
    entries = register(REGISTER)
    return {
        name
        for name in BATTERY
        if any(entry.at(CAN_BE_READ, {"table": f"{name}-xtable"}, {"xtable": release}) for entry in entries)
    }


def test_the_tables_without_a_claim_that_holds_name_a_twin() -> None:
    assert unreadable(NEWEST) == TWINS.keys()


@of_each(("name", "twin"), TWINS.items(), ids=TWINS)
def test_a_twin_is_a_table_of_the_same_format_partitioned_alike_that_can_be_read(name: str, twin: str) -> None:
    one, other = BATTERY[name], BATTERY[twin]
    assert (one.format, bool(one.partition_by)) == (other.format, bool(other.partition_by))
    assert twin not in unreadable(NEWEST)


def test_claims_hold_on_the_twins_and_on_no_other_of_them(audit: Audit) -> None:
    """On recordings: the register is right about both."""
    named = " or ".join([*TWINS, *TWINS.values()])
    ran = audit("suites/files", "--readers=none", "-k", f"xtable and {CAN_BE_READ} and ({named})")
    outcomes = {test.partition("[")[2].removesuffix("-xtable]"): outcome for test, outcome in ran.outcomes().items()}
    assert outcomes == dict.fromkeys(TWINS, "known") | dict.fromkeys(TWINS.values(), "held"), ran.text
