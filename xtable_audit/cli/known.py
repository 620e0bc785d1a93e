"""`xtable-audit known [XTF-N]`: the known findings, and what to do about each."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator

import click

from xtable_audit.address import page_of
from xtable_audit.model.finding import SEVERITY, Verdict
from xtable_audit.register.condition_in_words import condition_of
from xtable_audit.register.entry import NONE_KNOWN, Entry, is_numbered

WIDTH = 80
UNTOLD = "no remedy is known"
EXAMPLES = """
\b
Examples
  xtable-audit known
  xtable-audit known --release 0.4.0 | grep duplicate
  xtable-audit known XTF-004
  xtable-audit known XTF-004 --page
"""


@click.command(epilog=EXAMPLES)
@click.argument("id", required=False, metavar="[XTF-N]")
@click.option("--release", metavar="RELEASE", help="List those that this release of XTable has.")
@click.option("--page", "whole", is_flag=True, help="Print the finding's page: Markdown, with evidence and code.")
def known(id: str | None, release: str | None, whole: bool) -> int:
    """List the known findings, or tell all of one: when a table has it, what it does, what helps.

    To a terminal the list is folded; elsewhere it has one line for each finding, with tabs between the fields.
    """
    from xtable_audit.register.bundled import bundled_register, page

    entries = bundled_register()
    if id is None:
        if whole:
            raise click.UsageError("--page prints the page of one finding: name it")
        found = [entry for entry in entries if release is None or _has(entry, release)]
        click.echo("\n".join(_folded(found) if sys.stdout.isatty() else map(_row, found)))
        return 0
    entry = _named(id, entries)
    click.echo(page(entry.id) if whole else "\n".join(_lines(entry)), nl=not whole)
    return 0


def _named(id: str, entries: tuple[Entry, ...]) -> Entry:
    from xtable_audit.register.register import now_called

    found = next((entry for entry in entries if entry.id == id.upper()), None)
    if found is None:
        raise click.BadParameter(now_called(id, entries), param_hint="XTF-N")
    return found


def _has(entry: Entry, release: str) -> bool:
    if not is_numbered(release):
        raise click.BadParameter(f"{release} is no release, such as 0.4.0", param_hint="--release")
    return any(one.component == "xtable" and one.covers(release) for one in entry.where)


def _row(entry: Entry) -> str:
    return "\t".join([entry.id, _words(_worst(entry)), _releases(entry), entry.title, _remedy(entry)])


def _folded(entries: list[Entry]) -> Iterator[str]:
    for entry in entries:
        yield from _wrapped(f"{_words(_worst(entry))} · {_releases(entry)}", f"{entry.id}  ")
        yield from _wrapped(entry.title, " " * 9)
        yield from _wrapped(_remedy(entry), f"{'':9}do: ")
        yield ""
    yield f"{len(entries)} known findings. More of one: xtable-audit known {entries[0].id if entries else 'XTF-N'}"


def _lines(entry: Entry) -> Iterator[str]:
    yield from _wrapped(entry.title, f"{entry.id}  ")
    lines = {
        "effect": ", ".join(dict.fromkeys(_words(one.verdict) for one in entry.where)),
        "in": _releases(entry),
        "met by": condition_of(entry),
        "cause": entry.cause,
        "do": _remedy(entry),
        "back": entry.recovers,
        "threads": "; ".join(one.told(one.address) for one in entry.threads) or f"none found ({entry.searched})",
        "page": page_of(entry.id),
        "more": f"xtable-audit known {entry.id} --page",
    }
    for label, words in lines.items():
        if words:
            yield from _wrapped(words, f"  {label:<8}  ")


def _worst(entry: Entry) -> Verdict:
    return min((one.verdict for one in entry.where), key=SEVERITY.index)


def _words(verdict: Verdict) -> str:
    return f"{verdict.words} ({verdict})"


def _releases(entry: Entry) -> str:
    return " · ".join(f"{component} {_versions(entry, component)}" for component in entry.components)


def _versions(entry: Entry, component: str) -> str:
    """The releases by name that the register covers; of another component its range."""
    from xtable_audit.register.bundled import path_of_register
    from xtable_audit.register.register import covers

    ranges = [one for one in entry.where if one.component == component]
    known = [one.version for one in covers(path_of_register()).get(component, ())]
    named = [version for version in known if any(one.covers(version) for one in ranges)]
    return ", ".join(named or sorted(map(str, ranges[0].releases), reverse=True))


def _remedy(entry: Entry) -> str:
    return UNTOLD if entry.remedy == NONE_KNOWN else entry.remedy


def _wrapped(words: str, start: str) -> list[str]:
    fold = textwrap.TextWrapper(WIDTH, initial_indent=start, subsequent_indent=" " * len(start))
    fold.break_long_words = fold.break_on_hyphens = False
    return fold.wrap(words)
