"""drawn_*: histories that `python -m tools hunt` drew at random.

Add new ones at the end: a table is named by its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_jobs.battery.moves import Move, in_words, played
from spark_jobs.battery.table import BatteryTable


def kept(*moves: Move) -> tuple[Move, ...]:
    return moves


HISTORIES = (
    kept(
        Move("delete", "a", ("a2", "a3")),
        Move("delete", "b", ("b1",), seen=False),
        Move("upsert", "b", ("b3", "b4"), seen=False),
        Move("upsert", "a", ("a4",)),
        Move("cluster"),
    ),
    kept(
        Move("insert", "c", ("c1",)),
        Move("drop", "a"),
        Move("overwrite", "b", ("b1", "b2", "b3"), seen=False),
        Move("overwrite", "c", ("c3", "c4")),
        Move("delete", "c", ("c3",)),
    ),
    kept(
        Move("overwrite", "b", ("b2", "b3", "b4"), seen=False),
        Move("insert", "b", ("b1", "b5", "b6"), seen=False),
        Move("delete", "b", ("b1", "b6")),
        Move("upsert", "a", ("a2", "a4")),
        Move("upsert", "d", ("d3",)),
    ),
    kept(Move("drop", "b"), Move("insert", "c", ("c1",)), Move("drop", "a"), Move("upsert", "a", ("a3",))),
    kept(
        Move("overwrite", "b", ("b1",), seen=False),
        Move("drop", "b", seen=False),
        Move("upsert", "d", ("d2",), seen=False),
        Move("delete", "a", ("a2",)),
    ),
    kept(
        Move("upsert", "d", ("d1", "d2")),
        Move("insert", "d", ("d3", "d4", "d5"), seen=False),
        Move("overwrite", "d", ("d5", "d7", "d8")),
        Move("delete", "a", ("a2",)),
    ),
)


def drawn(histories: Sequence[tuple[Move, ...]]) -> tuple[BatteryTable, ...]:
    return tuple(played(f"drawn_{place}", _sentence(moves), moves) for place, moves in enumerate(histories, start=1))


def _sentence(moves: Sequence[Move]) -> str:
    words = in_words(moves)
    return f"{words[0].upper()}{words[1:]}."


TABLES = drawn(HISTORIES)
