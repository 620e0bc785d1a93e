"""A cause is known on tables that the register does not name, and a look-alike with another cause stays new."""

from __future__ import annotations

import pytest

from lab.provision.register import REGISTER, register
from tests.run.conftest import Audit, Ran
from xtable_audit.register.entry import Entry

BY_CAUSE = [entry for entry in register(REGISTER) if entry.with_sign]
CLAIMS = "bounds_contain_values or bounds_are_of_values"
TABLES = "types_millis or types_nan or types_nulls or types_long or types_emoji or delta_micros or delta_decimals"
ENTRY = """
[[finding]]
id = "{id}"
title = "{title}"
cause = "…"
common = "everyday"
threads = []
searched = "2026-11-22"
remedy = "none known"
condition = "…"
[[finding.where]]
sign = "{sign}"
claims = [{claims}]
subjects = ["{elsewhere}"]
component = "xtable"
releases = ">=0.2,<0.5"
verdict = "{verdict}"
kind = "violation"
blame = "{blame}"
"""
"""An entry that names none of the tables, and knows its cause."""


ELSEWHERE = ("good_layout-xtable", "bad_layout-xtable", "good_layout-control")


def by_cause_alone(entry: Entry, elsewhere: str) -> str:
    known = entry.with_sign[0]
    claims = ", ".join(sorted({f'"{claim}"' for one in entry.with_sign for claim in one.claims}))
    return ENTRY.format(
        id=entry.id,
        title=entry.title,
        sign=known.sign,
        claims=claims,
        verdict=known.verdict,
        blame=known.blame,
        elsewhere=elsewhere,
    )


@pytest.fixture(scope="module")
def ran(audit: Audit, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """An audit by a register that knows causes, and no table."""
    file = tmp_path_factory.mktemp("register") / "findings.toml"
    file.write_text("".join(by_cause_alone(*pair) for pair in zip(BY_CAUSE, ELSEWHERE, strict=True)), encoding="utf-8")
    return audit("-k", f"({CLAIMS}) and ({TABLES})", "--readers=none", f"--findings={file}")


def found(ran: Ran, entry: str | None) -> set[tuple[str, str]]:
    """Claim and table of the findings that are known as the entry; of the new ones for None."""
    findings = [claim["finding"] for claim in ran.document["claims"] if claim["finding"]]
    return {(one["claim"], one["table"]) for one in findings if one["registered"] == entry}


def named(entry: Entry, ran: Ran) -> set[tuple[str, str]]:
    """The claims on tables of this run for which the register itself names the entry."""
    ids = {(claim["claim"], claim["table"]) for claim in ran.document["claims"]}
    blocks = [where for where in entry.where if where.covers("0.4.0") and where.upgrade_from is None]
    return {(claim, table) for where in blocks for claim in where.claims for table in where.subjects} & ids


@pytest.mark.parametrize("entry", BY_CAUSE, ids=lambda entry: entry.id)
def test_a_cause_is_known_on_some_table_that_the_register_does_not_name(ran: Ran, entry: Entry) -> None:
    assert found(ran, entry.id), ran.text


@pytest.mark.parametrize("entry", BY_CAUSE, ids=lambda entry: entry.id)
def test_nothing_is_known_as_a_cause_but_what_the_register_names(ran: Ran, entry: Entry) -> None:
    """Where the register does name tables, a person has looked at each of them."""
    assert found(ran, entry.id) <= named(entry, ran), ran.text


def test_look_alikes_with_another_cause_stay_new(ran: Ran) -> None:
    """Wrong bounds of long strings, of code points above U+FFFF, and of Delta's timestamps and decimals."""
    others = {table.partition("_")[0] for _, table in found(ran, None)}
    assert (ran.status, {"types", "delta"} <= others) == (1, True), ran.text
