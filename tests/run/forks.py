"""A process that has imported what is slow to import, and answers each job in a fork of itself: see `warm.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lab.stack.project import ROOT

Ask = Callable[..., int]
"""Does a job of these fields, which JSON can hold; its exit status."""


@contextmanager
def forks_of(module: str, *arguments: str) -> Iterator[Ask]:
    """`module` reads a job a line from its standard input, and answers each with its exit status in a line."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        requests, answers = server.stdin, server.stdout
        assert requests is not None
        assert answers is not None

        def ask(**job: Any) -> int:
            print(json.dumps(job), file=requests, flush=True)
            return int(answers.readline())

        yield ask
        requests.close()
