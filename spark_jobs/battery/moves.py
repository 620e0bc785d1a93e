"""Histories as moves: events that Hypothesis can draw, and the steps that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from spark_jobs.battery.histories import DROPPED, FIRST, SCHEMA, rows
from spark_jobs.battery.table import BatteryTable, Operation, Step, service, write

Kind = Literal[
    "upsert",
    "insert",
    "delete",
    "overwrite",
    "drop",
    "cluster",
    "savepoint",
    "rollback",
    "restore",
    "overwrite_table",
    "rollback_rewrite",
    "restore_rewrite",
]
"""`rollback` undoes the last commit, `restore` all since the savepoint; as `…_rewrite`, of commits that rewrote files,
and that a sync has seen."""


@dataclass(frozen=True)
class Move:
    """One event: an operation, its partition and its keys. `seen` is whether a sync follows it."""

    do: Kind
    part: str = ""
    keys: tuple[str, ...] = ()
    seen: bool = True

    @property
    def words(self) -> str:
        text = self.do.replace("_", " ")
        text += f" {', '.join(self.keys)}" if self.keys else ""
        return f"{text} in {self.part}" if self.part else text

    def step(self, number: int, saved: int = 0) -> Step:
        """As step `number` (from 1) of a history: its values differ from those of all other steps.

        `saved` is the step that the last savepoint is of.
        """
        match self.do:
            case "cluster":
                return Step(self.words, service("cluster").action, self.seen)
            case "savepoint":
                return Step(self.words, service("savepoint", of=number - 1).action, self.seen)
            case "rollback" | "rollback_rewrite":
                return Step(self.words, service("rollback", of=number - 1).action, self.seen)
            case "restore" | "restore_rewrite":
                return Step(self.words, service("restore", of=saved).action, self.seen)
        operation = OPERATIONS[self.do]
        options = {DROPPED: f"part={self.part}"} if self.do == "drop" else None
        given = rows(self.part, self.keys, 10 * (number + 1))  # the first step has 10 and 20
        return write(operation, SCHEMA, given, words=self.words, staged=self.seen, options=options)


OPERATIONS: dict[str, Operation] = {
    "upsert": "upsert",
    "insert": "bulk_insert",
    "delete": "delete",
    "overwrite": "insert_overwrite",
    "overwrite_table": "insert_overwrite_table",
    "drop": "delete_partition",
}


def played(name: str, description: str, moves: Sequence[Move]) -> BatteryTable:
    """The table that begins with three rows in `a` and two in `b`, and then makes these moves."""
    steps, saved = [FIRST], 0
    for number, move in enumerate(moves, start=2):
        saved = number - 1 if move.do == "savepoint" else saved
        steps.append(move.step(number, saved))
    return BatteryTable(name, description, tuple(steps), partition_by=("part",), partition_spec="part:VALUE")


def in_words(moves: Sequence[Move]) -> str:
    return "; ".join(move.words + ("" if move.seen else " (no sync)") for move in moves)
