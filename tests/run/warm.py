"""A process that has imported the audit and collected its tests once, and runs pytest in a fork of itself for each job.

`python -m tests.run.warm` reads a job a line from its standard input and answers each with a line, the exit status.
It ends when its input does. What a fork cannot show (that imports succeed, in their order and without a warning) is
left to the runs in an interpreter of their own, and so is xdist, whose workers are such.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import signal
import sys
import time

import pytest

from xtable_audit.register.bundled import bundled_register

LATE = (
    "altair",
    "boto3",
    "datafusion",
    "deltalake",
    "hudi",
    "pyiceberg.catalog.sql",
    "xtable_audit.readers.pyiceberg_planner",
    "xtable_audit.report.html.render",
    "requests",
    "lab.stack.poms",
)
"""What a run imports after its collection, the page and its drawings among it."""
SECONDS = 300
"""Bounds a hung run."""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        collected = pytest.main(["--collect-only", "-q", "--recorded", "-p", "no:cacheprovider"])
    if collected != pytest.ExitCode.OK:
        sys.exit(printed.getvalue())
    for name in LATE:
        importlib.import_module(name)
    bundled_register()
    gc.freeze()  # else each fork's collector goes through all that was made here, and copies its pages
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            answers.close()
            sys.exit(run(**job))
        print(status_of(pid), file=answers, flush=True)


def run(arguments: list[str], environment: dict[str, str], output: str, errors: str) -> int:
    """`pytest …` in this process, whose standard output and error go to these files; its exit status."""
    for stream, path in enumerate((os.devnull, output, errors)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), stream)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["pytest", *arguments]
    return pytest.main(arguments)


def status_of(pid: int) -> int:
    """The exit status of the child, below zero for the signal that ended it."""
    until = time.monotonic() + SECONDS
    while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return os.waitstatus_to_exitcode(ended[1])


if __name__ == "__main__":
    main()
