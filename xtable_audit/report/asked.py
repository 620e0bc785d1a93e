"""Which tables readers were asked about, and what they returned: words about readers rest on nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xtable_audit.model.figures import many
from xtable_audit.model.finding import WRONG_ANSWERS, Answers, Finding
from xtable_audit.report.document import Document


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
