"""docs/findings: `python -m tools pages.findings [AUDIT_JSON …]`, or `make findings ARGS=out/latest/audit.json`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lab.provision.checked_register import REGISTER, register
from lab.stack.cache import write_atomically
from lab.stack.project import ROOT
from lab.stack.versions import hudi_releases, releases
from lab.subjects.hudi_tables import BOTH_INDEXES
from lab.subjects.translator_scores import OtherTranslation, others
from tools.pages.table_in_words import in_words
from tools.reproduce.finding import ReproducedBy, headlines, of_upgrades, table_of, way_of, writer_of
from tools.reproduce.folder import BY_KERNEL, FOLDER_WORDS, PAIMON_WORDS, is_folder, is_iceberg, is_paimon, warm_words
from tools.reproduce.reproduced_json import GONE, PRESENT, Reproduction, Result, load, of_finding, script_of
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.formats.installed import target_formats
from xtable_audit.model.finding import Finding
from xtable_audit.model.subject_id import ICEBERG, SubjectId
from xtable_audit.register.entry import Entry
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.finding_evidence import Evidence, evidence_of, from_json, to_json
from xtable_audit.report.pages import GENERATED, index, page
from xtable_audit.report.text import cell

TABLE = "reproduced.md"
BY_READING = "by reading"


def reproduced(entries: Sequence[Entry], results: Mapping[Reproduction, Result]) -> str:
    """The page. Trials of findings that are gone from the register are left out."""
    ids = {entry.id for entry in entries}
    kept = {trial: result for trial, result in results.items() if trial.finding in ids}
    scripts = {entry.id: script_of(entry) for entry in entries}
    lines = [
        GENERATED,
        "# Findings, reproduced",
        "",
        *_head(kept, scripts),
        "",
        "| finding | software | claim of its page | trial: how it ended |",
        "|---|---|---|---|",
        *(_row(entry, of_finding(dict(kept), entry.id)) for entry in entries),
        "",
        "## What could not be tried",
        "",
        *_untried(kept),
        "",
        "## What was run",
        "",
        "Digests are of the names and checksums of all classes in the jars `xtable-*.jar` or `hudi-*.jar`.",
        "",
        "| software | release | digest of its classes | trials | days |",
        "|---|---|---|---|---|",
        *_software(kept),
    ]
    return "\n".join(lines) + "\n"


def _head(kept: Mapping[Reproduction, Result], scripts: Mapping[str, str]) -> Iterator[str]:
    if not kept:
        yield "Nothing was run yet: `python -m tools reproduce.every_finding`."
        return
    ended = [result.ended for result in kept.values()]
    days = sorted(result.day for result in kept.values())
    span = days[0].isoformat() if days[0] == days[-1] else f"{days[0].isoformat()} to {days[-1].isoformat()}"
    old = sum(result.script != scripts[trial.finding] for trial, result in kept.items())
    present, gone = ended.count(PRESENT), ended.count(GONE)
    untried = len(kept) - present - gone
    yield f"{len(kept)} trials, run {span}: {present} present, {gone} gone, {untried} could not be tried."
    yield from WHAT_A_TRIAL_IS.splitlines()
    yield f"{old} of them ran an earlier form of their script." if old else "All ran their script as it is now."


WHAT_A_TRIAL_IS = """\
Each is `make reproduce` of a finding at one release, or of a build of main: Spark, a fresh JVM for each sync, then a
comparison without this suite's judge. A verdict means that the claim of the finding's page failed at that verdict, on
the page's table, after syncs that came through. *warm*: each JVM first loads what one that has run many syncs has.
*synced anew*: at the end what XTable wrote was dropped, and the table synced once in a fresh JVM.
`make reproduced` runs what is due and goes on where it was stopped; what does not resolve stays as it is."""


def _row(entry: Entry, trials: Mapping[Reproduction, Result]) -> str:
    shown = list(headlines(entry).values())
    claim = f"`{shown[-1].claim}`" if shown else "the reader's answer"
    software = ", ".join(dict.fromkeys(trial.component for trial in trials))
    outcomes = " · ".join(f"{_release(trial)} {_ended(result)}" for trial, result in sorted(trials.items()))
    return f"| [{entry.id}]({entry.id}.md) | {software} | {claim} | {cell(outcomes or BY_READING)} |"


def _release(trial: Reproduction) -> str:
    first = f"{trial.first} → " if trial.first else ""
    return f"{first}{trial.release}{' warm' if trial.warm else ''}{' → synced anew' if trial.recovered else ''}"


def _ended(result: Result) -> str:
    match result.ended:
        case "FAULT PRESENT":
            return f"**{result.verdict}**"
        case "FAULT GONE":
            return "gone"
        case _:
            return "not tried"


def _untried(kept: Mapping[Reproduction, Result]) -> Iterator[str]:
    untried = {trial: result for trial, result in sorted(kept.items()) if result.ended not in (PRESENT, GONE)}
    for trial, result in untried.items():
        yield f"- {trial}: {result.ended}: {' '.join(result.why.split()).replace('|', '/')}"
    if not untried:
        yield "Nothing: every trial ended as present or gone."


def _software(kept: Mapping[Reproduction, Result]) -> Iterator[str]:
    groups: dict[tuple[str, str, str], list[Result]] = {}
    for trial, result in sorted(kept.items()):
        groups.setdefault((trial.component, trial.release, result.digest), []).append(result)
    for (component, release, digest), results in groups.items():
        days = ", ".join(dict.fromkeys(result.day.isoformat() for result in sorted(results, key=lambda one: one.day)))
        yield f"| {component} | {release} | `{digest}` | {len(results)} | {days} |"


DOES = {
    ReproducedBy.SYNC: "writes the table with plain {writer}, has XTable sync it in a fresh JVM, and\n"
    "prints what is stored beside the values.",
    ReproducedBy.SPARK: "writes the table with plain {writer}, without XTable, and prints what Hudi's\n"
    "indexes store beside the values, and the rows that Hudi's reader finds with `hoodie.enable.data.skipping` off\n"
    "and on.",
    ReproducedBy.READER: "shows it with the reader alone; its first lines say what that takes.",
}
CHOICE = {
    ReproducedBy.SYNC: " `XTABLE=` takes another release, `JAR=` a fix just built.",
    ReproducedBy.SPARK: ' `ARGS="--hudi 1.0.2"` takes another release, `JAR=` a bundle just built.',
    ReproducedBy.READER: "",
}
FIRST_SYNC = """
It is about upgrades in place: **FROM= must name the release of the first sync**. In the folder alone that is
`XTABLE_FROM_CLASSPATH`, the class path of that release."""

WARM = """With `--warm` each sync is still a JVM of its own, which first
loads the classes that one that has run many syncs has loaded."""


def alone(entry: Entry) -> str:
    """As Markdown; "" for a finding that no small table shows."""
    way = way_of(entry)
    if way is None:
        return ""
    before, first, needed = "", "", ""
    if of_upgrades(entry):
        before, first, needed = "XTABLE_FROM_CLASSPATH=… ", " FROM=0.2.0", FIRST_SYNC
    warm = " --warm" if entry.warm else ""
    if entry.warm:
        first += " WARM=1"
        needed += f"\n\n**{warm_words(entry.warm)}** {WARM}"
    if writer_of(entry) in BY_KERNEL:
        needed += f"\n\n{BY_KERNEL[writer_of(entry)]}"
    writer = "Spark"
    if way is ReproducedBy.SYNC and is_folder(table_of(entry)):
        writer, needed = "Arrow", f"{needed}\n\n{FOLDER_WORDS}"
    if way is ReproducedBy.SYNC and table_of(entry).by_delta_rs:
        writer = "delta-rs"
    if way is ReproducedBy.SYNC and is_iceberg(table_of(entry)):
        writer = "PyIceberg"
    if way is ReproducedBy.SYNC and is_paimon(table_of(entry)):
        writer, needed = "pypaimon", f"{needed}\n\n{PAIMON_WORDS}"
    does = DOES[way].format(writer=writer)
    return f"""\
