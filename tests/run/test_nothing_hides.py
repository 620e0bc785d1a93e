"""A known finding hides no other one of the same claim and table, nor more of the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lab.provision.register import REGISTER
from tests.run.conftest import Audit
from tests.run.spoilt import COLUMN, TABLE
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


def test_the_finding_alone_is_known(audit: Audit) -> None:
    ran = audit(*SELECTED)
    assert (ran.status, set(ran.outcomes().values())) == (0, {"known"}), ran.text


def test_a_second_fault_in_another_column_is_new(audit: Audit) -> None:
    ran = audit("-p", "tests.run.spoilt", *SELECTED)
    [claim] = ran.document["claims"]
    assert (ran.status, claim["outcome"], claim["finding"]["registered"]) == (1, "finding", None), ran.text
    assert COLUMN in claim["finding"]["columns"]


@pytest.mark.parametrize(("column", "seen"), MORE.values(), ids=MORE)
def test_more_of_a_known_finding_is_changed_and_fails(audit: Audit, tmp_path: Path, column: str, seen: str) -> None:
    """Though the entry of this register would describe it."""
    register = edited(tmp_path, {"files": 1, "rows": 1, "columns": ["x"]}, columns=["x", "keep"])
    options = ("-p", "tests.run.spoilt_bounds", f"--findings={register}", *PRESENT)
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
[[finding.where]]
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
    head, *entries = REGISTER.read_text(encoding="utf-8").split("[[finding]]\n")
    [text] = (one for one in entries if one.startswith(f'id = "{id}"'))
    if where:
        text = text.partition("[[finding.where]]")[0] + where
    register = folder / REGISTER.name
    register.write_text(f"{head}[[finding]]\n{text}", encoding="utf-8")
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
    ran = audit("-p", "tests.run.spoilt_bounds", *SELECTED, environment={"SPOILT": f"{TABLE}:*"})
    [claim] = ran.document["claims"]
    assert (ran.status, claim["outcome"], ran.document["verdict"]) == (6, "inconclusive", "INCONCLUSIVE"), ran.text
    assert "not judged, though registered as XTF-003: the claim needs " in claim["reason"]
    assert "is gone" not in ran.text


def test_that_it_has_nothing_to_compare_is_a_finding_of_its_own(audit: Audit) -> None:
    present = ("suites/bounds", "-k", f"{TABLE}-xtable and bounds_are_present and not after")
    ran = audit("-p", "tests.run.spoilt_bounds", *present, environment={"SPOILT": f"{TABLE}:*"})
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
