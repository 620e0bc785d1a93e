"""How each finding is reproduced: a table that XTable syncs, one of Hudi's laboratory, files, or a recording."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

from packaging.version import Version

from lab.provision.plan import ON_REQUEST, SMALL_TABLES
from lab.stack.project import ROOT
from lab.stack.versions import HudiRelease, Release, hudi_releases, releases
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.battery.table import BatteryTable
from xtable.writer import HUDI as TO_HUDI
from xtable.writer import ICEBERG, WRITERS, Writer
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.model.finding import Verdict, worst
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import BY, DELTA, HUDI, SubjectId
from xtable_audit.register.entry import Entry, Where
from xtable_audit.report.document import Document

KIT_FOLDER = Path(__file__).with_name("kit")
BY_HAND = Path(__file__).with_name("readers")
"""Findings of readers: a folder for each, with a `check.py` that needs no table of this suite."""


class ReproducedBy(StrEnum):
    """By what a finding is reproduced."""

    SYNC = "a sync by XTable"
    SPARK = "Spark and Hudi alone"
    READER = "a reader alone"


def way_of(entry: Entry) -> ReproducedBy | None:
    """None for a finding that no small table shows."""
    if (BY_HAND / entry.id).is_dir():
        return ReproducedBy.READER
    if "xtable" in entry.components and _dataset(entry) in SMALL_TABLES:
        return ReproducedBy.SYNC
    return ReproducedBy.SPARK if "hudi" in entry.components and _dataset(entry) in LAB else None


def demanded_way(entry: Entry) -> ReproducedBy:
    """As `way_of`. Raises Problem for None."""
    way = way_of(entry)
    if way is None:
        raise Problem(
            f"{entry.id} is a finding of {entry.components[0]} that no small table shows: its page says more."
        )
    return way


def table_of(entry: Entry) -> BatteryTable:
    """The table that shows the finding best, by Hudi's newest release with it where it is Hudi's own.

    Raises KeyError for a reader's.
    """
    if way_of(entry) is ReproducedBy.SPARK:
        return replace(LAB[_dataset(entry)], hudi=newest_hudi_with(entry).version)
    return SMALL_TABLES[_dataset(entry)]


def writer_of(entry: Entry) -> Writer:
    """What of XTable writes the metadata that shows a finding of XTable. A control is one to Iceberg."""
    return WRITERS.get(_subject_id(entry).translator, ICEBERG)


def _dataset(entry: Entry) -> str:
    return _subject_id(entry).dataset


def _subject_id(entry: Entry) -> SubjectId:
    return SubjectId.parse(entry.reproduce or min(entry.subjects))


@dataclass(frozen=True)
class Headline:
    """What the page of a finding leads with at one release: the gravest of its claims that the kit looks for."""

    claim: str
    verdict: Verdict


def shown_by(entry: Entry) -> dict[str, list[Where]]:
    """The blocks of the register that hold on the finding's table, by known release, the oldest first."""
    component = "hudi" if way_of(entry) is ReproducedBy.SPARK else "xtable"
    return {
        release: found
        for release in _known(component)
        if (
            found := [
                where
                for where in entry.where
                if where.component == component
                and where.covers(release)
                and not where.at_times
                and (where.upgrade_from is None or of_upgrades(entry))
                and _subject(entry, release) in where.subjects
            ]
        )
    }


def _known(component: str) -> list[str]:
    of = {"hudi": [one.version for one in hudi_releases()], "xtable": [one.version for one in releases()]}
    return of[component][::-1]


def _subject(entry: Entry, release: str) -> str:
    translator = f"hudi{release}" if way_of(entry) is ReproducedBy.SPARK else writer_of(entry).id
    return f"{_dataset(entry)}-{translator}"


def headlines(entry: Entry) -> dict[str, Headline]:
    """By release, the oldest first. Raises ValueError if the kit looks for none of the gravest claims."""
    return {release: _gravest(entry, here) for release, here in shown_by(entry).items()}


def headline_at(entry: Entry, wanted: Release) -> Headline:
    """That of this release; of the newest release that has the finding where this one has it not."""
    shown = headlines(entry)
    return shown.get(wanted.version) or list(shown.values())[-1]


