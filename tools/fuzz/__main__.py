"""Judges mutants of healthy tables: `python -m tools fuzz --mutants 10000 --seed 1`. Exits 1 if one ends badly."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tools.fuzz.run import FuzzResult, fuzz

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
