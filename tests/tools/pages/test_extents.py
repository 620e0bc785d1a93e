"""findings.extents.json: it belongs to the register, and a run's documents write anew what they judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lab.provision.checked_register import REGISTER, extents, register
from lab.stack.versions import releases
from tests.xtable_audit.report.runs import claim, document, found
from tools.pages.extents import renewed
from xtable.writer import ways
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.extent import Extent, Extents, path_of_extents, run_of, written
from xtable_audit.report.document import Document, UnreadableDocument

ENTRIES = register(REGISTER)
TABLE, ENTRY, TEST = "types_nan_plain-xtable", "XTF-003", "bounds_contain_values[types_nan_plain-xtable]"
OLD, NEW = Extent(1, 2), Extent(2, 10, ("d",))


def kept(**runs: Extent) -> Extents:
    """By `r0_4_0=OLD`."""
    return Extents({ENTRY: {TEST: {name[1:].replace("_", "."): extent for name, extent in runs.items()}}})


def known(**changed: Any) -> ClaimResult:
    [block] = (
        one
        for entry in ENTRIES
        if entry.id == ENTRY
        for one in entry.where
        if TABLE in one.subjects
        and "bounds_contain_values" in one.claims
        and one.covers("0.4.0")
        and not one.upgrade_from
    )
    saw = f"{' '.join(block.saw)} for part-1.parquet"
    fitting: dict[str, Any] = {"verdict": str(block.verdict), "blame": str(block.blame), "saw": saw, "files": 2}
    return claim("known", **{"table": TABLE, "registered": ENTRY} | fitting | changed)


def of(*claims: ClaimResult, **changed: Any) -> Document:
    return document(*claims, **changed)


def test_it_is_as_the_command_writes_it_and_names_nothing_that_no_entry_describes() -> None:
    whole = extents(REGISTER)
    assert whole is not None
    assert written(renewed(whole, (), ENTRIES)) == path_of_extents(REGISTER).read_text(encoding="utf-8")


def test_it_has_each_covered_release_and_each_upgrade_between_two() -> None:
    whole = extents(REGISTER)
    assert whole is not None
    every = ways(releases())
    assert whole.runs == {run_of(one.release.version, one.since.version if one.since else None) for one in every}


def test_a_known_finding_is_written_at_its_release() -> None:
    assert renewed(kept(r0_3_0=OLD), [of(known())], ENTRIES) == kept(r0_3_0=OLD, r0_4_0=NEW)


def test_a_changed_finding_is_written_as_it_is_now() -> None:
    seen = claim("finding", table=TABLE)
    assert seen.finding is not None
    finding = replace(known().finding or found(), registered=None, changed_from=ENTRY, change="XTF-003 registers …")
    again = replace(seen, finding=replace(finding, again=seen.finding.again))
    assert renewed(kept(r0_4_0=OLD), [of(again)], ENTRIES) == kept(r0_4_0=NEW)


def test_a_claim_that_holds_now_is_left_out() -> None:
    assert renewed(kept(r0_3_0=OLD, r0_4_0=OLD), [of(claim(table=TABLE))], ENTRIES) == kept(r0_3_0=OLD)


def test_what_a_partial_run_does_not_judge_stays() -> None:
    assert renewed(kept(r0_4_0=OLD), [of(claim(table="another-xtable"))], ENTRIES) == kept(r0_4_0=OLD)


def test_a_release_that_the_entry_does_not_cover_is_left_out() -> None:
    assert renewed(kept(r0_1_0=OLD, r0_4_0=OLD), (), ENTRIES) == kept(r0_4_0=OLD)


OTHERS = {
    "that follows from an unreadable table": known(cause=Cause.FOLLOWS),
    "that is new": claim("finding", TABLE),
    "known by its cause on another table": known(table="trips-xtable"),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_no_other_finding_has_an_extent(other: ClaimResult) -> None:
    assert renewed(Extents({}), [of(other)], ENTRIES) == Extents({})


def test_a_release_that_the_register_does_not_cover_has_none() -> None:
    with pytest.raises(UnreadableDocument, match=r"This run is of XTable 0\.5\.0, which the register does not cover"):
        renewed(kept(r0_4_0=OLD), [of(known(), release="0.5.0-SNAPSHOT")], ENTRIES)
