"""A plugin of pytest that writes down where a run's time goes: `-p tools.benchmarks.time_spent`.

`AUDIT_PARTS` names a JSON file: seconds since the epoch at which the run reached each part, in the order in which they
came.

`AUDIT_SPENT` names a folder. Each process that runs tests writes a JSON file there. `spent` has part, then table, to
seconds of processor time of that process, and by the clock; `began` and `ended` are when its first test began and its
last one ended. A test's setup reads its table's metadata and values, and waits until the table is made, which takes no
processor time; its call asks planners or readers, or compares.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fixtures.known_findings import parameters

VALUES, PLANNERS, READERS, CLAIMS = "metadata and values", "planners", "readers", "claims"
Seconds = list[float]
MOMENTS = {"imported": 0.0, "collected": 0.0, "first test": 0.0, "last test": 0.0, "ended": 0.0}
"""Under xdist the workers collect, and the first test is the first that is reported."""
TESTS = [0.0, 0.0]
"""When the first began and the last ended, in seconds since the epoch."""
SPENT: dict[str, dict[str, Seconds]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))


def pytest_sessionstart() -> None:
    MOMENTS["imported"] = time.time()


def pytest_collection_finish() -> None:
    MOMENTS["collected"] = time.time()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    MOMENTS["last test"] = time.time()
    MOMENTS["first test"] = MOMENTS["first test"] or MOMENTS["last test"]


@contextmanager
def _spends(part: str, item: pytest.Item) -> Iterator[None]:
    processor, clock = time.process_time(), time.monotonic()
    try:
        yield
    finally:
        spent = SPENT[part][str(parameters(item)["table"])]
        spent[0] += time.process_time() - processor
        spent[1] += time.monotonic() - clock


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    TESTS[0] = TESTS[0] or time.time()
    with _spends(VALUES, item):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    asked = parameters(item)
    with _spends(PLANNERS if "planner" in asked else READERS if "reader" in asked else CLAIMS, item):
        return (yield)


def pytest_runtest_teardown() -> None:
    TESTS[1] = time.time()


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    if "AUDIT_PARTS" in os.environ and not hasattr(config, "workerinput"):
        MOMENTS["ended"] = time.time()
        reached = {name: at for name, at in MOMENTS.items() if at}
        Path(os.environ["AUDIT_PARTS"]).write_text(json.dumps(reached), encoding="utf-8")
    if SPENT and "AUDIT_SPENT" in os.environ:
        file = Path(os.environ["AUDIT_SPENT"]) / f"{os.getpid()}.json"
        began, ended = TESTS
        file.write_text(json.dumps({"began": began, "ended": ended, "spent": SPENT}), encoding="utf-8")
