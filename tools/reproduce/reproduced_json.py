"""The trials of a finding, by release, and how each ended: `docs/findings/reproduced.json`."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path

from lab.engines.readers import ADAPTERS
from lab.stack.cache import write_atomically
from lab.stack.jars import is_resolvable, resolve_spark_jars, resolve_xtable_jars
from lab.stack.project import ROOT
from lab.stack.versions import hudi_releases, release, releases, stack_with_hudi, trino
from tools.reproduce.finding import ReproducedBy, headlines, newest_with, of_upgrades, shown_by, table_of, way_of
from tools.reproduce.folder import texts
from xtable_audit.register.entry import Entry

# How each reproduction ended: `docs/findings/reproduced.json`, a row for each finding, release and way of running.

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


# The trials of a finding: every release that it names, the first one without it, and main where it resolves.


def trials_of(entry: Entry, main: str = "") -> Iterator[Reproduction]:
    """`main` is the version of a build of XTable's main branch, "" for none."""
    match way_of(entry):
        case ReproducedBy.SYNC if of_upgrades(entry):
            yield from _upgrades(entry, main)
        case ReproducedBy.SYNC:
            known = [one.version for one in releases()][::-1]
            for one in [*_named_and_next(entry, known), *([main] if main else [])]:
                yield Reproduction(entry.id, "xtable", one)
                if _needs_a_warm_jvm(entry, one, known):
                    yield Reproduction(entry.id, "xtable", one, warm=True)
            if entry.recovers:
                newest = newest_with(entry).version
                warm = _needs_a_warm_jvm(entry, newest, known)
                yield Reproduction(entry.id, "xtable", newest, warm=warm, recovered=True)
        case ReproducedBy.SPARK:
            known = [one.version for one in hudi_releases()][::-1]
            for one in _named_and_next(entry, known):
                yield Reproduction(entry.id, "hudi", one)
        case ReproducedBy.READER:
            [reader] = entry.components
            yield Reproduction(
                entry.id, reader, trino().version if reader == "trino" else version(ADAPTERS[reader].distribution)
            )


def _needs_a_warm_jvm(entry: Entry, version: str, known: Sequence[str]) -> bool:
    return entry.warm is not None and version in known and entry.warm.releases.contains(release(version).short)


def _named_and_next(entry: Entry, known: Sequence[str]) -> Iterator[str]:
    """The releases that the finding names on its table, and the first one after them. `known`: oldest first."""
    named = headlines(entry)
    last = max(known.index(one) for one in named)
    return (one for place, one in enumerate(known) if one in named or place == last + 1)


def _upgrades(entry: Entry, main: str) -> Iterator[Reproduction]:
    known = [one.version for one in releases()][::-1]
    for after, here in shown_by(entry).items():
        for before in known[: known.index(after)]:
            if any(where.in_force(after, since=before) for where in here):
                yield Reproduction(entry.id, "xtable", after, first=before)
    if main:
        yield Reproduction(entry.id, "xtable", main, first=known[0])


def command(trial: Reproduction, folder: Path) -> list[str]:
    """The options of `python -m tools reproduce` for the trial."""
    options = [trial.finding, f"--folder={folder}"]
    if trial.component in ("xtable", "hudi"):
        options += [f"--{trial.component}", trial.release]
    if trial.first:
        options += ["--from", trial.first]
    return [*options, *(["--warm"] if trial.warm else []), *(["--recover"] if trial.recovered else [])]


def resolves(trial: Reproduction) -> bool:
    """Whether the releases of XTable can be had."""
    named = [one for one in (trial.release, trial.first) if one] if trial.component == "xtable" else []
    return all(is_resolvable(release(one)) for one in named)


def digest_of(trial: Reproduction) -> str:
    """Of the classes of XTable's own jars, of Hudi's bundle; a reader's is its version."""
    match trial.component:
        case "xtable":
            jars = resolve_xtable_jars(release(trial.release))
            return _classes(jar for jar in jars if jar.name.startswith("xtable-"))
        case "hudi":
            jars = resolve_spark_jars(stack_with_hudi(trial.release))
            return _classes(jar for jar in jars if jar.name.startswith("hudi-"))
        case _:
            return trial.release


def _classes(jars: Iterator[Path]) -> str:
    """Independent of when and in which order a jar was packed."""
    lines = sorted(
        f"{one.filename} {one.CRC:08x}"
        for jar in jars
        for one in zipfile.ZipFile(jar).infolist()
        if one.filename.endswith(".class")
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def script_of(entry: Entry) -> str:
    """Digest of the finding's own folder."""
    content = "\0".join(f"{name}\0{text}" for name, text in sorted(texts(entry).items()))
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def table_name(entry: Entry) -> str:
    """What two trials must not write at once."""
    return entry.id if way_of(entry) is ReproducedBy.READER else table_of(entry).name
