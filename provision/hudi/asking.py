"""Questions to Hudi's own reader over a table that lies on this disk or in the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from readers.base import Observation, Reader
from readers.watch import observe
from stack.problem import Problem
from store.log import RequestLog
from xtable_audit.hudi.case import HudiTrial, Mode
from xtable_audit.model.predicate import Predicate


@dataclass(frozen=True)
class Question:
    mode: Mode
    predicate: Predicate


@dataclass(frozen=True)
class Place:
    """A table where Hudi's reader finds it. `keys` are the store's keys of its base files, by their paths below it."""

    location: str
    keys: dict[str, str]
    log: RequestLog | None = None


def live_files(reader: Reader, location: str) -> frozenset[str]:
    """The base files of the newest state, by Hudi's own listing without any index, as paths below the table.

    Raises Problem where Hudi cannot tell.
    """
    [seen] = observe(reader, None, f"{location}#unlisted", [None], ())
    if seen.answer is None or seen.answer.planned is None:
        told = seen.error or (seen.answer.untold if seen.answer else None)
        raise Problem(f"Hudi's own reader cannot list {location}: {told}")
    return _below(location, seen.answer.planned)


def put(reader: Reader, place: Place, questions: Sequence[Question]) -> tuple[HudiTrial, ...]:
    """The answers, question by question; the request log is planned once for each run of one mode."""
    trials: list[HudiTrial] = []
    for mode, asked in groupby(questions, key=lambda question: question.mode):
        predicates = [question.predicate for question in asked]
        seen = observe(reader, place.log, f"{place.location}#{mode}", predicates, place.keys.values())
        trials += [_trial(place, mode, *pair) for pair in zip(predicates, seen, strict=True)]
    return tuple(trials)


def _trial(place: Place, mode: Mode, predicate: Predicate, seen: Observation) -> HudiTrial:
    answer, layers = seen.answer, seen.answer.layers if seen.answer else None
    path_of = {key: path for path, key in place.keys.items()}
    return HudiTrial(
        predicate=predicate,
        mode=mode,
        rows=seen.rows,
        planned=_below(place.location, answer.planned) if answer and answer.planned is not None else None,
        live=layers.live if layers else answer.live if answer else None,
        after_partition_statistics=layers.after_partition_statistics if layers else None,
        after_column_statistics=layers.after_column_statistics if layers else None,
        partitions=layers.partitions if layers else None,
        read=None if seen.read is None else frozenset(path_of[key] for key in seen.read),
        seconds=round(seen.seconds, 4),
        error=seen.error,
    )


def _below(location: str, files: Iterable[str]) -> frozenset[str]:
    """`file:/somewhere/table/a/1.parquet` as `a/1.parquet`."""
    inside = f"{location.rpartition('://')[2].strip('/')}/"
    return frozenset(file.partition(inside)[2] for file in files)
