"""A process that has imported what a check takes, and runs a user's pytest in a fork of itself for each job.

The plugin itself each fork imports, as pytest does for a user. What only an interpreter of its own shows is left to the
tests that start one.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from tests.forks import for_answers, run_pytest, serve

LATE = (
    "xtable_audit.check.run",
    "xtable_audit.check.what_to_do",
    "pyiceberg.catalog.sql",
    "deltalake",
    "datafusion",
    "xdist.plugin",
)


def main() -> None:
    answers = for_answers()
    for name in LATE:
        importlib.import_module(name)
    serve(answers, run_in)


def run_in(folder: str, **job: Any) -> int:
    os.chdir(folder)
    sys.path[0] = folder  # as `python -m pytest` has it
    return run_pytest(**job)


if __name__ == "__main__":
    main()
