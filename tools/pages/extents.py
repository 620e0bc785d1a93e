"""findings.extents.json: `python -m tools pages.extents [AUDIT_JSON …]`, or `make extents`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lab.engines.readers import EMBEDDED
from lab.provision.checked_register import REGISTER, extents, register, short_id
from lab.stack.cache import write_atomically
from lab.stack.project import ROOT
from lab.stack.versions import releases
from tools.pages.affected import CALLED, UpgradeCase, answer, asked, source, written_by
from xtable.replay import BATTERY_RECORDINGS, SUFFIX
from xtable.writer import ICEBERG, WRITERS, Way, Writer, ways
from xtable_audit.affected.meets_block import NOT, columns_shown, match
from xtable_audit.affected.releases import covered, release_of
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import Entry, Where
from xtable_audit.register.extent import IN_PLACE, Extent, Extents, path_of_extents, run_of, written
from xtable_audit.register.register import covers
from xtable_audit.report.document import Document, UnreadableDocument


def is_new(claim: ClaimResult) -> bool:
    """Whether it is a finding of its own that no entry has, at this extent or another."""
    return _is_own(claim) and claim.outcome is Outcome.FINDING


def predicting(claim: ClaimResult, document: Document, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that the finding may belong to, by what they say: it does if there is one.

    An entry that has the claim on this table describes it there, or not at all. Another one describes it if the table
    meets or may meet its condition: one that has it in what XTable made of the same source in another way to the same
    format, if any has; of several, the one that has it in what any other writer of XTable's made of it.
    """
    dataset, _, translator = (claim.table or "").partition("-")
    if not (_is_own(claim) and claim.outcome in FAILS and translator in WRITERS and dataset in asked()):
        return ()
    by, id = WRITERS[translator], claim.finding.registered if claim.finding else None
    there = [(entry, blocks) for entry in entries if (blocks := _of_claim(entry, claim, str(claim.table)))]
    found = [entry for entry, blocks in there if any(_describes_finding(one, claim, document) for one in blocks)]
    if not there:
        named = _named(dataset, by, document)
        found = [entry for entry in entries if entry.id in named and _is_alike(entry, claim, document, by)]
        alike = [one for one in WRITERS.values() if one.target == by.target and one is not by]
        if of_alike := _of_twins(entries, claim, dataset, alike):
            found = [entry for entry in found if entry in of_alike]
        of_twins = _of_twins(found, claim, dataset, [one for one in WRITERS.values() if one is not by])
        found = of_twins if len(of_twins) == 1 else found
    return tuple(entry for entry in found if id in (None, entry.id))


def _of_twins(entries: Sequence[Entry], claim: ClaimResult, dataset: str, writers: Iterable[Writer]) -> list[Entry]:
    """The entries that have the claim in what one of the writers made of the same source."""
    tables = [f"{dataset}-{one.id}" for one in writers]
    return [entry for entry in entries if any(_of_claim(entry, claim, table) for table in tables)]


def _is_own(claim: ClaimResult) -> bool:
    return claim.finding is not None and not claim.follows and claim.finding.changed_from is None


def _of_claim(entry: Entry, claim: ClaimResult, table: str) -> list[Where]:
    """The lasting blocks that have the claim on a table, and ask for no reader."""
    return [one for one in entry.lasting(claim.claim, table) if not one.readers]


def _describes_finding(where: Where, claim: ClaimResult, document: Document) -> bool:
    """Whether a block that has the claim on this table describes the finding; of a release that is not in the locked
    file yet, as it holds at the newest one that is.
    """
    assert claim.finding is not None
    if where.deviation or where.misfit or not where.resembles(claim.finding):
        return False
    if where.planners and claim.test.removesuffix("]").rpartition("-")[2] not in where.planners:
        return False
    seen = extents(REGISTER) or Extents({})
    return where.in_force(seen.nearest(document.translation.release), document.run.upgrade_from)


def _is_alike(entry: Entry, claim: ClaimResult, document: Document, by: Writer) -> bool:
    """Whether it describes such a finding on other tables, and its condition names the finding's columns here."""
    assert claim.finding is not None
    finding, release, since = claim.finding, document.translation.release, document.run.upgrade_from
    of_others = any(
        one.locked
        and claim.claim in one.claims
        and not (one.deviation or one.misfit or one.readers or one.planners or one.questions)
        and one.in_force(release, since)
        and replace(one, columns=()).resembles(finding)
        for one in entry.where
    )
    table = source(str(claim.table).partition("-")[0])
    as_asked = written_by(by, release_of(release, covered(REGISTER)))
    asked = (
        columns_shown(block, table)
        for block in entry.affects
        if as_asked.is_meant(block) and block.writer in ("", CALLED.get(by.id))
        if block.mended or match(block, table) != NOT
    )
    return of_others and any(columns is None or {*finding.columns} <= columns for columns in asked)


def _named(dataset: str, by: Writer, document: Document) -> frozenset[str]:
    """What the table meets or may meet by the facts of its source, though no run has seen it in this target yet."""
    release, since = (
        release_of(version, covered(REGISTER)) if version else None
        for version in (document.translation.release, document.run.upgrade_from)
    )
    assert release is not None
    cases = (
        UpgradeCase(dataset, written_by(one, release), written_by(one, since) if since else None, by)
        for one in (by, ICEBERG)
    )
    return frozenset(one.id for case in cases for one in answer(case))


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
