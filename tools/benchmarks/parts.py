"""A plugin of pytest that writes down when a run reached each part: `-p tools.benchmarks.parts` and `AUDIT_PARTS`.

`AUDIT_PARTS` names a JSON file: seconds since the epoch of each moment, in the order in which they came.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

MOMENTS = {"imported": 0.0, "collected": 0.0, "first test": 0.0, "last test": 0.0, "ended": 0.0}
"""Under xdist the workers collect, and the first test is the first that is reported."""


def pytest_sessionstart() -> None:
    MOMENTS["imported"] = time.time()


def pytest_collection_finish() -> None:
    MOMENTS["collected"] = time.time()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    MOMENTS["last test"] = time.time()
    MOMENTS["first test"] = MOMENTS["first test"] or MOMENTS["last test"]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        MOMENTS["ended"] = time.time()
        reached = {name: at for name, at in MOMENTS.items() if at}
        Path(os.environ["AUDIT_PARTS"]).write_text(json.dumps(reached), encoding="utf-8")
