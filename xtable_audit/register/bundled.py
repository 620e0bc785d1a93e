"""The register that comes with this package, for tables that it does not name: entries are known by their causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from xtable_audit.register.extent import Extents, load_extents
from xtable_audit.register.fields import parsed
from xtable_audit.register.locked import readers_of, subject_of
from xtable_audit.register.register import Entry, load_register, rows_of

NAME = "findings.toml"
PAGES = "pages"
OF_BLOCKS = {"claims": "claims", "subjects": "subjects", "except": "subjects", "readers": "readers"}
"""Fields of a block that name something, and what."""


def bundled_register() -> tuple[Entry, ...]:
    """Every entry. Subjects are as the file has them, patterns unresolved: their tables are in the suite's checkout."""
    return _load(path_of_register())


def entries_of(target: str) -> tuple[Entry, ...]:
    """The entries of findings in metadata of this format."""
    return tuple(entry for entry in bundled_register() if target in entry.targets)


def path_of_register() -> Path:
    """Beside this module where the package is installed, at the root of a checkout."""
    here = Path(__file__).resolve()
    installed = here.with_name(NAME)
    return installed if installed.exists() else here.parents[2] / NAME


def page(id: str) -> str:
    """The page of a finding, in Markdown: evidence, code, reproduction. Its links are relative to docs/findings."""
    here = Path(__file__).resolve()
    installed = here.with_name(PAGES)
    folder = installed if installed.exists() else here.parents[2] / "docs" / "findings"
    made, _, text = (folder / f"{id}.md").read_text(encoding="utf-8").partition("\n")
    return text if made.startswith("<!--") else f"{made}\n{text}"


@cache
def _load(path: Path) -> tuple[Entry, ...]:
    named = _named(rows_of(parsed(path)))
    locked = load_extents(path) or Extents({})
    for test in (test for tests in locked.of.values() for test in tests):
        named["subjects"].add(subject_of(test))
        named["readers"].update(readers_of(test))
    return load_register(path, **named)


def _named(rows: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Whatever the file names counts as known: the suite's tests check it against what there is."""
    found: dict[str, set[str]] = {"claims": set(), "subjects": set(), "readers": set(), "components": set()}
    for row in rows:
        for block in (row, *row.get("where", ())):
            for field, what in OF_BLOCKS.items():
                found[what] |= set(block.get(field, ()))
            found["components"] |= {block["component"]} if "component" in block else set()
        found["subjects"] |= {*row.get("proven_by", ()), *filter(None, [row.get("reproduce")])}
        found["claims"] |= {*row.get("held_by", ())}
    return found
