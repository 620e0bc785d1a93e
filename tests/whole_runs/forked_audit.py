"""A process that has imported the audit and collected its tests once, and runs pytest in a fork of itself for each job.

`python -m tests.whole_runs.forked_audit` reads a job a line from its standard input and answers each with a line, the
exit status. It ends when its input does. What a fork cannot show (that imports succeed, in their order and without a
warning) is left to the runs in an interpreter of their own, and so is xdist, whose workers are such. A page of a fork
has no pictures: Vega takes a second to start, `tests/xtable_audit/report` looks at them, and those runs draw them.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from unittest.mock import patch

import pytest

from tests.forks import NOTHING_DRAWN, for_answers, run_pytest, serve
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
"""What a run imports after its collection, the page among it."""


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
    patch("vl_convert.vegalite_to_svg", lambda chart: NOTHING_DRAWN).start()
    serve(answers, run_pytest)


def compile_templates() -> None:
    environment = template._environment()
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)


if __name__ == "__main__":
    main()
