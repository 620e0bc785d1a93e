"""A picture of how something grows with the number of files, on two logarithmic axes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path


def draw(lines: Mapping[str, Mapping[int, float]], title: str, path: Path, ours: Collection[str]) -> None:
    """Writes an SVG. `lines` has, by name, what was measured at each number of files; those of `ours` are thick."""
    import altair as alt  # late: processes whose memory is measured import this module, too

    points = [
        {"of": name, "files": files, title: value, "whose": "ours" if name in ours else "others"}
        for name, of in lines.items()
        for files, value in of.items()
    ]
    chart = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X("files:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", tickCount=4), title="data files"),
        y=alt.Y(f"{title}:Q", scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=6, format="~g")),
        color=alt.Color("of:N", sort=list(lines), title=None, scale=alt.Scale(scheme="tableau20")),
    )
    drawn = chart.mark_line(point=True).encode(
        size=alt.Size("whose:N", legend=None, scale=alt.Scale(domain=["ours", "others"], range=[4, 1.5]))
    )
    path.parent.mkdir(exist_ok=True)
    made = drawn.properties(width=560, height=400).configure_legend(labelLimit=240, labelFontSize=12)
    made.configure_axis(gridOpacity=0.4).save(path)
