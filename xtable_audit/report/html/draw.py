"""Draws charts as static SVG, by Altair and vl-convert: no script, the page's colours, one name for a screen reader.

Colours are the variables and patterns of page.css and page.html.j2, so that a drawing follows light, dark and print.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar
from xml.etree import ElementTree

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode

from xtable_audit.model.file_ranges import Axis, FileRanges, Range
from xtable_audit.model.printable import printable, shortened

WIDTH = 840
"""Of a drawing, in pixels, without its labels."""
STEP = 20
"""Height of a row in pixels."""
GLYPH = 7.4
"""Width of a character at 11 pixels in the widest of FONT; vl-convert measures with a narrower one."""
LABEL = 14
"""Maximum characters of a label on an axis of values."""
LABELS = 12
"""Maximum labels of an axis of values in order."""
NAME = 48
"""Maximum characters of a row's name."""
FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"
INK, SOFT, LINE = "var(--ink)", "var(--soft)", "var(--line)"
ACCENT, BAD, GREY = "var(--LOOSE)", "var(--UNSOUND)", "var(--quiet)"
HATCHED = {ACCENT: "url(#hatch-accent)", BAD: "url(#hatch-bad)"}
"""A colour as a pattern."""
DAY = 86_400
TIMES = ((3 * 365 * DAY, "%Y"), (60 * DAY, "%b %Y"), (2 * DAY, "%Y-%m-%d"), (120, "%m-%d %H:%M"), (0, "%H:%M:%S.%L"))
"""How a time axis over at least so many seconds writes its labels."""
SVG = "{http://www.w3.org/2000/svg}"
IDLE = ("class", "role", "pointer-events", "version")
DEFAULTS = (("opacity", "1"), ("stroke-width", "1"))
PLACES = ("d", "transform")
LONG_NUMBER = re.compile(r"(\.\d\d)\d+")
Channel = TypeVar("Channel", alt.Fill, alt.Stroke)
LONGEST_TIME = 8.64e12
"""Seconds from 1970 that a time axis can show."""


@debug_mode(False)  # a chart of ours needs no check by its schema, which takes half of the time
def stored_and_actual(of: FileRanges, name: str) -> str:
    """File by file the stored bounds as a frame, the actual range as a bar in it, and what the frame leaves out."""
    rows: list[dict[str, Any]] = []
    for number, file in enumerate(of.files, 1):
        row = {"file": number, "wrong": file.wrong}
        rows += _bar(row, "stored", file.stored)
        rows += _bar(row, "actual", file.actual)
        rows += [row | {"kind": "outside", "from": low, "to": high} for low, high in outside(file.stored, file.actual)]
    base = _base(rows, of)
    frame = base.transform_filter("datum.kind == 'stored'").mark_bar(height=14, strokeWidth=1.5, strokeOpacity=1)
    bars = base.transform_filter("datum.kind == 'actual'").mark_bar(height=5, fill=INK, stroke=INK, strokeWidth=1)
    lost = base.transform_filter("datum.kind == 'outside'").mark_bar(
        height=9, fill=HATCHED[BAD], stroke=BAD, strokeWidth=1.5
    )
    frame = frame.encode(
        fill=alt.condition("datum.wrong", alt.value(HATCHED[ACCENT]), alt.value("var(--panel)")),
        stroke=alt.condition("datum.wrong", alt.value(ACCENT), alt.value(SOFT)),
    )
    return svg(frame + bars + lost, name)


@debug_mode(False)
def layout(of: FileRanges, name: str) -> str:
    """Files over the column's stored range, with what the predicate asks for as a band behind them."""
    rows: list[dict[str, Any]] = []
    for number, file in enumerate(of.files, 1):
        state = ("lost" if file.matching else "skipped") if not file.planned else "read" if file.matching else "extra"
        of_file = file.stored if file.stored.low_at is not None else file.actual
        rows += [row | {"state": state} for row in _bar({"file": number}, "stored", of_file)]
    colours = {"read": ACCENT, "extra": HATCHED[ACCENT], "skipped": GREY, "lost": HATCHED[BAD]}
    bars = _base(rows, of).mark_bar(height=11, strokeWidth=1.5)
    bars = bars.encode(fill=_by(alt.Fill, "state", colours), stroke=_by(alt.Stroke, "state", _edges(colours)))
    band = _band(of)
    return svg(bars if band is None else band + bars, name)


