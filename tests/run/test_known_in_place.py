"""The register after an upgrade in place: what it alone shows must fail, what any metadata shows may be gone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fixtures.known import put_in_force
from lab.provision.catalogue import Catalogue
from lab.provision.plan import Plan
from xtable_audit.claims.bounds import bounds_contain_values as CLAIM

TEST = "suites/bounds/test_bounds.py::test_bounds_contain_values"
TABLE = "types_nan_plain-xtable"
PLAIN = f"""
[[finding]]
id = "XTF-001"
title = "bounds are false"
component = "xtable"
cause = "it is not known"
condition = "any"
common = "rare"
threads = []
searched = "2026-11-22"
remedy = "none known"
releases = ">=0.4,<0.5"
verdict = "UNSOUND"
kind = "violation"
blame = "xtable"
claims = ["{CLAIM.id}"]
subjects = ["{TABLE}"]
"""
STALE = PLAIN.replace("XTF-001", "XTF-002") + 'upgrade_from = ">=0.2,<0.3"\n'
FROM = "0.2.0-incubating"


def marks(folder: Path, text: str, since: str | None, reads_by: str = "auto") -> list[tuple[str, bool]]:
    """Which entry is in force for the test, and whether it must fail."""
    (folder / "findings.toml").write_text(text)
    held: list[pytest.MarkDecorator] = []
    item: Any = SimpleNamespace(
        nodeid=f"{TEST}[{TABLE}]",
        function=SimpleNamespace(claim=CLAIM),
        callspec=SimpleNamespace(params={"table": TABLE}),
        stash={},
        add_marker=held.append,
    )
    plan = Plan(upgrade_from=since, delta_source_by=reads_by, findings=folder / "findings.toml")
    run: Any = SimpleNamespace(plan=plan, catalogue=Catalogue(plan), versions={"xtable": "0.4.0-incubating"})
    put_in_force([item], run)
    return [(mark.kwargs["reason"][:7], mark.kwargs["strict"]) for mark in held]


@pytest.mark.parametrize(
    ("text", "since", "marked"),
    [
        (PLAIN, None, [("XTF-001", True)]),
        (PLAIN, FROM, [("XTF-001", False)]),
        (STALE, None, []),
        (STALE, FROM, [("XTF-002", True)]),
        (PLAIN + STALE, FROM, [("XTF-002", True)]),
        (PLAIN + STALE, "0.3.0-incubating", [("XTF-001", False)]),
    ],
    ids=["any, alone", "any, in place", "stale, alone", "stale, in place", "both, in place", "both, from another"],
)
def test_what_is_known_of_a_table(tmp_path: Path, text: str, since: str | None, marked: list[tuple[str, bool]]) -> None:
    assert marks(tmp_path, text, since) == marked


@pytest.mark.parametrize(("reads_by", "known"), [("auto", 1), ("spark", 1), ("kernel", 0), ("kernel-after-spark", 0)])
def test_the_register_speaks_of_xtable_that_reads_delta_by_spark(tmp_path: Path, reads_by: str, known: int) -> None:
    assert len(marks(tmp_path, PLAIN, None, reads_by)) == known
