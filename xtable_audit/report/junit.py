"""A document as JUnit XML, in pytest's shape: one test case per claim."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.besides import set_aside
from xtable_audit.report.document import Document

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
            message = SubElement(case, kind, type=str(claim.outcome), message=_legal(_message(claim, document)))
            message.text = _legal(str(claim.finding or claim.reason))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _kind(claim: ClaimResult, document: Document) -> str | None:
    """On a user's own table, a finding is a failure if it fails the check, known or not."""
    if document.own_table is not None and claim.finding is not None:
        return "failure" if claim.finding in document.failing_on else "skipped"
    return KINDS.get(claim.outcome)


def _message(claim: ClaimResult, document: Document) -> str:
    """The outcome in one line."""
    if claim.finding is None:
        return str(claim.reason)
    if claim.finding.registered is None:
        return f"{claim.finding.verdict}: {claim.finding.saw}"
    return f"{claim.finding.registered}: {document.title(claim.finding)}"


def _legal(text: str) -> str:
    return _NO_XML.sub(lambda found: f"#x{ord(found[0]):02X}", text)
