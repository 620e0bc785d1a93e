"""Words that the page has for verdicts, owners and outcomes, each in one place."""

from __future__ import annotations

from typing import Final

from xtable_audit.model.finding import Verdict

EFFECTS: Final = {
    Verdict.UNSOUND: "Readers lose rows, or take wrong values from the metadata.",
    Verdict.DUPLICATE: "Readers return rows twice.",
    Verdict.STALE: "Readers return rows that are deleted, or not their newest version.",
    Verdict.FAILED_SILENTLY: "An operation fails, and nothing reports it.",
    Verdict.UNREADABLE: "The sync fails, or readers raise an error.",
    Verdict.LOOSE: "Results are right; readers scan files that they could skip.",
    Verdict.COSMETIC: "Wrong, but it misleads no reader known to the suite.",
}

MARKS: Final = {
    Verdict.UNSOUND: "✗",
    Verdict.DUPLICATE: "‖",
    Verdict.STALE: "↺",
    Verdict.FAILED_SILENTLY: "∅",
    Verdict.UNREADABLE: "!",
    Verdict.LOOSE: "≈",
    Verdict.COSMETIC: "·",
}
"""A sign for each verdict, so that no colour alone tells it."""
