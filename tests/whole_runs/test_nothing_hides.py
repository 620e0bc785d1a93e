"""A known finding hides no other one, nor more of the same; known by its cause elsewhere, it hides no look-alike."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from lab.provision.checked_register import REGISTER, register
from tests.whole_runs.run import Audit, Ran
from tests.whole_runs.spoilt import COLUMN, TABLE
from xtable_audit.register.entry import Entry
from xtable_audit.register.extent import TO_DO, path_of_extents

SELECTED = ("suites/bounds", "-k", f"{TABLE}-xtable and bounds_contain_values and not after")
MORE = {
    "in more files": ("x", "Seen: 2 files with 2 rows, in x."),
    "in more columns": ("keep", "Seen: 3 files with 3 rows, in keep and x."),
}
"""A column that loses its bounds in every file; only x, in one file, is registered without."""
TABLE_OF_XTF_026 = "history_drop_columns-xtable"
"""It reproduces the finding."""
PRESENT = ("suites/bounds", "--readers=none", "-k", "edge_column_back-xtable and bounds_are_present and not after")
BY_CAUSE = [entry for entry in register(REGISTER) if entry.with_sign]
CLAIMS = ("bounds_contain_values", "bounds_are_of_values")
TABLES = ("types_millis", "types_nan", "types_nulls", "types_long", "types_emoji", "delta_micros", "delta_decimals")
ENTRY = """
[{id}]
title = "{title}"
cause = "…"
common = "everyday"
searched = "2026-11-22"
remedy = "none known"
condition = "…"
[[{id}.where]]
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
    selected = " or ".join(f"{claim} and {table}" for claim, table in product(CLAIMS, TABLES))
    return audit("-k", selected, "--readers=none", f"--findings={file}")


def found(ran: Ran, entry: str | None) -> set[tuple[str, str]]:
    """Claim and table of the findings that are known as the entry; of the new ones for None."""
    findings = [claim["finding"] for claim in ran.document["claims"] if claim["finding"]]
    return {(one["claim"], one["table"]) for one in findings if one["registered"] == entry}


def named(entry: Entry, ran: Ran) -> set[tuple[str, str]]:
    """The claims on tables of this run for which the register itself names the entry."""
    ids = {(claim["claim"], claim["table"]) for claim in ran.document["claims"]}
    blocks = [where for where in entry.where if where.covers("0.4.0") and where.upgrade_from is None]
    return {(claim, table) for where in blocks for claim in where.claims for table in where.subjects} & ids


# A known finding hides no other one of the same claim and table, nor more of the same.


def test_the_finding_alone_is_known(audit: Audit) -> None:
    ran = audit(*SELECTED)
    assert (ran.status, set(ran.outcomes().values())) == (0, {"known"}), ran.text


def test_a_second_fault_in_another_column_is_new(audit: Audit) -> None:
    ran = audit("-p", "tests.whole_runs.spoilt", *SELECTED)
    [claim] = ran.document["claims"]
    assert (ran.status, claim["outcome"], claim["finding"]["registered"]) == (1, "finding", None), ran.text
    assert COLUMN in claim["finding"]["columns"]


@pytest.mark.parametrize(("column", "seen"), MORE.values(), ids=MORE)
def test_more_of_a_known_finding_is_changed_and_fails(audit: Audit, tmp_path: Path, column: str, seen: str) -> None:
    """Though the entry of this register would describe it."""
    register = edited(tmp_path, {"files": 1, "rows": 1, "columns": ["x"]}, columns=["x", "keep"])
    options = ("-p", "tests.whole_runs.spoilt", f"--findings={register}", *PRESENT)
    ran = audit(*options, environment={"SPOILT": f"edge_column_back:{column}"})
    [claim] = ran.document["claims"]
    finding = claim["finding"]
    assert (ran.status, claim["outcome"], finding["registered"]) == (1, "finding", None), ran.text
    assert (finding["changed_from"], finding["change"]) == (
        "XTF-026",
        f"XTF-026 registers 1 file with 1 row, in x. {seen}",
    )
    assert "FINDING  LOOSE · changed from XTF-026 · edge_column_back-xtable · column" in ran.text


def test_as_much_of_it_as_is_registered_is_known(audit: Audit) -> None:
    ran = audit(*PRESENT)
    assert (ran.status, list(ran.outcomes().values())) == (0, ["known"]), ran.text


