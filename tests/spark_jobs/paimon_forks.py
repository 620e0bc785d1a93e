"""A process that has imported Paimon's library for Python, which takes a second, and writes each table in a fork.

It reads a job a line, as `tests/forks.py` has it, and has the library on its PYTHONPATH. It compacts no table: that
needs Paimon's library for Java, and `lab.provision.sources.paimon.write` does it.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from spark_jobs.battery import paimon_table
from spark_jobs.battery.paimon import PAIMON_TABLES
from tests.forks import for_answers, serve


def main() -> None:
    answers = for_answers()
    importlib.import_module("pypaimon")
    serve(answers, write)


def write(name: str, folder: str) -> int:
    paimon_table.write(PAIMON_TABLES[name], Path(folder), compact)
    return 0


def compact(table: Path) -> None:
    raise NotImplementedError(f"{table} is compacted by Java")


if __name__ == "__main__":
    main()
