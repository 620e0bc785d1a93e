"""What is kept of earlier runs: a second one over the same files asks no reader again, by the same code."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

from fixtures.kept_by_runs import DECIDING, of_the_table
from lab.engines.readers import ADAPTERS
from lab.stack.project import ROOT
from tests.kept import empty_cache
from tests.of_each import of_each
from tests.run.conftest import Audit, Ran
from xtable_audit.readers.reader import Answer, Observation

TESTS = ("month", "no_matching", "planners", "bounds")
READERS = "pyiceberg,duckdb,daft"
TIMES = {"seconds", "started", "finished"}


@pytest.fixture(scope="module")
def ran(audit: Audit, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Ran, Ran]:
    """The first run, the second, and one that asks again."""
    cache = empty_cache(tmp_path_factory.mktemp("own") / "cache")
    selected = " or ".join(f"good_layout-xtable and {test}" for test in TESTS)
    asked = ("-k", selected, "--readers", READERS)
    first, second = (audit(*asked, environment=cache) for _ in range(2))
    return first, second, audit(*asked, "--ask-again", environment=cache)


def kept(run: Ran) -> list[str]:
    return [step["detail"] for step in run.document["steps"] if step["name"] == "kept"]


def timeless(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: timeless(value) for name, value in told.items() if name not in TIMES}
    return [timeless(one) for one in told] if isinstance(told, list) else told


# A second run over the same files asks no reader again, and says the same; with `--ask-again` it asks them all.


def test_the_second_run_takes_what_the_first_kept(ran: tuple[Ran, Ran, Ran]) -> None:
    first, second, again = map(kept, ran)
    assert (first, again) == ([], [])
    [told] = second
    assert "answered" in told
    assert "planned" in told


@pytest.mark.parametrize("part", ["claims", "selections", "trials", "tightness"])
def test_both_say_the_same(ran: tuple[Ran, Ran, Ran], part: str) -> None:
    first, second, again = (timeless(run.document[part]) for run in ran)
    assert first == second == again
    assert first


@pytest.mark.parametrize(
    ("reader", "error", "kept"),
    [
        ("duckdb", None, True),
        ("daft", "s3://b/a.parquet carries no parquet field IDs, but …", True),
        ("daft", "Connection reset by peer", False),
        ("duckdb", "s3://b/a.parquet carries no parquet field IDs, but …", False),
    ],
    ids=["an answer", "a refusal", "an error of the machine", "an error that is not known"],
)
def test_an_error_is_kept_if_it_is_of_the_table(reader: str, error: str | None, kept: bool) -> None:
    answer = Observation(reader, "1", Answer(1), frozenset(), 0.1)
    told = Observation(reader, "1", None if error else Answer(1), frozenset(), 0.1, error)
    assert of_the_table(ADAPTERS[reader], [answer, told]) is kept


# What is kept of earlier runs holds for the code that made it alone.


def packages() -> list[str]:
    """Those of the judge; the scanner is a module."""
    return [name for name in DECIDING if name.startswith("xtable_audit.") and (ROOT / name.replace(".", "/")).is_dir()]


@of_each("package", packages())
def test_a_package_of_the_judge_comes_with_those_in_it_that_read_tables(package: str) -> None:
    """A package's digest has the modules of its own folder alone. Claims, and what a format gives to `check`, make
    nothing that is kept.
    """
    inner = walk_packages(import_module(package).__path__, f"{package}.")
    deciding = {one.name for one in inner if one.ispkg and not one.name.endswith((".claims", ".check"))}
    assert deciding <= set(DECIDING)


def test_claims_do_not_decide_what_is_kept() -> None:
    assert not [name for name in DECIDING if name.endswith("claims")]