def edited(folder: Path, extent: dict[str, Any] | None, *, columns: Sequence[str] = ("x",)) -> Path:
    """A register of XTF-026 alone, which names edge_column_back and these columns, with this extent there, or none."""
    named = f'subjects = ["edge_column_back-xtable", "{TABLE_OF_XTF_026}"]\ncolumns = {json.dumps([*columns])}\n'
    where = f"""
[[XTF-026.where]]
claims = ["bounds_are_present"]
releases = ">=0.2,<0.5"
verdict = "LOOSE"
kind = "quality"
blame = "xtable"
{named}"""
    register = alone(folder, "XTF-026", where)
    extents = {"XTF-026": {"bounds_are_present[edge_column_back-xtable]": {"0.4.0": extent} if extent else {}}}
    path_of_extents(register).write_text(json.dumps(extents), encoding="utf-8")
    return register


def alone(folder: Path, id: str, where: str = "") -> Path:
    """A register of this entry alone; with `where`, in place of its own blocks. There are no extents beside it."""
    head, *entries = re.split(r"^(?=\[XTF-)", REGISTER.read_text(encoding="utf-8"), flags=re.MULTILINE)
    [text] = (one for one in entries if one.startswith(f"[{id}]"))
    if where:
        text = text.partition("where = [")[0] + where
    register = folder / REGISTER.name
    register.write_text(f"{head}{text}", encoding="utf-8")
    return register


OTHER = {
    "more files than there are": (
        {"files": 2, "rows": 2, "columns": ["x"]},
        "XTF-026 registers 2 files with 2 rows, in x. Seen: 1 file with 1 row, in x.",
    ),
    "more columns than there are": (
        {"files": 1, "rows": 1, "columns": ["keep", "x"]},
        "XTF-026 registers 1 file with 1 row, in keep and x. Seen: 1 file with 1 row, in x.",
    ),
    "nothing": (
        None,
        f"XTF-026 registers no extent for this test and release; {TO_DO}. Seen: 1 file with 1 row, in x.",
    ),
}


@pytest.mark.parametrize(("registered", "words"), OTHER.values(), ids=OTHER)
def test_another_registered_extent_fails_in_one_sentence(
    audit: Audit, tmp_path: Path, registered: dict[str, Any] | None, words: str
) -> None:
    ran = audit(*PRESENT, f"--findings={edited(tmp_path, registered)}")
    [claim] = ran.document["claims"]
    assert (ran.status, claim["outcome"], claim["finding"]["change"]) == (1, "finding", words), ran.text
    assert "  change    XTF-026 registers" in ran.text


def test_a_known_finding_whose_claim_has_nothing_to_compare_is_not_gone(audit: Audit) -> None:
    """A release that writes no bounds has no wrong ones. The claim was not judged, and that is no pass."""
    ran = audit("-p", "tests.whole_runs.spoilt", *SELECTED, environment={"SPOILT": f"{TABLE}:*"})
    [claim] = ran.document["claims"]
    assert (ran.status, claim["outcome"], ran.document["verdict"]) == (6, "inconclusive", "INCONCLUSIVE"), ran.text
    assert "not judged, though registered as XTF-003: the claim needs " in claim["reason"]
    assert "is gone" not in ran.text


def test_that_it_has_nothing_to_compare_is_a_finding_of_its_own(audit: Audit) -> None:
    present = ("suites/bounds", "-k", f"{TABLE}-xtable and bounds_are_present and not after")
    ran = audit("-p", "tests.whole_runs.spoilt", *present, environment={"SPOILT": f"{TABLE}:*"})
    assert (ran.status, list(ran.outcomes().values())) == (1, ["finding"]), ran.text


def test_a_register_without_extents_compares_none(audit: Audit, tmp_path: Path) -> None:
    """It says so: more of the same would go unnoticed."""
    register = edited(tmp_path, None)
    path_of_extents(register).unlink()
    ran = audit(*PRESENT, f"--findings={register}")
    assert (ran.status, list(ran.outcomes().values())) == (0, ["known"]), ran.text
    assert "compares no extents" in " ".join(ran.document["notes"])


def test_a_table_of_another_size_has_no_registered_extent(audit: Audit, tmp_path: Path) -> None:
    """The trips have as many rows as --scale says."""
    register = alone(tmp_path, "XTF-001")
    path_of_extents(register).write_text("{}")
    trips = (
        "suites/selection",
        "-k",
        "good_layout-xtable and newest_metadata_is_read and daft",
        f"--findings={register}",
    )
    ran = audit(*trips)
    assert (ran.status, set(ran.outcomes().values())) == (1, {"finding"}), ran.text
    ran = audit(*trips, "--scale=0.02")
    assert (ran.status, set(ran.outcomes().values())) == (0, {"known"}), ran.text


# A cause is known on tables that the register does not name, and a look-alike with another cause stays new.


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
