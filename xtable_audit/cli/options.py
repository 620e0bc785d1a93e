"""Options that commands share: which findings fail them, sizes in bytes, and times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
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


UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?$", re.IGNORECASE)


class Size(click.ParamType[int]):
    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = SIZE.match(str(value).strip())
        if found is None:
            self.fail(f"{value!r} is no size; write one like 500MB or 2GB", param, ctx)
        number, unit, binary = found.groups()
        base = UNITS[unit.upper()]
        return int(float(number) * (1024 ** list(UNITS).index(unit.upper()) if binary else base))


class Time(click.ParamType[datetime]):
    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        try:
            time = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no time; write one like 2026-11-22 or 2026-11-22T15:40:00+01:00", param, ctx)
        return time if time.tzinfo else time.replace(tzinfo=UTC)