def _gravest(entry: Entry, here: list[Where]) -> Headline:
    verdict = worst([where.verdict for where in here])
    claims = [claim for where in here if where.verdict is verdict for claim in where.claims]
    for claim in sorted(claims, key=lambda claim: EVERY_CLAIM[claim].family == "planning"):  # what follows goes last
        if claim in looked_for(script_for(entry)):
            return Headline(claim, verdict)
    raise ValueError(f"{entry.id}: no script of the kit looks for a claim that fails at {verdict}")


def script_for(entry: Entry) -> str:
    """The kit's script that checks the finding's table."""
    if way_of(entry) is ReproducedBy.SPARK:
        return "check_skipping.py"
    return {ICEBERG.target: "check.py", TO_HUDI.target: "check_hudi.py"}.get(writer_of(entry).target, "check_delta.py")


@cache
def looked_for(script: str) -> frozenset[str]:
    """The claims that a script of the kit looks for. It is read, not imported: it needs a folder to run in."""
    for node in ast.parse((KIT_FOLDER / script).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CHECKED":
            return frozenset(ast.literal_eval(node.value))
    raise ValueError(f"{script} does not say what it looks for")


def newest_with(entry: Entry) -> Release:
    """The newest release of XTable that has the finding on its table."""
    subject = _subject(entry, "")
    having = [
        one
        for one in releases()
        if any(
            subject in where.subjects and where.releases.contains(Version(one.short)) for where in _of(entry, "xtable")
        )
    ]
    return having[0] if having else releases()[0]


def newest_hudi_with(entry: Entry) -> HudiRelease:
    """The newest release of Hudi that has the finding."""
    return next(
        one
        for one in hudi_releases()
        if any(where.releases.contains(Version(one.version)) for where in _of(entry, "hudi"))
    )


def _of(entry: Entry, component: str) -> list[Where]:
    return [where for where in entry.where if where.component == component]


def of_upgrades(entry: Entry) -> bool:
    """Whether only an upgrade in place shows it."""
    return all(where.upgrade_from is not None for where in entry.where)


# A finding of XTable where no release resolves: its claims on the recording of its table, by the suite.

PRESENT, NOT_TRIED = 1, 6


def options_of(entry: Entry, wanted: Release, claim: str) -> list[str]:
    """pytest's, for the claim on the recording of the finding's table."""
    writer = writer_of(entry)
    options = ["--recorded", f"--xtable={wanted.version}", "--readers=none", "-n0", "-rx"]
    if writer.reads_by_kernel:
        options += ["--delta-source-by=kernel"]
    if writer.target == DELTA:
        options += ["--target=delta", f"--delta-target-by={writer.id.partition(BY)[2]}"]
    if writer.target == HUDI:
        options += ["--target=hudi"]
    name = table_of(entry).name
    options += [f"--source-format={asked}" for asked, tables in ON_REQUEST.items() if name in tables]
    return [*options, "-k", f"{table_of(entry).name}-{writer.id} and {claim}"]


def replay(entry: Entry, wanted: Release) -> int:
    """1 if the recording shows the finding's headline, else 6: nothing was synced, so it cannot be known to be gone."""
    print(f"REPLAY: XTable {wanted.version} resolves neither from the local Maven repository nor online.")
    headline = headline_at(entry, wanted)
    command = [sys.executable, "-m", "pytest", "-q", *options_of(entry, wanted, headline.claim)]
    with tempfile.TemporaryDirectory() as out:
        command += [f"--out={out}"]
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        report = Path(out) / "latest" / "audit.json"
        there = report.is_file() and shows(Document.load(report), entry.id, headline.verdict)
    print(done.stdout)
    words = f"{headline.claim} at {headline.verdict} is {'in the recording' if there else 'not in the recording'}"
    print(f"REPLAY: {entry.id}: {words}; nothing was synced.")
    return PRESENT if there else NOT_TRIED


def shows(document: Document, entry: str, verdict: Verdict) -> bool:
    """Whether a claim that was judged fails as that entry registers it, with this verdict."""
    found = (one.finding for one in document.claims if one.finding is not None and not one.follows)
    return any((one.registered, one.verdict) == (entry, verdict) for one in found)
