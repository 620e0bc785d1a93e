"""Every upgrade in turn: which gates run, which are done, and the pages that they leave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lab.stack.versions import Release
from tools.gate.every_upgrade import main, upgrades
from tools.pages.gates import BEGIN, END, FOLDER, GateHead, write

PAGE = """# XTable {before} to {to}

**Is it safe to upgrade in place, or must the Iceberg metadata be dropped first? Upgrade in place**: all is well.

| source | tables | answer | broken claims | left behind in place | because of |
|---|---|---|---|---|---|
| Delta | 17 | **Upgrade in place** | 48 | | |
| Delta with deletion vectors | 1 | **Do not upgrade** | 3 | | |

Made 2026-11-24 with suite 2026.11.
"""


class Gates:
    """Stands in for the gate: it leaves a page, or ends with another status."""

    def __init__(self) -> None:
        self.ran: list[list[str]] = []
        self.status = 1

    def __call__(self, arguments: Sequence[str]) -> int:
        out, before, to, *options = arguments
        self.ran.append([before, to, *options])
        made = Path(out.partition("=")[2]) / f"gate-20261124-000000-{len(self.ran):04}"
        made.mkdir(parents=True)
        (made / "gate.md").write_text(PAGE.format(before=before, to=to))
        return self.status


@pytest.fixture(autouse=True)
def _all_resolve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.gate.every_upgrade.is_resolvable", lambda one: True)


@pytest.fixture
def gates() -> Gates:
    return Gates()


@pytest.fixture
def every(gates: Gates, tmp_path: Path) -> Any:
    return lambda *options: main([f"--out={tmp_path / 'out'}", f"--pages={tmp_path / 'pages'}", *options], gates)


def test_each_release_is_upgraded_to_each_newer_one_and_to_main(every: Any, gates: Gates) -> None:
    assert every("--main=0.5.0-SNAPSHOT", "-n", "2", "--readers=none") == 0
    old, new, newest, of_main = "0.2.0-incubating", "0.3.0-incubating", "0.4.0-incubating", "0.5.0-SNAPSHOT"
    pairs = [(old, new), (old, newest), (old, of_main), (new, newest), (new, of_main), (newest, of_main)]
    assert gates.ran == [[*pair, "-n", "2", "--readers=none"] for pair in pairs]


def test_a_release_that_does_not_resolve_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolves(one: Release) -> bool:
        return one.short != "0.2.0"

    monkeypatch.setattr("tools.gate.every_upgrade.is_resolvable", resolves)
    assert [(before.short, to.short) for before, to in upgrades("")] == [("0.3.0", "0.4.0")]


def test_what_is_done_is_not_run_again(every: Any, gates: Gates, tmp_path: Path) -> None:
    every("-n", "2")
    (tmp_path / "out" / "0.3.0-incubating-to-0.4.0-incubating" / "done.json").unlink()  # as if it was stopped there
    every("-n", "2")
    assert gates.ran[3:] == [["0.3.0-incubating", "0.4.0-incubating", "-n", "2"]]


@pytest.mark.parametrize("options", [("-n", "1"), ("--again", "-n", "2")], ids=["other options", "again"])
def test_it_is_run_again_when_asked_otherwise(options: tuple[str, ...], every: Any, gates: Gates) -> None:
    every("-n", "2")
    every(*options)
    assert len(gates.ran) == 6


def test_the_readme_has_a_row_for_each_page(every: Any, tmp_path: Path) -> None:
    every()
    rows = (tmp_path / "pages" / "README.md").read_text().splitlines()[5:-1]
    assert [row.partition("]")[0] for row in rows] == ["| [0.2.0 to 0.3.0", "| [0.2.0 to 0.4.0", "| [0.3.0 to 0.4.0"]
    upgrade, *cells = rows[0].strip("| ").split(" | ")
    assert upgrade == "[0.2.0 to 0.3.0](0.2.0-incubating-to-0.3.0-incubating.md)"
    assert cells == [
        "2026-11-24", "**Upgrade in place**", "all is well.", "Do not upgrade: Delta with deletion vectors",
    ]  # fmt: skip


def test_a_gate_that_cannot_say_leaves_the_page_of_before(every: Any, gates: Gates, tmp_path: Path) -> None:
    gates.status = 6
    assert (every(), (tmp_path / "pages").exists()) == (6, False)
    gates.status = 0
    assert every() == 0


def test_a_part_of_the_tables_makes_no_page_of_the_project(gates: Gates, capsys: pytest.CaptureFixture[str]) -> None:
    assert (main(["-k", "history_upsert"], gates), gates.ran) == (4, [])
    assert "--pages" in capsys.readouterr().out


def test_words_around_the_table_stay(every: Any, tmp_path: Path) -> None:
    every()
    readme = tmp_path / "pages" / "README.md"
    readme.write_text(f"# By hand\n\n{BEGIN}\n| old |\n{END}\n\nWhy.\n")
    write(tmp_path / "pages")
    text = readme.read_text()
    assert (text.startswith("# By hand\n"), text.endswith("\n\nWhy.\n"), "| old |" in text) == (True, True, False)


def test_a_readme_without_a_place_for_the_table_is_not_overwritten(every: Any, tmp_path: Path) -> None:
    every()
    (tmp_path / "pages" / "README.md").write_text("# By hand\n")
    with pytest.raises(ValueError, match="no place for the table"):
        write(tmp_path / "pages")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*-to-*.md")), ids=lambda path: path.stem)
def test_the_projects_pages_can_be_read_and_are_linked(path: Path) -> None:
    page, readme = GateHead.read(path), (FOLDER / "README.md").read_text(encoding="utf-8")
    assert (page.name in readme, BEGIN in readme, END in readme) == (True, True, True)