def outside(stored: Range, actual: Range) -> list[tuple[float, float]]:
    """The parts of the actual range that the stored bounds leave out."""
    if actual.low_at is None or actual.high_at is None:
        return []
    low, high = stored.low_at, stored.high_at
    if low is not None and high is not None and (low > actual.high_at or high < actual.low_at):
        return [(actual.low_at, actual.high_at)]
    parts = []
    if low is not None and actual.low_at < low:
        parts.append((actual.low_at, low))
    if high is not None and actual.high_at > high:
        parts.append((high, actual.high_at))
    return parts


@debug_mode(False)
def bars(
    rows: Sequence[tuple[str, str, int]],
    panels: Sequence[str],
    fills: dict[str, str],
    name: str,
    *,
    one_scale: bool = True,
) -> str:
    """Panels of bars: (panel, line, number). `fills` are the lines in their order, each with its colour.

    Without `one_scale` each panel has its own.
    """
    data = [{"panel": printable(panel), "line": printable(line), "number": number} for panel, line, number in rows]
    fills = {printable(line): fill for line, fill in fills.items()}  # names become parts of Vega's own expressions
    lines, panels = list(fills), [printable(panel) for panel in panels]
    x = alt.X("number:Q", title=None, axis=alt.Axis(tickMinStep=1, tickCount=4, format=",d", labelFlush=False))
    y = alt.Y("line:N", sort=lines, title=None, axis=_named(lines))
    chart = alt.Chart(alt.InlineData(values=data))
    drawn = chart.mark_bar(height=11, strokeWidth=1).encode(
        x=x, y=y, fill=_by(alt.Fill, "line", fills), stroke=_by(alt.Stroke, "line", _edges(fills))
    )
    numbers = chart.mark_text(align="left", dx=5, fill=INK, fontSize=11, font=FONT).encode(
        x=x, y=y, text=alt.Text("number:Q", format=",d")
    )
    width = max((WIDTH - 24 * (len(panels) - 1)) // max(len(panels), 4), 90)
    both = (drawn + numbers).properties(width=width, height=alt.Step(STEP))
    of_panels = both.facet(alt.Column("panel:N", sort=panels, title=None), spacing=24)
    return svg(of_panels if one_scale else of_panels.resolve_scale(x="independent"), name)


@debug_mode(False)
def dumbbells(rows: Sequence[tuple[str, float, float]], name: str) -> str:
    """(name, stored, ideal) shares: a ring where it is, a disc where it could be, and the gap between."""
    data: list[dict[str, Any]] = [
        {"name": shortened(printable(of), NAME), "stored": stored, "ideal": ideal} for of, stored, ideal in rows
    ]
    chart = alt.Chart(alt.InlineData(values=data)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=_named([row["name"] for row in data]))
    )
    scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format="%", tickCount=5)
    gap = chart.mark_rule(stroke=ACCENT, strokeWidth=2, strokeDash=[3, 2]).encode(
        x=alt.X("stored:Q", scale=scale, axis=axis, title="share of files that a point predicate skips"), x2="ideal:Q"
    )
    ring = chart.mark_point(shape="circle", size=60, stroke=ACCENT, strokeWidth=2, fill="var(--ground)").encode(
        x=alt.X("stored:Q", scale=scale)
    )
    disc = chart.mark_point(shape="circle", size=60, fill=INK, stroke=INK).encode(x=alt.X("ideal:Q", scale=scale))
    return svg((gap + ring + disc).properties(width=WIDTH - 380, height=alt.Step(STEP)), name)


def svg(chart: Any, name: str) -> str:
    """The chart as one picture called `name`; its parts are hidden from screen readers, which have the table."""
    made = chart.configure(
        aria=False,
        background="transparent",
        font=FONT,
        padding=2,
        axis=alt.AxisConfig(
            labelColor=SOFT, titleColor=SOFT, tickColor=LINE, domainColor=LINE, gridColor=LINE, labelFontSize=11,
            titleFontSize=11, titleFontWeight="normal", labelLimit=200, domain=False, ticks=False, labelPadding=6,
        ),
        header=alt.HeaderConfig(labelColor=INK, labelFontSize=12, labelAnchor="start", labelLimit=170),
        view=alt.ViewConfig(stroke=None),
    ).configure_axisY(grid=False)  # fmt: skip
    return _one_image(vl_convert.vegalite_to_svg(made.to_dict()), printable(name))


