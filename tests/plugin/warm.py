"""A process that has imported what a check takes, and runs a user's pytest in a fork of itself for each job.

The plugin itself each fork imports, as pytest does for a user. What only an interpreter of its own shows is left to the
tests that start one.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys

from tests.run import warm

LATE = (
    "xtable_audit.check.run",
    "xtable_audit.check.advice",
    "pyiceberg.catalog.sql",
    "deltalake",
    "datafusion",
    "xdist.plugin",
)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    for name in LATE:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            answers.close()
            folder = job.pop("folder")
            os.chdir(folder)
            sys.path[0] = folder  # as `python -m pytest` has it
            sys.exit(warm.run(**job))
        print(warm.status_of(pid), file=answers, flush=True)


if __name__ == "__main__":
    main()
