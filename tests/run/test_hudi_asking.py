"""Hudi's own reader is asked, and its words are put into the judge's."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from provision.hudi.asking import Place, Question, live_files, put
from readers.base import Answer, Layers
from stack.problem import Problem
from xtable_audit.model.predicate import Compare, Predicate

NY = Compare("state", "=", "NY")
FILES = frozenset({"file:/lake/ship/state=NY/a.parquet", "file:/lake/ship/state=CA/b.parquet"})
LAYERS = Layers(2, 1, 1, ("state=NY",))


@dataclass
class Fake:
    """A reader that answers alike, whatever it is asked."""

    answer: Answer | Exception
    name: str = "hudi"
    version: str = "1.0.2"
    asked: list[str] = field(default_factory=list)

    def ask(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        self.asked.append(metadata_location)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_live_files_are_named_below_the_table() -> None:
    reader = Fake(Answer(4, FILES, 2))
    assert live_files(reader, "/lake/ship") == {"state=NY/a.parquet", "state=CA/b.parquet"}


def test_live_files_are_listed_without_any_index() -> None:
    reader = Fake(Answer(4, FILES, 2))
    live_files(reader, "/lake/ship")
    assert reader.asked == ["/lake/ship#unlisted"]


@pytest.mark.parametrize(
    "answer", [RuntimeError("no such table"), Answer(4, untold="no such table")], ids=["refused", "untold"]
)
def test_a_table_that_cannot_be_listed_is_a_problem(answer: Answer | Exception) -> None:
    with pytest.raises(Problem, match=r"Hudi's own reader cannot list /lake/ship: .*no such table"):
        live_files(Fake(answer), "/lake/ship")


def test_each_question_is_asked_in_its_mode() -> None:
    reader = Fake(Answer(1, FILES, 2))
    put(reader, Place("/lake/ship", {}), [Question("off", NY), Question("on", NY)])
    assert reader.asked == ["/lake/ship#off", "/lake/ship#on"]


def test_layers_are_told() -> None:
    [trial] = put(Fake(Answer(1, FILES, layers=LAYERS)), Place("/lake/ship", {}), [Question("on", NY)])
    counts = (trial.live, trial.after_partition_statistics, trial.after_column_statistics, trial.partitions)
    assert counts == (2, 1, 1, ("state=NY",))


def test_a_refusal_is_told_in_its_own_words() -> None:
    [trial] = put(Fake(RuntimeError("index failed")), Place("/lake/ship", {}), [Question("on", NY)])
    assert (trial.rows, trial.planned) == (None, None)
    assert "index failed" in str(trial.error)


def test_files_in_the_store_are_named_below_the_table() -> None:
    planned = frozenset({"s3a://lake/hudi/ship/state=NY/a.parquet"})
    [trial] = put(Fake(Answer(1, planned, 2)), Place("s3://lake/hudi/ship", {}), [Question("on", NY)])
    assert trial.planned == frozenset({"state=NY/a.parquet"})
