"""A picture of how something grows with the number of files, on two logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import altair as alt


def draw(lines: Mapping[str, Mapping[int, float]], title: str, path: Path) -> None:
    """Writes a PNG. `lines` has, by name, what was measured at each number of files."""
    points = [
        {"of": name, "files": files, title: value} for name, of in lines.items() for files, value in of.items() if value
    ]
    chart = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X("files:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", tickCount=4), title="data files"),
        y=alt.Y(f"{title}:Q", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=6)),
        color=alt.Color("of:N", sort=list(lines), title=None, scale=alt.Scale(scheme="tableau20")),
        shape=alt.Shape("of:N", sort=list(lines), title=None),
    )
    drawn = (chart.mark_line() + chart.mark_point(filled=True, size=50)).properties(width=560, height=380)
    path.parent.mkdir(exist_ok=True)
    drawn.configure_legend(labelLimit=240).save(path, scale_factor=2)
