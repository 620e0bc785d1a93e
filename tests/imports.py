"""What a module of this project imports, and its code without words."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from lab.stack.project import ROOT


@cache
def distributions() -> Mapping[str, list[str]]:
    """By module, what is installed that brings it: it takes a third of a second to look."""
    return packages_distributions()


@cache
def names_in(file: Path) -> tuple[str, ...]:
    """Every module that the file imports, also late, but not for its types alone: `a.b`, or `a.b.name`."""
    return tuple(_names(_tree(file)))


def imported(folder: Path) -> Iterator[tuple[str, str]]:
    """Every module that is imported below the folder, also late, but not for its types alone; and where."""
    for file in sorted(folder.rglob("*.py")):
        where = file.relative_to(ROOT).as_posix()
        yield from ((name, where) for name in names_in(file))


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Import(names=names):
            yield from (one.name for one in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield from (f"{module}.{one.name}" for one in names)
    for child in ast.iter_child_nodes(node):
        yield from _names(child)


@cache
def modules_of(*modules: str, root: Path = ROOT) -> frozenset[Path]:
    """The files of these modules, and of all that they import of this project, directly or not."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        for file in set(_files(waiting.pop(), root)) - found:
            found.add(file)
            waiting += names_in(file)
    return frozenset(found)


def _files(name: str, root: Path) -> Iterator[Path]:
    """The module and the packages that it is in."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:end])
        yield from filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py"))


@cache
def code_in(file: Path) -> str:
    """What the file does: the same with other comments, docstrings and line breaks."""
    return ast.dump(_Wordless().visit(_tree(file)))


class _Wordless(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A string that is a statement does nothing."""
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))
