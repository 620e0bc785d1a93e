"""docs/findings: `python -m tools pages.findings [AUDIT_JSON …]`, or `make findings ARGS=out/latest/audit.json`.

With audit.json of runs (oldest release first) the evidence of each entry they show is recorded again, under
docs/findings/evidence; what it costs in releases that the runs do not cover stays. Without, the pages alone are
written, from findings.toml and the evidence that is there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lab.provision.register import REGISTER, register
from lab.stack.cache import write_atomically
from lab.stack.project import ROOT
from lab.stack.versions import hudi_releases, releases
from lab.subjects.hudi_tables import BOTH_INDEXES
from tools.pages.alone import alone
from tools.pages.reproduced import TABLE, reproduced
from tools.pages.table_in_words import in_words
from tools.reproduce.finding import headlines, table_of, writer_of
from tools.reproduce.results import load
from xtable_audit.claims.every import EVERY_CLAIM
from xtable_audit.formats.targets import target_formats
from xtable_audit.model.finding import Finding
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.register.entry import Entry
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.finding_evidence import Evidence, evidence_of
from xtable_audit.report.pages import index, page

PAGES = ROOT / "docs" / "findings"
EVIDENCE = "evidence"
WITHDRAWN = "withdrawn.md"
"""Withdrawn findings and why they were withdrawn; written by hand."""
CODE = "code.md"
"""The places in the sources that were read; written by `python -m tools pages.code_read`."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools pages.findings", description=__doc__)
    parser.add_argument("documents", nargs="*", type=Path, metavar="AUDIT_JSON", help="of runs, oldest release first")
    options = parser.parse_args(arguments)
    try:
        entries = register(REGISTER)
        documents = [Document.load(path) for path in options.documents]
    except (pytest.UsageError, UnreadableDocument) as error:
        print(error, file=sys.stderr)
        return 2
    before = recorded(entries)
    for entry in entries:
        evidence = evidence_of(entry, documents)
        if evidence is not None:
            kept = before[entry.id].costs if entry.id in before else {}
            evidence = replace(evidence, costs=kept | evidence.costs)
            _write(PAGES / EVIDENCE / f"{entry.id}.json", evidence.to_json())
    by_id = recorded(entries)
    wanted = pages(entries, by_id)
    for name, text in wanted.items():
        _write(PAGES / name, text)
    for stale in left_over(entries, wanted):
        stale.unlink()
    for entry in entries:
        if entry.id not in by_id:
            print(f"{entry.id} has no evidence: run the audit at a release that has it, and give its audit.json.")
    return 0


def recorded(entries: Sequence[Entry]) -> dict[str, Evidence]:
    """The stored evidence, by entry id."""
    files = {entry.id: PAGES / EVIDENCE / f"{entry.id}.json" for entry in entries}
    return {id: Evidence.from_json(file.read_text(encoding="utf-8")) for id, file in files.items() if file.is_file()}


def pages(entries: Sequence[Entry], by_id: Mapping[str, Evidence]) -> dict[str, str]:
    """File name -> text: the index, and a page for every entry with evidence."""
    versions = {
        "xtable": [one.version for one in releases()][::-1],
        "hudi": [one.version for one in hudi_releases() if one.table_version >= BOTH_INDEXES][::-1],
    }
    texts = {"README.md": index(entries, versions)}
    for entry in entries:
        if entry.id in by_id:
            evidence = led(entry, by_id[entry.id])
            rule = _rule(evidence.best)
            proofs = {table: in_words(table) for table in entry.proven_by}
            apart = alone(entry)
            texts[f"{entry.id}.md"] = page(
                entry, evidence, versions, in_words(evidence.best.table), rule, apart, proofs
            )
    texts[TABLE] = reproduced(entries, load())
    return texts


def _rule(finding: Finding) -> str:
    """The sentence that the failing claim rests on, in the format of its table."""
    rules = target_formats()[SubjectId.parse(finding.table).target].rules
    return str(EVERY_CLAIM[finding.claim].under(rules).spec)


def led(entry: Entry, evidence: Evidence) -> Evidence:
    """The evidence, first that of what the finding's reproduction shows: its headline, on its own table."""
    shown = list(headlines(entry).values())
    if not shown:
        return evidence
    claim, verdict = shown[-1].claim, shown[-1].verdict
    table = table_of(entry).name, writer_of(entry).target

    def is_shown(one: Finding) -> bool:
        subject = SubjectId.parse(one.table)
        return (one.claim, one.verdict, (subject.dataset, subject.target)) == (claim, verdict, table)

    return replace(evidence, examples=tuple(sorted(evidence.examples, key=lambda one: not is_shown(one))))


def left_over(entries: Sequence[Entry], wanted: Mapping[str, str]) -> list[Path]:
    """Pages and evidence files without an entry."""
    ids = {entry.id for entry in entries}
    old = [path for path in PAGES.glob("*.md") if path.name not in (*wanted, WITHDRAWN, CODE)]
    return old + [path for path in PAGES.glob(f"{EVIDENCE}/*.json") if path.stem not in ids]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
    path.chmod(0o644)


if __name__ == "__main__":
    sys.exit(main())
