"""A process that has imported the audit and collected its tests once, and runs pytest in a fork of itself for each job.

`python -m tests.run.warm FOLDER` reads a job a line from its standard input and answers each with a line, the exit
status; the folder has what jobs draw. It ends when its input does. What a fork cannot show (that imports succeed, in
their order and without a warning) is left to the runs in an interpreter of their own, and so is xdist, whose workers
are such.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import io
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from vl_convert import vegalite_to_svg

from xtable_audit.register.bundled import bundled_register
from xtable_audit.report.html import template

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
    compile_templates()
    patch("vl_convert.vegalite_to_svg", partial(drawn_once, vegalite_to_svg, Path(sys.argv[1]))).start()
    gc.freeze()  # else each fork's collector goes through all that was made here, and copies its pages
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            answers.close()
            sys.exit(run(**job))
        print(status_of(pid), file=answers, flush=True)


def compile_templates() -> None:
    environment = template._environment()
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)


def drawn_once(draw: Callable[[Any], str], folder: Path, chart: Any) -> str:
    """The picture, which a job takes that an earlier one has drawn: Vega takes a second to start in each."""
    file = folder / hashlib.sha256(json.dumps(chart, sort_keys=True).encode()).hexdigest()
    if not file.exists():
        file.write_text(draw(chart), encoding="utf-8")
    return file.read_text(encoding="utf-8")


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
