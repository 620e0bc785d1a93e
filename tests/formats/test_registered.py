"""Formats of other packages, by their entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from xtable_audit.formats.registered import GROUP, OURS, Installed, TableFormat
from xtable_audit.model.problem import Problem

Package = Callable[[str, str, str], None]
"""Installs a package: its name, the line of its entry point, and its module's text."""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    monkeypatch.syspath_prepend(tmp_path)
    installed = []

    def install(name: str, line: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text)
        metadata = tmp_path / f"{name}-1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{line}\n")

        installed.append(name)

    yield install
    for name in installed:
        sys.modules.pop(name, None)


ONE = "from xtable_audit.formats.registered import TableFormat\nONE = TableFormat()\n"


@pytest.mark.parametrize("name", OURS)
def test_a_format_of_the_judge_is_a_source_or_a_target(name: str) -> None:
    one = Installed(OURS)[name]
    assert one.source is not None or one.target is not None


def test_a_format_of_another_package_is_installed_with_it(package: Package) -> None:
    package("lake_of_somebody", "lake = lake_of_somebody:ONE", ONE)
    assert Installed(OURS)["lake"] == TableFormat()


def test_a_format_whose_name_is_taken_is_refused(package: Package) -> None:
    package("delta_of_somebody", "delta = delta_of_somebody:ONE", ONE)
    with pytest.raises(Problem, match=r"two packages register the table format delta: .*, and delta_of_somebody:ONE"):
        len(Installed(OURS))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import no_such_module", "cannot be loaded from broken_of_somebody:ONE: No module named 'no_such_module'"),
        ("", "cannot be loaded from broken_of_somebody:ONE: .*has no attribute 'ONE'"),
        ("ONE = 1", "is no TableFormat: broken_of_somebody:ONE is of type int"),
    ],
    ids=["its module cannot be imported", "its module lacks it", "it is something else"],
)
def test_a_format_that_cannot_be_loaded_is_named(package: Package, text: str, why: str) -> None:
    package("broken_of_somebody", "broken = broken_of_somebody:ONE", text)
    with pytest.raises(Problem, match=f"the table format broken {why}"):
        Installed(OURS)["broken"]
