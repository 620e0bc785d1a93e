"""The pictures of docs/images."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.audit.runs import claim, document
from tools.pages.screenshots import FINDING, IMAGES, main, take
from xtable_audit.model.problem import Problem
from xtable_audit.model.result import Owner
from xtable_audit.report.document import Registered

PNG = b"\x89PNG"
LARGEST = 400_000


@pytest.mark.usefixtures("browser")
def test_a_run_becomes_two_pictures(tmp_path: Path) -> None:
    run = document(claim("known", registered=FINDING))
    take(replace(run, register={FINDING: Registered("Milliseconds", "xtable", Owner.XTABLE, "everyday")}), tmp_path)
    assert {path.name: path.read_bytes()[:4] for path in tmp_path.iterdir()} == {"report.png": PNG, "finding.png": PNG}


@pytest.mark.usefixtures("browser")
def test_a_run_without_the_finding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=f"has not found {FINDING}: name the audit.json of a whole audit"):
        take(document(claim()), tmp_path)


def test_what_is_no_audit_ends_with_4(tmp_path: Path) -> None:
    assert main([str(tmp_path / "none.json")]) == 4


@pytest.mark.parametrize("name", ["report.png", "finding.png"])
def test_the_pictures_are_small(name: str) -> None:
    assert (IMAGES / name).stat().st_size < LARGEST
