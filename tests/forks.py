"""A process that has imported what is slow to import, and answers each job in a fork of itself."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import pytest

from lab.stack.project import ROOT

SECONDS = 300
"""Bounds a hung job."""
NOTHING_DRAWN = '<svg xmlns="http://www.w3.org/2000/svg" width="1"/>'
"""A picture in its place."""
Ask = Callable[..., int]
"""Does a job of these fields, which JSON can hold; its exit status."""


@contextmanager
def forks_of(module: str, **environment: str) -> Iterator[Ask]:
    """`module` reads a job a line from its standard input, and answers each with its exit status in a line."""
    command, pipe = [sys.executable, "-m", module], subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env=os.environ | environment, stdin=pipe, stdout=pipe, text=True
    ) as server:
        requests, answers = server.stdin, server.stdout
        assert requests is not None
        assert answers is not None

        def ask(**job: Any) -> int:
            print(json.dumps(job), file=requests, flush=True)
            return int(answers.readline())

        yield ask
        requests.close()


def for_answers() -> TextIO:
    """This process's standard output, for the answers alone: what else it prints must go elsewhere before it serves."""
    return os.fdopen(os.dup(1), "w")


def serve(answers: TextIO, do: Callable[..., int]) -> None:
    """Does each job of standard input in a fork, until that ends."""
    gc.freeze()  # else each fork's collector goes through all that was made here, and copies its pages
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            answers.close()
            sys.exit(do(**job))
        print(status_of(pid), file=answers, flush=True)


def run_pytest(arguments: list[str], environment: dict[str, str], output: str, errors: str) -> int:
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
