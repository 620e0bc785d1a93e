"""The option `--iceberg-table`, and the fixture that reads each table once in a run."""

from __future__ import annotations

from functools import cache

import pytest

from xtable_audit.access.access import Access
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.subject.case import Case
from xtable_audit.subject.subject import Subject

FIXTURE = "iceberg_table"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("xtable-audit", "claims about Iceberg metadata")
    group.addoption(
        "--iceberg-table",
        action="append",
        default=[],
        metavar="LOCATION",
        help="the address of a table's metadata.json, on S3 or the local disk; may be repeated. Nothing is written",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test once for each table. Raises UsageError without a table, so that no test is silently left out."""
    if FIXTURE in metafunc.fixturenames:
        locations = list(dict.fromkeys(metafunc.config.getoption("--iceberg-table")))
        if not locations:
            raise pytest.UsageError("name the metadata.json of a table: --iceberg-table LOCATION")
        metafunc.parametrize(FIXTURE, locations, indirect=True, ids=_names(locations))


@pytest.fixture
def iceberg_table(request: pytest.FixtureRequest) -> Case:
    """The table's case. A table that cannot be read fails the test with one sentence."""
    try:
        return _case(request.param)
    except (Malformed, Problem, ValueError) as error:
        pytest.fail(str(error), pytrace=False)


@cache
def _case(location: str) -> Case:
    objects = Access().objects(location)
    return Subject(SubjectId(_name(location), "unknown"), "foreign", location, objects).case()


def _names(locations: list[str]) -> list[str]:
    """The tables' names; a name that two tables share gets a number."""
    names = [_name(location) for location in locations]
    return [f"{name}_{place}" if names.count(name) > 1 else name for place, name in enumerate(names, start=1)]


def _name(location: str) -> str:
    """The folder that holds the table's folder of metadata."""
    folders = location.split("/metadata/")[0].rstrip("/").split("/")
    return folders[-1].replace("-", "_")
