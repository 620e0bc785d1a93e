"""Draws the page of a gate: may I upgrade? Needs the extra [report]."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.report.changes import by_cause, lines, measured
from xtable_audit.report.gate import Gate
from xtable_audit.report.gate_answers import UpgradeAdvice, net
from xtable_audit.report.gate_page import FOLDED, IN_FULL, drop_steps
from xtable_audit.report.html import draw
from xtable_audit.report.html.first import Tone, status
from xtable_audit.report.html.picture import Picture
from xtable_audit.report.html.template import capital, embedded, fill

TONES: dict[UpgradeAdvice, Tone] = {
    UpgradeAdvice.DO_NOT_UPGRADE: "bad",
    UpgradeAdvice.DROP_METADATA: "fair",
    UpgradeAdvice.UPGRADE_IN_PLACE: "good",
    UpgradeAdvice.WAIT: "fair",
    UpgradeAdvice.CANNOT_SAY: "fair",
}
SIGNS = {
    UpgradeAdvice.DO_NOT_UPGRADE: "✗",
    UpgradeAdvice.DROP_METADATA: "!",
    UpgradeAdvice.UPGRADE_IN_PLACE: "✓",
    UpgradeAdvice.WAIT: "!",
    UpgradeAdvice.CANNOT_SAY: "?",
}
PANELS = 4
"""Maximum kinds of sources of the picture, those with most tables."""


def render_gate(gate: Gate) -> str:
    """The page as HTML. The same gate makes the same bytes."""
    after = gate.after
    return fill(
        "gate.html.j2",
        embedded=embedded(gate.to_json()),
        gate=gate,
        to=gate.to,
        tone=TONES[gate.advice],
        signs=SIGNS,
        status=status(gate.exit_status),
        net=net(gate.answers).replace("->", "→") if gate.answers else "",
        finished=f"Live runs of {after.finished:%Y-%m-%d}" if after.finished and not after.unfit else "",
        pictures=tuple(_before_and_after(gate)),
        sections=[(capital(one), measured(of), lines(of)) for one in IN_FULL if (of := gate.of(one))],
        folded=[(capital(one), measured(of), by_cause(of)) for one in FOLDED if (of := gate.of(one))],
        drops=any(one.advice is UpgradeAdvice.DROP_METADATA for one in gate.answers),
        steps=drop_steps(gate),
    )


def _before_and_after(gate: Gate) -> Iterator[Picture]:
    if not gate.answers:
        return
    shown = gate.answers[:PANELS]
    before, after, left = gate.before.release, gate.after.release, "left behind in place"
    bars = [
        (one.kind, line, broken.claims)
        for one in shown
        for line, broken in ((before, one.before), (after, one.after), (left, one.left_behind))
    ]
    fills = {before: draw.GREY, after: draw.ACCENT, left: draw.HATCHED[draw.BAD]}
    title = "Claims that fail before and after, by kind of source"
    words = f"{before} alone, {after} alone, and what an upgrade in place leaves broken though {after} alone does not."
    head = ("source", before, after, left)
    rows = tuple((one.kind, one.before.claims, one.after.claims, one.left_behind.claims) for one in shown)
    drawn = draw.bars(bars, [one.kind for one in shown], fills, f"{title}. {words}")
    yield Picture("before-after", title, words, drawn, head, rows)
