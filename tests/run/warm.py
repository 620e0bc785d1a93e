"""A process that has imported the audit and collected its tests once, and runs pytest in a fork of itself for each job.

`python -m tests.run.warm FOLDER` reads a job a line from its standard input and answers each with a line, the exit
status; the folder has what jobs draw. It ends when its input does. What a fork cannot show (that imports succeed, in
their order and without a warning) is left to the runs in an interpreter of their own, and so is xdist, whose workers
are such.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from vl_convert import vegalite_to_svg

from lab.stack.cache import write_atomically
from tests.run.forks import for_answers, run_pytest, serve
from xtable_audit.register.bundled import bundled_register
from xtable_audit.report.html import template

LATE = (
    "altair",
    "boto3",
    "datafusion",
    "deltalake",
    "hudi",
    "pyiceberg.catalog.sql",
    "xtable_audit.readers.pyiceberg_reader",
    "xtable_audit.report.html.template",
    "requests",
)
"""What a run imports after its collection, the page and its drawings among it."""


def main() -> None:
    answers = for_answers()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        collected = pytest.main(["--collect-only", "-q", "--recorded", "-p", "no:cacheprovider"])
    if collected != pytest.ExitCode.OK:
        sys.exit(printed.getvalue())
    for name in LATE:
        importlib.import_module(name)
    bundled_register()
    compile_templates()
    patch("vl_convert.vegalite_to_svg", partial(drawn_once, vegalite_to_svg, Path(sys.argv[1]))).start()
    serve(answers, run_pytest)


def compile_templates() -> None:
    environment = template._environment()
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)


def drawn_once(draw: Callable[[Any], str], folder: Path, chart: Any) -> str:
    """The picture, which a job takes that an earlier one has drawn: Vega takes a second to start in each."""
    file = folder / hashlib.sha256(json.dumps(chart, sort_keys=True).encode()).hexdigest()
    if not file.exists():
        write_atomically(file, draw(chart).encode())
    return file.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
