"""How the suite's own tests are handed to workers, by `tests/scheduling.py`; and whole runs, for any of them."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.scheduling import ByUnit, durations, keep, longest_first
from tests.whole_runs.run import audit, audit_alone, warm

__all__ = ["audit", "audit_alone", "warm"]

# Examples are the same in every run. Each may take 200 ms, and be slow to draw, on a machine that is busy enough.
settings.register_profile(
    "tests", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--keep-durations", action="store_true", help="write tests/durations.json again")
    more = "every table where a test takes one of each kind, and readers where it asks none: for the nightly run"
    parser.addoption("--every-table", action="store_true", help=more)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--keep-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Keeper())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before any fixture, so that nothing is built for a test that is then skipped."""
    if item.get_closest_marker("at_night") and not item.config.getoption("--every-table"):
        pytest.skip("it runs with --every-table")


class Keeper:
    def __init__(self) -> None:
        self._taken: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if isinstance(report, pytest.SubtestReport):
            return  # its seconds are in those of its test
        self._taken[report.nodeid.partition("::")[0]] += report.duration

    def pytest_unconfigure(self) -> None:
        keep(self._taken)


@pytest.fixture(scope="module", autouse=True)
def nothing_is_left_open() -> Iterator[None]:
    """A socket that a module leaves to Python's collector is blamed on it, not on whichever test runs by then.

    PySpark leaves one for every `collect()`.
    """
    yield
    gc.collect()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Only where there are workers: whoever runs tests alone sees them in the order of their files."""
    if hasattr(config, "workerinput"):
        items[:] = longest_first(items, durations())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByUnit | None:
    return ByUnit(config, log) if config.getoption("dist") == "loadfile" else None
