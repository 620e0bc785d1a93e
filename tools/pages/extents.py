"""findings.extents.json: `python -m tools pages.extents [AUDIT_JSON …]`, or `make extents`.

On which tables each known finding is seen, at which releases, and how many files, rows and columns show it
(`xtable_audit/register/extent.py`, `xtable_audit/register/locked.py`). Without documents every recorded release and
upgrade in place is audited first, the registered tests alone, or those of `--tables`. With some, of a partial run
perhaps or of one with readers that need an engine, what they judged is written anew, and the rest stays. A new finding
that one entry's condition predicts becomes a known one (`predicted.py`); each other new one is printed. Of a new
table give the runs of every release at once: at another one an entry takes in no more of a table that it has.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lab.engines.readers import EMBEDDED
from lab.provision.register import REGISTER, extents, register, short_id
from lab.stack.cache import write_atomically
from lab.stack.project import ROOT
from lab.stack.versions import releases
from tools.pages.predicted import is_new, predicting
from xtable.archive import SUFFIX
from xtable.replay import BATTERY_RECORDINGS
from xtable.way import Way, ways
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.covers import covers
from xtable_audit.register.entry import Entry
from xtable_audit.register.extent import IN_PLACE, Extent, Extents, path_of_extents, run_of, written
from xtable_audit.report.document import Document, UnreadableDocument

XTABLE = "xtable"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools pages.extents", description=__doc__)
    parser.add_argument("documents", nargs="*", type=Path, metavar="AUDIT_JSON", help="of runs; all recordings if none")
    parser.add_argument("--tables", default="", metavar="NAME,…", help="audit these alone, whatever is registered")
    parser.add_argument("-n", default="auto", metavar="WORKERS", help="worker processes of each run (default: auto)")
    options = parser.parse_args(arguments)
    try:
        entries, kept = register(REGISTER), extents(REGISTER)
        with tempfile.TemporaryDirectory() as folder:
            which = ["-k", options.tables.replace(",", " or ")] if options.tables else ["--registered-only"]
            found = options.documents or list(_audited(entries, Path(folder), ["-n", options.n, *which]))
            documents = [Document.load(path) for path in found]
        made = renewed(kept or Extents({}), documents, entries)
        text = written(made)
        _check(text)
    except (pytest.UsageError, UnreadableDocument) as error:
        print(error, file=sys.stderr)
        return 2
    write_atomically(path_of_extents(REGISTER), text.encode())
    tests = sum(map(len, made.of.values()))
    print(
        f"{path_of_extents(REGISTER).name}: {tests} tests of {len(made.of)} entries, by {', '.join(sorted(made.runs))}"
    )
    return 0


def _check(text: str) -> None:
    """Raises UsageError if the register could not be read with these extents beside it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / REGISTER.name
        copy.write_bytes(REGISTER.read_bytes())
        path_of_extents(copy).write_text(text, encoding="utf-8")
        register(copy)


def renewed(kept: Extents, documents: Sequence[Document], entries: Sequence[Entry]) -> Extents:
    """The kept extents, with those of the documents in place of what they judged, without what no entry describes.

    Raises UnreadableDocument for a run whose extents are none of the register's.
    """
    of: dict[str, dict[str, dict[str, Extent]]] = {}
    judged = {(short_id(claim.test), _run(one)) for one in documents for claim in one.claims}
    for entry in entries:
        for test, seen in kept.of.get(entry.id, {}).items():
            still = {run: it for run, it in seen.items() if (test, run) not in judged and _describes(entry, test, run)}
            if still:
                of.setdefault(entry.id, {})[test] = still
    for document in documents:
        for claim in document.claims:
            if found := _entry(claim, entries) or _predicting(claim, document, entries):
                assert claim.finding is not None
                seen = of.setdefault(found.id, {}).setdefault(short_id(claim.test), {})
                seen[_run(document)] = Extent.of(claim.finding)
    return Extents(of)


def _entry(claim: ClaimResult, entries: Sequence[Entry]) -> Entry | None:
    """The entry that registers the claim's own finding on this table, at this extent or another; None by its cause."""
    if claim.finding is None or claim.follows:
        return None
    id = claim.finding.registered or claim.finding.changed_from
    return next((one for one in entries if one.id == id and _regular(one, claim)), None)


def _predicting(claim: ClaimResult, document: Document, entries: Sequence[Entry]) -> Entry | None:
    """The entry that takes a new finding in; None if no condition predicts it, or more than one does. Prints either."""
    found = predicting(claim, document, entries)
    if len(found) == 1:
        assert claim.finding is not None
        print(f"{found[0].id} takes in {short_id(claim.test)} at {_run(document)}: {Extent.of(claim.finding)}")
        return found[0]
    if is_new(claim):
        words = " or ".join(entry.id for entry in found) or "predicted by no entry's condition"
        print(f"new, {words}: {short_id(claim.test)} at {_run(document)}")
    return None


def _regular(entry: Entry, claim: ClaimResult) -> bool:
    """Whether a block describes the finding that is no intermittent one."""
    assert claim.finding is not None
    return any(one.resembles(claim.finding) for one in entry.lasting(claim.claim, claim.table))


def _describes(entry: Entry, test: str, run: str) -> bool:
    """Whether the entry may register the test at that run; the versions of other components are not known here."""
    claim, _, parameters = test.partition("[")
    *since, release = run.split(IN_PLACE)
    blocks = (one for one in entry.where if claim in one.claims)
    return any(
        f"-{subject}-" in f"-{parameters.removesuffix(']')}-"
        for one in blocks
        if one.component != XTABLE or one.in_force(release, *since)
        for subject in one.subjects
    )


def _run(document: Document) -> str:
    run = run_of(document.translation.release, document.run.upgrade_from)
    known = {str(one.version) for one in covers(REGISTER).get(XTABLE, ())}
    if not set(run.split(IN_PLACE)) <= known:
        raise UnreadableDocument(f"This run is of XTable {run}, which the register does not cover: name another.")
    return run


def _audited(entries: Sequence[Entry], folder: Path, options: Sequence[str]) -> Iterator[Path]:
    """Audits every recording, and yields each run's audit.json. Raises UnreadableDocument for a run without one."""
    readers = {reader for entry in entries for where in entry.where for reader in where.readers}
    chosen = ",".join(sorted(readers & {*EMBEDDED})) or "none"
    for way in ways(releases()):
        if (BATTERY_RECORDINGS / f"{way.name}{SUFFIX}").is_file():
            print(f"auditing the recording of {way.name}", flush=True)
            yield _audit(way, folder / way.name, [*options, "--maxprocesses", "4", f"--readers={chosen}"])


def _audit(way: Way, out: Path, options: Sequence[str]) -> Path:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--recorded"]
    command += [f"--xtable={way.release.version}", f"--out={out}", *options]
    command += [f"--upgrade-from={way.since.version}"] if way.since else ["--target=all", "--delta-target-by=all"]
    ran = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    report = out / "latest" / "audit.json"
    if not report.is_file():
        raise UnreadableDocument(f"{way.name}: the run left no audit.json: {ran.stdout[-500:]}{ran.stderr[-500:]}")
    return report


if __name__ == "__main__":
    sys.exit(main())
