"""Judges mutants of healthy tables: `python -m tools fuzz --mutants 10000 --seed 1`. Exits 1 if one ends badly."""

from __future__ import annotations

import argparse
import json
import select
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Self

from tools.fuzz.judging import End
from tools.fuzz.mutate import mutant, seeds

PATIENCE = 60.0
"""Seconds for one table. The first takes longer: it imports."""
ROOT = Path(__file__).parents[2]


class JudgeProcess:
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
    with JudgeProcess(patience) as judged:
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


EVERY = 500


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools fuzz", description=__doc__)
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first one, to make one of them again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="where files of faults are kept")
    arguments = parser.parse_args()
    ends: Counter[str] = Counter()
    faults = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for one in fuzz(Path(folder), range(arguments.first, arguments.first + arguments.mutants), arguments.seed):
            ends[one.end] += 1
            faults += one.is_fault
            if one.is_fault:
                print(f"{arguments.seed}-{one.number} {one.file} {one.end}: {one.words}", flush=True)
                _keep(arguments.keep, arguments.seed, one)
            if sum(ends.values()) % EVERY == 0:
                print(_line(ends), flush=True)
    print(f"{_line(ends)}; {faults} as no check may end")
    return 1 if faults else 0


def _line(ends: Counter[str]) -> str:
    return f"{sum(ends.values()):,} mutants: " + ", ".join(f"{count:,} {end}" for end, count in ends.most_common())


def _keep(folder: Path, seed: int, one: FuzzResult) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{seed}-{one.number}-{one.file}").write_bytes(one.content)


if __name__ == "__main__":
    sys.exit(main())
