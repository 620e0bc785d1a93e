"""A lake on this disk, and the command in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.forks import NOTHING_DRAWN
from tests.tables.lake import Lake
from xtable_audit.cli.main import run as run_command
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Document:
        """What `--json` printed."""
        return Document.from_json(self.out)


def outcomes(ran: Ran) -> dict[str, Outcome]:
    return {result.claim: result.outcome for result in ran.document.claims}


def findings(ran: Ran) -> set[str]:
    return {claim for claim, outcome in outcomes(ran).items() if outcome is Outcome.FINDING}


Command = Callable[..., Ran]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    folder = tmp_path / "lake"
    folder.mkdir()
    made = Lake.at(folder)
    yield made
    made.catalog.close()


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """`xtable-audit` in a folder of its own, with an empty cache. Its page has no drawings: `../report` has."""
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda chart: NOTHING_DRAWN)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))

    def command(*words: Any) -> Ran:
        capsys.readouterr()
        status = run_command([str(word) for word in words])
        out, err = capsys.readouterr()
        return Ran(status, out, err)

    return command
