"""Hudi's own reader is queried, and its answers become the judge's types."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from lab.provision.hudi.trials import HudiQuery, TableLocation, live_files, run_trials
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Answer, Layers

NY = Compare("state", "=", "NY")
FILES = frozenset({"file:/lake/ship/state=NY/a.parquet", "file:/lake/ship/state=CA/b.parquet"})
LAYERS = Layers(2, 1, 1, ("state=NY",))


@dataclass
class Fake:
    """A reader that gives one answer to every question."""

    answer: Answer | Exception
    name: str = "hudi"
    version: str = "1.0.2"
    locations: list[str] = field(default_factory=list)

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        self.locations.append(metadata_location)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_live_files_are_named_below_the_table() -> None:
    reader = Fake(Answer(4, FILES, 2))
    assert live_files(reader, "/lake/ship") == {"state=NY/a.parquet", "state=CA/b.parquet"}


def test_live_files_are_listed_without_any_index() -> None:
    reader = Fake(Answer(4, FILES, 2))
    live_files(reader, "/lake/ship")
    assert reader.locations == ["/lake/ship#unlisted"]


@pytest.mark.parametrize(
    "answer", [RuntimeError("no such table"), Answer(4, unknown_plan="no such table")], ids=["refused", "not reported"]
)
def test_a_table_that_cannot_be_listed_is_a_problem(answer: Answer | Exception) -> None:
    with pytest.raises(Problem, match=r"Hudi's own reader cannot list /lake/ship: .*no such table"):
        live_files(Fake(answer), "/lake/ship")


def test_each_question_runs_in_its_mode() -> None:
    reader = Fake(Answer(1, FILES, 2))
    run_trials(reader, TableLocation("/lake/ship", {}), [HudiQuery("off", NY), HudiQuery("on", NY)])
    assert reader.locations == ["/lake/ship#off", "/lake/ship#on"]


def test_layers_are_reported() -> None:
    [trial] = run_trials(Fake(Answer(1, FILES, layers=LAYERS)), TableLocation("/lake/ship", {}), [HudiQuery("on", NY)])
    counts = (trial.live, trial.after_partition_statistics, trial.after_column_statistics, trial.partitions)
    assert counts == (2, 1, 1, ("state=NY",))


def test_a_refusal_is_reported_in_its_own_words() -> None:
    [trial] = run_trials(Fake(RuntimeError("index failed")), TableLocation("/lake/ship", {}), [HudiQuery("on", NY)])
    assert (trial.rows, trial.planned) == (None, None)
    assert "index failed" in str(trial.error)


def test_files_in_the_store_are_named_below_the_table() -> None:
    planned = frozenset({"s3a://lake/hudi/ship/state=NY/a.parquet"})
    [trial] = run_trials(Fake(Answer(1, planned, 2)), TableLocation("s3://lake/hudi/ship", {}), [HudiQuery("on", NY)])
    assert trial.planned == frozenset({"state=NY/a.parquet"})
