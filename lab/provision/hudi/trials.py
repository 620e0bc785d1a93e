"""Runs queries with Hudi's own reader on a table on the local disk or in the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from lab.store.log import RequestLog
from xtable_audit.formats.hudi.indexed_table import HudiTrial, Mode
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader


@dataclass(frozen=True)
class HudiQuery:
    mode: Mode
    predicate: Predicate


@dataclass(frozen=True)
class TableLocation:
    """Where Hudi's reader finds a table. `keys`: path of a base file below the table -> its key in the store."""

    location: str
    keys: dict[str, str]
    log: RequestLog | None = None


def live_files(reader: Reader, location: str) -> frozenset[str]:
    """The base files of the newest state, by Hudi's own listing without any index, as paths below the table.

    Raises Problem if Hudi cannot list them.
    """
    [observation] = observe(reader, None, f"{location}#unlisted", [None], ())
    answer = observation.answer
    if answer is None or answer.planned is None:
        reason = observation.error or (answer.unknown_plan if answer else None)
        raise Problem(f"Hudi's own reader cannot list {location}: {reason}")
    return _below(location, answer.planned)


def run_trials(reader: Reader, place: TableLocation, questions: Sequence[HudiQuery]) -> tuple[HudiTrial, ...]:
    """One trial for each question, in order. Reads the request log once for consecutive questions of one mode."""
    trials: list[HudiTrial] = []
    for mode, of_mode in groupby(questions, key=lambda question: question.mode):
        predicates = [question.predicate for question in of_mode]
        observations = observe(reader, place.log, f"{place.location}#{mode}", predicates, place.keys.values())
        trials += [_trial(place, mode, *pair) for pair in zip(predicates, observations, strict=True)]
    return tuple(trials)


def _trial(place: TableLocation, mode: Mode, predicate: Predicate, observation: Observation) -> HudiTrial:
    answer = observation.answer
    layers = answer.layers if answer else None
    path_of = {key: path for path, key in place.keys.items()}
    return HudiTrial(
        predicate=predicate,
        mode=mode,
        rows=observation.rows,
        planned=_below(place.location, answer.planned) if answer and answer.planned is not None else None,
        live=layers.live if layers else answer.live if answer else None,
        after_partition_statistics=layers.after_partition_statistics if layers else None,
        after_column_statistics=layers.after_column_statistics if layers else None,
        partitions=layers.partitions if layers else None,
        read=None if observation.read is None else frozenset(path_of[key] for key in observation.read),
        seconds=round(observation.seconds, 4),
        error=observation.error,
    )


def _below(location: str, files: Iterable[str]) -> frozenset[str]:
    """Paths below the table: `file:/somewhere/table/a/1.parquet` becomes `a/1.parquet`."""
    inside = f"{location.rpartition('://')[2].strip('/')}/"
    return frozenset(file.partition(inside)[2] for file in files)
