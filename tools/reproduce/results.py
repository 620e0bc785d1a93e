"""How each reproduction ended: `docs/findings/reproduced.json`, a row for each finding, release and way of running."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from lab.stack.cache import write_atomically
from lab.stack.project import ROOT

RESULTS = ROOT / "docs" / "findings" / "reproduced.json"
PRESENT, GONE, COULD_NOT_RUN = "FAULT PRESENT", "FAULT GONE", "COULD NOT RUN"


@dataclass(frozen=True, order=True)
class Reproduction:
    """What is run: `make reproduce` of a finding, at a release of what the finding is about."""

    finding: str
    component: str
    release: str
    first: str = ""
    """For an upgrade in place: the release that makes the first sync."""
    warm: bool = False
    recovered: bool = False
    """Whether XTable's metadata was dropped at the end, and the table synced anew."""

    def __str__(self) -> str:
        first = f"{self.first} to " if self.first else ""
        how = (", in a warm JVM" if self.warm else "") + (", then synced anew" if self.recovered else "")
        return f"{self.finding} at {self.component} {first}{self.release}{how}"


@dataclass(frozen=True)
class Result:
    """How the trial ended, by the last line of its script."""

    ended: str
    """FAULT PRESENT, FAULT GONE, SYNC FAILED, ANOTHER FORM, NOT CHECKED or COULD NOT RUN."""
    claim: str
    verdict: str
    """Those of the finding's headline at that release."""
    why: str
    day: date
    digest: str
    """Of the classes that were run: what a release is called does not say what it is."""
    script: str
    """Digest of the finding's own folder: a row of another script is an old one."""
    claims: dict[str, str] = field(default_factory=dict)
    """Each claim of the finding: the verdicts at which it was seen, "not seen", or why it could not be tried."""


def load(path: Path = RESULTS) -> dict[Reproduction, Result]:
    """Empty if there is no such file."""
    if not path.is_file():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {
        Reproduction(**row["trial"]): Result(**(row["result"] | {"day": date.fromisoformat(row["result"]["day"])}))
        for row in rows
    }


def save(results: dict[Reproduction, Result], path: Path = RESULTS) -> None:
    """In the order of findings and releases, so that a row that is run again changes its own lines alone."""
    rows = [
        {"trial": asdict(trial), "result": asdict(result) | {"day": result.day.isoformat()}}
        for trial, result in sorted(results.items())
    ]
    write_atomically(path, (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode())


def of_finding(results: dict[Reproduction, Result], id: str) -> dict[Reproduction, Result]:
    return {trial: result for trial, result in results.items() if trial.finding == id}


def in_words(claims: dict[str, object]) -> dict[str, str]:
    """`result.json`'s claims, each as a text."""
    return {claim: value if isinstance(value, str) else _verdicts(value) for claim, value in claims.items()}


def _verdicts(verdicts: object) -> str:
    return ", ".join(map(str, verdicts)) if isinstance(verdicts, Iterable) and verdicts else "not seen"
