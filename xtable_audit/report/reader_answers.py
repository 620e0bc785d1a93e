"""What planners and readers were asked and returned: words about them rest on nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from xtable_audit.model.figures import many
from xtable_audit.model.finding import WRONG_ANSWERS, Answers, Finding, answer
from xtable_audit.report.document import Document, TrialRow

SHOWN = 12
"""Maximum rows of the table of wrong answers; audit.json has all of them."""
LONGEST = 31
"""Width, in terminal columns, of a table's name and of its predicate below it."""


def wrong_answers(document: Document) -> list[RenderableType]:
    """The queries that readers answer wrongly, worst first; empty if there are none."""
    rows = [one for one in document.answers if one.wrong]
    if not rows:
        return []
    readers = list(dict.fromkeys(reader for row in rows for reader in row.readers))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("table and condition", no_wrap=True)
    for name in ("actual", *readers):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows[:SHOWN]:
        cells = [_cell(row.readers.get(reader), row.actual) for reader in readers]
        table.add_row(f"{_cut(row.table)}\n{_cut('  ' + row.predicate)}", f"{row.actual:,}", *cells)
    parts: list[RenderableType] = [Text("\nwrong answers: rows by the values, and by each reader", style="bold"), table]
    if len(rows) > SHOWN:
        parts.append(Text(f"and {len(rows) - SHOWN} more queries in audit.json", style="dim"))
    return [*parts, Text("")]


def trials(document: Document) -> list[Text]:
    """For each planner, how many predicates it planned and how many lose rows; empty without trials."""
    by_planner: dict[str, list[TrialRow]] = {}
    for one in document.trials:
        by_planner.setdefault(one.planner, []).append(one)
    lines = []
    for planner, of in by_planner.items():
        tried, losing = sum(one.predicates for one in of), sum(one.losing for one in of)
        known = sum(count for one in of for count in one.set_aside.values())
        aside = f"; {known:,} explained by its known traps" if known else ""
        lines.append(
            f"{many(tried, 'predicate')} on {many(len(of), 'table')} by {planner}: {losing:,} lose rows{aside}"
        )
    if "pyiceberg" in by_planner and "java" not in by_planner:
        lines.append("none by java: XTable's JVM was not run")
    return [Text(" pruning  " + "\n          ".join(lines))] if lines else []


def predicates_tried(document: Document) -> tuple[int, int]:
    """How many predicates were tried, and how many lose rows by the planner that loses most on their table."""
    tried, losing = dict[str, int](), dict[str, int]()
    for one in document.trials:
        tried[one.table] = max(one.predicates, tried.get(one.table, 0))
        losing[one.table] = max(one.losing, losing.get(one.table, 0))
    return sum(tried.values()), sum(losing.values())


def _cell(returned: int | str | None, actual: int) -> Text:
    word = {"refuses": "✗", "not up": "-"}.get(answer(returned), answer(returned))
    return Text(word, style="" if returned == actual else "red")


def _cut(words: str) -> str:
    return words if cell_len(words) <= LONGEST else set_cell_size(words, LONGEST - 1) + "…"


@dataclass(frozen=True)
class TablesAsked:
    """Tables, each counted once."""

    wrong: int
    """Some reader returned other rows, and no error."""
    refused: int
    """Readers raised an error, and none returned other rows."""
    right: int
    """Every reader that was asked returned the right rows: the fault shows in other queries."""
    unasked: int

    @property
    def words(self) -> Iterator[str]:
        """One line for what readers did, one for the tables that none was asked about."""
        asked = self.wrong + self.refused + self.right
        if asked:
            did = [f"return wrong rows and no error on {self.wrong:,}"] if self.wrong else []
            did += [f"raise an error on {self.refused:,}"] if self.refused else []
            did += [f"return right rows on {self.right:,}"] if self.right else []
            yield f"readers were asked about {asked:,} of these tables: they {', '.join(did)}"
        if self.unasked:
            yield f"no reader was asked about {many(self.unasked, 'table')}: there the values alone show it"


def asked(document: Document, tables: Iterable[str]) -> TablesAsked:
    """What the run's readers returned of these tables, by their answers to the findings' queries and by their own
    findings.
    """
    by_table: dict[str, list[Finding]] = {}
    for result in document.claims:
        if result.finding is not None:
            by_table.setdefault(result.finding.table, []).append(result.finding)
    ended = [_did(by_table.get(table, ())) for table in set(tables)]
    return TablesAsked(*(ended.count(one) for one in ("wrong", "refused", "right", "unasked")))


def _did(findings: Iterable[Finding]) -> str:
    found = list(findings)
    answers = [one.answers for one in found if one.answers is not None]
    of_readers = [one.verdict for one in found if one.reader is not None]
    if any(one.wrong for one in answers) or any(one in WRONG_ANSWERS for one in of_readers):
        return "wrong"
    if any(one.refused for one in answers) or of_readers:
        return "refused"
    return "right" if any(map(_counted, answers)) else "unasked"


def _counted(answers: Answers) -> bool:
    return any(isinstance(given, int) for given in answers.readers.values())
