"""The releases that the register covers: `[covers]` of findings.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from packaging.version import Version

from xtable_audit.register.fields import BadRegister

COVERS = "covers"


@dataclass(frozen=True)
class Covered:
    """One release of a component."""

    version: str
    day: date
    """The day of its tag's commit; of a release of Hudi, that on which its jar was built."""


@cache
def covers(register: Path) -> Mapping[str, tuple[Covered, ...]]:
    """The releases of each component, oldest first; empty if the file names none. Raises BadRegister."""
    of = tomllib.loads(register.read_text(encoding="utf-8")).get(COVERS, {})
    try:
        made = {
            name: [Covered(version, date.fromisoformat(day)) for version, day in days.items()]
            for name, days in of.items()
        }
        return {name: tuple(sorted(few, key=lambda one: Version(one.version))) for name, few in made.items()}
    except (AttributeError, TypeError, ValueError) as error:
        wanted = 'each component with its releases and their days, as { "0.4.0" = "2026-08-07" }'
        raise BadRegister(f"{register.name}: {COVERS} names {wanted}, not {of!r}.") from error
