"""A run as SARIF 2.1.0, which code scanning of GitHub and GitLab reads: one result for each failing claim."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import quote

from xtable_audit import __version__
from xtable_audit.model.finding import Finding, Verdict
from xtable_audit.model.fingerprint import shape
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Document
from xtable_audit.report.place import FileLine
from xtable_audit.report.what_to_do import what_to_do

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
