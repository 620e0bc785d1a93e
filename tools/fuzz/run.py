"""A number of mutants, each judged, and the file put back."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from tools.fuzz.judging import End
from tools.fuzz.mutate import mutant
from tools.fuzz.seeds import seeds

PATIENCE = 60.0
"""Seconds for one table. The first takes longer: it imports."""
ROOT = Path(__file__).parents[2]


class Judged:
    """A context manager around the process."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def end_of(self, metadata: Path) -> tuple[End, str]:
        """How the check of this table ends, and its words."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{metadata}\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], self._patience)[0]:
            self._end()
            return End.HUNG, f"no answer in {self._patience:.0f} s"
        line = process.stdout.readline()
        if not line:
            self._end()
            return End.DIED, f"status {process.returncode}"
        end, words = json.loads(line)
        return End(end), words

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tools.fuzz.judging"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


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
