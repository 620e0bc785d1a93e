"""Random numbers as Spark SQL text: a function of the seed, a name and the row's number `id`, and of nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence


class Draws:
    """Independent draws by name. They are columns of their own: select `columns()` before the text that uses them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._columns: dict[str, str] = {}

    def columns(self) -> list[str]:
        """The draws requested so far, one column each."""
        return list(self._columns.values())

    def uniform(self, name: str) -> str:
        """A double in [0, 1)."""
        digest = hashlib.sha256(f"{self._seed}/{name}".encode()).digest()
        salt = int.from_bytes(digest[:7], "big")
        self._columns[name] = f"shiftrightunsigned(xxhash64(id, {salt}L), 11) * double({2.0**-53!r}) AS `u {name}`"
        return f"`u {name}`"

    def below(self, name: str, bound: int) -> str:
        """A bigint in [0, bound)."""
        return f"floor({self.uniform(name)} * {bound})"

    def happens(self, name: str, share: float) -> str:
        """True for about that share of the rows."""
        return f"({self.uniform(name)} < double({share}))"

    def one_of(self, name: str, values: Sequence[int]) -> str:
        """One of the values, each as likely as the others."""
        return f"element_at(array({', '.join(map(str, values))}), int({self.below(name, len(values))}) + 1)"

    def weighted(self, name: str, weights: Mapping[str, float]) -> str:
        """One of the keys, which are SQL literals, as likely as its weight. Name the most frequent one first."""
        drawn, whole, reached = self.uniform(name), sum(weights.values()), 0.0
        *others, last = weights
        cases = []
        for value in others:
            reached += weights[value]
            cases.append(f"WHEN {drawn} < double({reached / whole!r}) THEN {value}")
        return f"CASE {' '.join(cases)} ELSE {last} END"