def _one_image(drawn: str, name: str) -> str:
    """Without what Vega writes for scripts and for screen readers about every single mark: half of the bytes."""
    image = ElementTree.fromstring(drawn)
    for parent in list(image.iter()):
        for element in list(parent):
            if element.tag == f"{SVG}path" and not {"fill", "stroke"} & {*element.attrib}:
                parent.remove(element)
        parent.attrib = {
            attribute: LONG_NUMBER.sub(r"\1", value) if attribute in PLACES else value
            for attribute, value in parent.attrib.items()
            if (attribute, value) not in DEFAULTS and attribute not in IDLE and not attribute.startswith("aria-")
        }
        parent.tag = parent.tag.removeprefix(SVG)
    width = f"--width: {image.attrib['width']}px"  # for page.css: a narrow page shrinks it a little before it scrolls
    image.attrib = {"role": "img", "aria-label": name, "style": width, **image.attrib}
    return ElementTree.tostring(image, encoding="unicode")


def _named(names: Sequence[str]) -> alt.Axis:
    """An axis of names, with room for the longest."""
    room = GLYPH * max(map(len, names))
    return alt.Axis(minExtent=room, maxExtent=room, labelLimit=room)


def _base(rows: list[dict[str, Any]], of: FileRanges) -> alt.Chart:
    y = alt.Y("file:O", title=None, axis=alt.Axis(format="d"))
    return _over(rows, of).encode(y=y).properties(width=WIDTH, height=alt.Step(STEP))


def _over(rows: list[dict[str, Any]], of: FileRanges) -> alt.Chart:
    """Rows `from` … `to` over the column's axis."""
    if _axis(of) != "time":
        return alt.Chart(alt.InlineData(values=rows)).encode(x=_x(of), x2="to:Q")
    in_ms = [row | {end: row[end] * 1000 for end in ("from", "to")} for row in rows]
    return alt.Chart(alt.InlineData(values=in_ms)).encode(x=_x(of), x2="to:T")


def _x(of: FileRanges) -> alt.X:
    axis = _axis(of)
    if axis == "time":
        places = [place for place, _ in _ends(of)]
        written = next(written for least, written in TIMES if max(places) - min(places) >= least)
        labels = alt.Axis(tickCount=7, labelOverlap=True, format=written)
        return alt.X("from:T", title=f"{of.column}, UTC", scale=alt.Scale(type="utc", nice=False), axis=labels)
    if axis == "number":
        return alt.X("from:Q", title=of.column, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=8))
    named = _texts(of)
    words = json.dumps([shortened(named.get(place, ""), LABEL) for place in range(max(named, default=0) + 1)])
    few = alt.Axis(values=_spread(sorted(named)), labelExpr=f"{words}[datum.value]", grid=True)
    return alt.X("from:Q", title=f"{of.column}, in order", scale=alt.Scale(zero=False, nice=False), axis=few)


def _axis(of: FileRanges) -> Axis:
    too_far = of.axis == "time" and any(abs(place) > LONGEST_TIME for place, _ in _ends(of))
    return "number" if too_far else of.axis


def _ends(of: FileRanges) -> list[tuple[float, str]]:
    """Every end of a range: its place and its text."""
    sides = [side for file in of.files for side in (file.stored, file.actual)] + ([of.asked] if of.asked else [])
    ends = [end for side in sides for end in ((side.low_at, side.low), (side.high_at, side.high))]
    return [(place, text) for place, text in ends if place is not None]


def _texts(of: FileRanges) -> dict[int, str]:
    """The value at each rank, of an axis of values in order."""
    return {int(place): text for place, text in _ends(of)}


def _spread(places: list[int]) -> list[int]:
    step = -(-len(places) // LABELS) or 1
    return places[::step]


def _bar(row: dict[str, Any], kind: str, of: Range) -> list[dict[str, Any]]:
    """A side that is absent leaves its end at the other one."""
    low, high = (end if end is not None else other for end, other in ((of.low_at, of.high_at), (of.high_at, of.low_at)))
    return [] if low is None else [row | {"kind": kind, "from": low, "to": high}]


def _band(of: FileRanges) -> alt.Chart | None:
    if of.asked is None:
        return None
    places = [place for place, _ in _ends(of)] or [0.0]
    low, high = of.asked.low_at, of.asked.high_at
    ends = {"from": min(places) if low is None else low, "to": max(places) if high is None else high}
    band: alt.Chart = _over([ends], of).mark_rect(
        fill="var(--band)", stroke="var(--STALE)", strokeWidth=1, strokeDash=[4, 3]
    )
    return band


def _by(channel: type[Channel], field: str, colours: dict[str, str]) -> Channel:
    return channel(f"{field}:N", scale=alt.Scale(domain=list(colours), range=list(colours.values())), legend=None)


def _edges(fills: dict[str, str]) -> dict[str, str]:
    """The colour of each pattern; quiet bars have a soft edge."""
    plain = {pattern: colour for colour, pattern in HATCHED.items()} | {GREY: SOFT}
    return {line: plain.get(fill, fill) for line, fill in fills.items()}
