"""Types of options: sizes in bytes, and times."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import click

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
