"""The options that say which findings fail a command: `--fail-on`, `--accept`, `--ignore`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from xtable_audit.model.finding import Verdict
from xtable_audit.model.own_table import FAIL_ON

fail_on = click.option(
    "--fail-on",
    type=click.Choice([str(one) for one in Verdict], case_sensitive=False),
    default=str(FAIL_ON),
    show_default=True,
    help="Exit 1 on findings of this verdict or a worse one, known or not. Others are advice. The worst comes first.",
)
accept = click.option(
    "--accept", "accepted", multiple=True, metavar="XTF-N", help="A known finding that does not count."
)
ignore = click.option(
    "--ignore",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Findings that do not count, each with a reason and a last day; by default .xtable-audit.toml in this folder.",
)


def accepted_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """The ids, some of which may be separated by commas. Raises BadParameter for one that the register lacks."""
    from xtable_audit.register.bundled import bundled_register
    from xtable_audit.register.register import now_called

    named = tuple(id.strip().upper() for one in ids for id in one.split(","))
    entries = bundled_register() if named else ()
    for id in named:
        if id not in {entry.id for entry in entries}:
            raise click.BadParameter(now_called(id, entries), param_hint="--accept")
    return named
