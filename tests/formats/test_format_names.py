"""Nothing outside a format's own folder decides by its literal name: what differs is the format's to say."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from xtable_audit.formats.registered import INSTALLED

PACKAGES = (
    "fixtures",
    "lab/provision",
    "lab/recording",
    "lab/subjects",
    "suites",
    "xtable",
    *(f"tools/{one}" for one in ("frozen", "gate", "pages", "reproduce")),
)
ELSEWHERE = {
    "xtable_audit/formats": "a format's own folder",
    "tools/reproduce/kit": "copied beside a finding, and run without this suite",
    "tools/reproduce/finding.py": "a component of the register, whose release shows a finding, has the name",
    "tools/reproduce/trials.py": "the same",
}
"""Where a format's name decides, and why it may."""


def product() -> list[Path]:
    files = [file for package in ("xtable_audit", *PACKAGES) for file in (ROOT / package).rglob("*.py")]
    return [file for file in files if not file.relative_to(ROOT).as_posix().startswith(tuple(ELSEWHERE))]


def decided_by_name(tree: ast.AST) -> Iterator[int]:
    """Lines that compare something with the literal name of a format, or begin with it."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=comparators):
                compared: list[ast.AST] = [left, *comparators]
            case ast.MatchValue(value=value):
                compared = [value]
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith"), args=args):
                compared = [*args]
            case _:
                continue
        if any(_is_name(one) for one in compared):
            yield getattr(node, "lineno", 0)


def _is_name(node: ast.AST) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_name, node.elts))
    return isinstance(node, ast.Constant) and str(node.value).lower() in {*INSTALLED}


def test_no_code_outside_a_formats_folder_decides_by_its_name() -> None:
    found = {
        file.relative_to(ROOT).as_posix(): lines
        for file in product()
        if (lines := [*decided_by_name(ast.parse(file.read_text(encoding="utf-8")))])
    }
    assert found == {}


@pytest.mark.parametrize(
    "code",
    [
        'target == "delta"',
        '"HUDI" != table.format',
        'target in ("iceberg", "all")',
        'name.startswith("delta")',
        'match target:\n    case "iceberg":\n        pass',
    ],
)
def test_a_decision_by_name_is_seen(code: str) -> None:
    assert [*decided_by_name(ast.parse(code))]


@pytest.mark.parametrize("place", ELSEWHERE)
def test_every_exception_is_in_use(place: str) -> None:
    files = [ROOT / place] if place.endswith(".py") else [*(ROOT / place).rglob("*.py")]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    assert any(line for tree in trees for line in decided_by_name(tree))
