"""A number of mutants, each judged, and the file put back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tools.fuzz.judged import PATIENCE, Judged
from tools.fuzz.judging import End
from tools.fuzz.mutate import mutant
from tools.fuzz.seeds import seeds

FAULTS = (End.REFUSED, End.RAISED, End.DIED, End.HUNG, End.UNFIT)
"""Ends that no check may have."""


@dataclass(frozen=True)
class FuzzResult:
    number: int
    """Of the mutant: with the seed it makes the same one again."""
    file: str
    end: End
    words: str
    content: bytes
    """Of the changed file."""

    @property
    def is_fault(self) -> bool:
        return self.end in FAULTS


def fuzz(folder: Path, numbers: range, seed: int, patience: float = PATIENCE) -> Iterator[FuzzResult]:
    """Judges these mutants of tables that it writes into the empty folder."""
    tables = seeds(folder)
    with Judged(patience) as judged:
        for number in numbers:
            random = Random(f"{seed}-{number}")
            table = random.choice(tables)
            file = random.choice(table.files)
            healthy = file.read_bytes()
            content = mutant(file.name, healthy, random)
            file.write_bytes(content)
            end, words = judged.end_of(table.metadata)
            file.write_bytes(healthy)
            yield FuzzResult(number, file.name, end, words, content)
