"""A run as a CI takes it: a badge, a GitHub workflow's commands, SARIF and the line it names, and JUnit XML."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from xtable_audit import __version__
from xtable_audit.model.finding import Finding, Verdict
from xtable_audit.model.fingerprint import shape
from xtable_audit.model.outcome import FAILS, Outcome, RunVerdict
from xtable_audit.model.problem import Problem
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.beside_findings import set_aside
from xtable_audit.report.document import Document
from xtable_audit.report.gate import Gate
from xtable_audit.report.groups import known_findings, new_findings
from xtable_audit.report.what_to_do import what_to_do


@dataclass(frozen=True)
class FileLine:
    """A line of a file; the first line is 1. None where no line of the file names what was judged."""

    file: str
    line: int | None = None


def find(document: Document, file: Path) -> FileLine:
    """The first line of `file` that names the user's table, or the release. Raises Problem if it cannot be read.

    A configuration of XTable names the table by its source or its folder, a pom or lock file the release.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{file} cannot be read as text: name the file that names the table or the release.") from error
    for name in _names(document):
        for number, line in enumerate(lines, 1):
            if name in line:
                return FileLine(file.as_posix(), number)
    return FileLine(file.as_posix())


def _names(document: Document) -> list[str]:
    """What the line may hold, the most telling first."""
    table = document.own_table
    if table is None:
        return [document.translation.release]
    source = [table.source.location] if table.source else []
    return [name for name in (*source, table.location, table.name) if name]


COLORS = {
    RunVerdict.CONFORMANT: "brightgreen",
    RunVerdict.KNOWN_DEFECTS: "yellow",
    RunVerdict.ADVICE: "green",
    RunVerdict.FINDINGS: "red",
    RunVerdict.INCONCLUSIVE: "lightgrey",
    RunVerdict.ERROR: "lightgrey",
}


def badge(document: Document) -> str:
    """By https://shields.io/badges/endpoint-badge. A replay says so, for it is no statement about today."""
    what = document.own_table.name if document.own_table else f"XTable {document.translation.release}"
    words = str(document.verdict).lower().replace("_", " ")
    if document.verdict is RunVerdict.KNOWN_DEFECTS:
        words = f"{len(known_findings(document))} {words}"
    replay = " (replay)" if document.translation.mode == "recorded" else ""
    shown = {"schemaVersion": 1, "label": what, "message": words + replay, "color": COLORS[document.verdict]}
    return json.dumps(shown, ensure_ascii=False) + "\n"


MOST = 10
"""GitHub shows no more errors of one step, and no more notices."""


def workflow_commands(document: Document, place: FileLine | None = None) -> str:
    """One line for each new finding, at most MOST; on a user's own table for each that fails the check, and a notice
    for each that is advice.
    """
    return "".join(f"{line}\n" for line in _lines(document, place))


def outputs(of: Document | Gate) -> str:
    """A step's outputs: the verdict, and how many claims fail, are known to fail, or are registered and gone; on a
    user's own table, how many fail the check.

    Of a gate its advice, and how many claims differ and fail.
    """
    if isinstance(of, Gate):
        return f"verdict={of.advice}\nfindings={of.failing}\n"
    failing = len(of.failing_on) if of.own_table else of.count(*FAILS, Outcome.GONE)
    return f"verdict={of.verdict}\nfindings={failing}\n"


def _lines(document: Document, place: FileLine | None) -> Iterator[str]:
    at = {} if place is None else {"file": place.file} | ({"line": str(place.line)} if place.line else {})
    found = list(document.failing_on) if document.own_table else new_findings(document)
    advice = document.advice
    for level, one in [*(("error", one) for one in found[:MOST]), *(("notice", one) for one in advice[:MOST])]:
        where = f"{one.table}.{one.column}" if one.column else one.table
        titled = at | {"title": f"{one.verdict} ({one.verdict.words}): {where}"}
        properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in titled.items())
        do = "".join(f" Do: {words}" for words in what_to_do(one, document)[:1])
        yield f"::{level} {properties}::{_escaped(f'{one.sentence} Stored: {one.saw}{do}')}"


def _escaped(text: str, more: str = "") -> str:
    """By the toolkit's own rule (actions/toolkit, packages/core/src/command.ts)."""
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Verdict.LOOSE: "warning", Verdict.COSMETIC: "note"}
"""Every other verdict is an error."""
STATES = {Outcome.FINDING: "new", Outcome.KNOWN: "unchanged", Outcome.GONE: "absent"}


