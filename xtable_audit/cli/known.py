"""`xtable-audit known [XTF-N]`: the known findings, and what to do about each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from xtable_audit.register.entry import NONE_KNOWN, Entry

WIDTH = 80
EXAMPLES = """
\b
Examples
  xtable-audit known
  xtable-audit known XTF-004
"""


@click.command(epilog=EXAMPLES)
@click.argument("id", required=False, metavar="[XTF-N]")
def known(id: str | None) -> int:
    """List the known findings, or tell all of one: when a table has it, what it does, what helps."""
    from xtable_audit.register.bundled import bundled_register
    from xtable_audit.register.register import now_called

    entries = bundled_register()
    if id is None:
        for entry in entries:
            click.echo(f"{entry.id}  {textwrap.shorten(entry.title, WIDTH - 9, placeholder=' …')}")
        return 0
    found = next((entry for entry in entries if entry.id == id.upper()), None)
    if found is None:
        raise click.BadParameter(now_called(id, entries), param_hint="XTF-N")
    for line in _page(found):
        click.echo(line)
    return 0


def _page(entry: Entry) -> Iterator[str]:
    yield from textwrap.wrap(f"{entry.id}  {entry.title}", WIDTH, subsequent_indent=" " * 9)
    where = entry.where
    releases = dict.fromkeys(f"{one.component} {one.releases}" for one in where)
    condition = entry.condition
    lines = {
        "effect": ", ".join(dict.fromkeys(f"{one.verdict.words} ({one.verdict})" for one in where)),
        "in": " · ".join(releases),
        "types": ", ".join(condition.types),
        "values": condition.values,
        "settings": ", ".join(condition.settings),
        "cause": entry.cause,
        "do": "no remedy is known" if entry.remedy == NONE_KNOWN else entry.remedy,
        "back": entry.recovers,
        "threads": "; ".join(one.told(one.address) for one in entry.threads) or f"none found ({entry.searched})",
        "page": f"docs/findings/{entry.id}.md in the project",
    }
    for label, words in lines.items():
        if words:
            start = f"  {label:<8}  "
            fold = textwrap.TextWrapper(WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
            fold.break_long_words = fold.break_on_hyphens = False
            yield from fold.wrap(words)
