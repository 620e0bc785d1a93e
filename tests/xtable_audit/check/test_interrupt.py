"""An interrupt keeps what was found, and the next run goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tables.lake import Lake, orders
from xtable_audit import scan
from xtable_audit.check import own_predicates
from xtable_audit.check.cost import ReadCost
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.locate.locate import locate
from xtable_audit.report.check_screen import check_screen
from xtable_audit.report.document import Document


class Impatient:
    """Interrupts after the first files; `seen` counts files that were read."""

    def __init__(self, *, interrupts: bool) -> None:
        self.interrupts, self.seen = interrupts, 0

    def judged_metadata(self, document: Document) -> None:
        pass

    def go_on(self, cost: ReadCost) -> bool:
        return True

    def progress(self, cost: ReadCost) -> Callable[[int, int], None]:
        def read(files: int, size: int) -> None:
            self.seen += files
            if self.interrupts:
                raise KeyboardInterrupt

        return read


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lake]:
    monkeypatch.setattr(scan, "TOGETHER", 2)
    monkeypatch.setattr(scan, "ROUNDS", 1)
    made = Lake.at(tmp_path)
    made.table("orders", *(orders(number) for number in range(5)))
    yield made
    made.catalog.close()


def run(lake: Lake, watch: Impatient) -> Document:
    root = str(lake.root("orders"))
    return check(locate(root), Options(root, kept=lake.folder / "kept", threads=2), watch)


def test_what_was_read_is_judged(lake: Lake) -> None:
    document = run(lake, Impatient(interrupts=True))
    assert (document.complete, document.own_table and document.own_table.read) == (False, 2)
    assert any(result.claim == "bounds_contain_values" for result in document.claims)


def test_the_screen_says_so(lake: Lake) -> None:
    screen = "\n".join(map(str, check_screen(run(lake, Impatient(interrupts=True)))))
    assert "Interrupted: the values of 2 files are compared; run it again to go on." in screen
    assert screen.splitlines()[-1].endswith("cut short")


def test_an_interrupt_of_predicates_keeps_the_values(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(own_predicates, "matching_rows", interrupted)
    root = str(lake.root("orders"))
    document = check(locate(root), Options(root, where=("id = 5",)), Impatient(interrupts=False))
    [row] = document.own_table.predicates if document.own_table else ()
    assert (document.complete, row.planned, row.matching) == (False, 1, None)
    assert any(result.claim == "bounds_contain_values" for result in document.claims)


def test_the_next_run_reads_the_rest_alone(lake: Lake) -> None:
    run(lake, Impatient(interrupts=True))
    second = Impatient(interrupts=False)
    document = run(lake, second)
    assert (second.seen, document.complete, document.own_table and document.own_table.read) == (3, True, 5)