def sarif(document: Document, place: FileLine | None = None) -> str:
    """`place` is where the results are shown; without one they are at the table's metadata.

    Known findings have the baseline state `unchanged`, and those that the user accepts are suppressed. Claims that
    only follow from another finding are left out. A run that was cut short is not successful.
    """
    shown = [one for one in document.claims if one.outcome in STATES and not one.follows]
    rules = sorted({(one.claim, one.sentence) for one in shown})
    driver = {
        "name": "xtable-audit",
        "version": __version__,
        "rules": [{"id": id, "shortDescription": {"text": sentence}} for id, sentence in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": document.complete, "exitCode": document.exit_status}],
        "results": [_result(one, document, place) for one in shown],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False) + "\n"


def _result(result: ClaimResult, document: Document, place: FileLine | None) -> dict[str, Any]:
    finding = result.finding
    item: dict[str, Any] = {
        "ruleId": result.claim,
        "kind": "fail" if finding else "pass",
        "level": LEVELS.get(finding.verdict, "error") if finding else "none",
        "message": {"text": _message(finding, document) if finding else result.why},
        "baselineState": STATES[result.outcome],
        "partialFingerprints": {"xtableAudit/v1": _fingerprint(result)},
    }
    if finding:
        item["properties"] = {"verdict": str(finding.verdict), "blame": str(finding.blame), "known": finding.registered}
    if finding and document.own_table and (excuse := document.own_table.excuse(finding)):
        item["suppressions"] = [
            {"kind": "external", "justification": f"{finding.registered or finding.claim} is {excuse}"}
        ]
    if locations := _locations(result, document, place):
        item["locations"] = locations
    return item


def _message(finding: Finding, document: Document) -> str:
    known = f" Known as {finding.registered}." if finding.registered else ""
    do = "".join(f" Do: {words}" for words in what_to_do(finding, document))
    return f"{finding.verdict} ({finding.verdict.words}): {finding.sentence} Stored: {finding.saw}.{known}{do}"


def _locations(result: ClaimResult, document: Document, place: FileLine | None) -> list[dict[str, Any]]:
    column = result.finding.column if result.finding else None
    names = [part for part in (result.table, column) if part]
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": ".".join(names)}]} if names else {}
    if place:
        physical: dict[str, Any] = {"artifactLocation": {"uri": quote(place.file)}}
        if place.line:
            physical["region"] = {"startLine": place.line}
        location["physicalLocation"] = physical
    elif document.own_table:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": quote(document.own_table.metadata_location, safe="/:%")}
        }
    return [location] if location else []


def _fingerprint(result: ClaimResult) -> str:
    """Of what stays the same from run to run: the claim, the place, and the kind of deviation."""
    finding = result.finding
    parts = [result.claim, result.table, result.reader, finding and finding.column, finding and shape(finding.saw)]
    return hashlib.sha256("\0".join(part or "" for part in parts).encode()).hexdigest()[:32]


# A document as JUnit XML, in pytest's shape: one test case per claim.

KINDS = {
    Outcome.FINDING: "failure",
    Outcome.GONE: "failure",
    Outcome.ERROR: "error",
    Outcome.KNOWN: "skipped",
    Outcome.INCONCLUSIVE: "skipped",
    Outcome.NOT_APPLICABLE: "skipped",
}
"""JUnit's element for each outcome; held has none."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, even escaped."""


def junit(document: Document) -> str:
    """Known findings and claims that are inconclusive or not applicable appear as skipped, with the entry or reason.

    What no claim judges is among the suite's properties.
    """
    kinds = [_kind(claim, document) for claim in document.claims]
    root = Element("testsuites", name=f"XTable {document.translation.release}, {document.translation.mode}")
    suite = SubElement(
        root,
        "testsuite",
        name="xtable-audit",
        tests=str(len(kinds)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
        time=f"{document.run.seconds:.3f}",
        timestamp=document.run.started.isoformat(),
    )
    if lines := set_aside(document):
        properties = SubElement(suite, "properties")
        for line in lines:
            SubElement(properties, "property", name="set aside", value=_legal(line))
    for claim, kind in zip(document.claims, kinds, strict=True):
        file, _, test = claim.test.partition("::")
        folder = file.removesuffix(".py").replace("/", ".")
        case = SubElement(suite, "testcase", classname=folder, name=_legal(test), time=f"{claim.seconds:.3f}")
        if kind is not None:
            message = SubElement(case, kind, type=str(claim.outcome), message=_legal(_in_one_line(claim, document)))
            message.text = _legal(str(claim.finding or claim.reason))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _kind(claim: ClaimResult, document: Document) -> str | None:
    """On a user's own table, a finding is a failure if it fails the check, known or not."""
    if document.own_table is not None and claim.finding is not None:
        return "failure" if claim.finding in document.failing_on else "skipped"
    return KINDS.get(claim.outcome)


def _in_one_line(claim: ClaimResult, document: Document) -> str:
    """The outcome in one line."""
    if claim.finding is None:
        return str(claim.reason)
    if claim.finding.registered is None:
        return f"{claim.finding.verdict}: {claim.finding.saw}"
    return f"{claim.finding.registered}: {document.title(claim.finding)}"


def _legal(text: str) -> str:
    return _NO_XML.sub(lambda found: f"#x{ord(found[0]):02X}", text)