`make reproduce FINDING={entry.id}{first}` {does}{CHOICE[way]}
What it runs is a folder, `out/reproduce`, that needs nothing of this suite. Each release of the suite has the folders
of all findings, as `reproductions.zip`. Copied out, it is run by

```sh
{before}./reproduce.sh{warm} {entry.id}
```

The script ends with 1 if the fault is there as this page says, 0 if it is gone, 6 if it could not be tried or has
another form. How it ended at each release: [reproduced.md](reproduced.md).{needed}"""


PAGES = ROOT / "docs" / "findings"
EVIDENCE = PAGES / "evidence"
"""What runs showed of each entry: one file for each component at fault, entries by their id."""
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
    by_id = recorded(entries)
    for entry in entries:
        evidence = evidence_of(entry, documents)
        if evidence is not None:
            kept = by_id[entry.id].costs if entry.id in by_id else {}
            by_id[entry.id] = replace(evidence, costs=kept | evidence.costs)
    wanted = {**pages(entries, by_id), **evidence_files(entries, by_id)}
    for name, text in wanted.items():
        _write(PAGES / name, text)
    for stale in left_over(wanted):
        stale.unlink()
    for entry in entries:
        if entry.id not in by_id:
            print(f"{entry.id} has no evidence: run the audit at a release that has it, and give its audit.json.")
    return 0


def recorded(entries: Sequence[Entry]) -> dict[str, Evidence]:
    """The stored evidence of these entries, by id."""
    stored = {id: one for file in EVIDENCE.glob("*.json") for id, one in from_json(file.read_text("utf-8")).items()}
    return {entry.id: stored[entry.id] for entry in entries if entry.id in stored}


def evidence_files(entries: Sequence[Entry], by_id: Mapping[str, Evidence]) -> dict[str, str]:
    """File name -> text: the evidence of the entries of one component."""
    families: dict[str, dict[str, Evidence]] = {}
    for entry in entries:
        if entry.id in by_id:
            families.setdefault(entry.components[0], {})[entry.id] = by_id[entry.id]
    return {f"{EVIDENCE.name}/{component}.json": to_json(family) for component, family in families.items()}


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
                entry, evidence, versions, in_words(evidence.best.table), rule, apart, proofs, fare_of_others(entry)
            )
    texts[TABLE] = reproduced(entries, load())
    return texts


def fare_of_others(entry: Entry) -> dict[str, dict[str, list[str]]]:
    """Tables on which XTable has the finding, by another translator and by how it fares there. Each translator has all
    the ways that any of them has, in one order.
    """
    found: dict[str, dict[str, list[str]]] = {}
    subjects = [SubjectId.parse(one) for where in entry.where if where.component == "xtable" for one in where.subjects]
    claims = {claim for where in entry.where for claim in where.claims}
    for table in dict.fromkeys(one.dataset for one in subjects if one.target == ICEBERG):
        for name, beside in others(table, claims).items():
            found.setdefault(name, {str(each): [] for each in OtherTranslation})[beside].append(table)
    seen = [fare for fare in map(str, OtherTranslation) if any(fares[fare] for fares in found.values())]
    return {name: {fare: fares[fare] for fare in seen} for name, fares in found.items()}


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


def left_over(wanted: Mapping[str, str]) -> list[Path]:
    """Pages and evidence files that no entry makes."""
    there = [path for path in PAGES.glob("*.md") if path.name not in (WITHDRAWN, CODE)] + [*EVIDENCE.glob("*.json")]
    return [path for path in there if path.relative_to(PAGES).as_posix() not in wanted]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
    path.chmod(0o644)


if __name__ == "__main__":
    sys.exit(main())
