"""The option `--table`, which tests run on which of its tables, and the fixture that reads each table once in a run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from xtable_audit.model.finding import Verdict
from xtable_audit.model.limits import LIMITS, MIB, Limits
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from xtable_audit.formats.target import TargetFormat
    from xtable_audit.locate.locate import Located
    from xtable_audit.subject.case import Case

FIXTURE = "checked_table"
SOURCE, CONFIG = "--source", "--xtable-config"
OPTIONS = ("--table", "--iceberg-table")
FAIL_ON, ACCEPT, IGNORE = "--fail-on", "--accept", "--ignore-findings"
READY = "xtable_audit.pytest_plugin"
"""The package whose tests are run where none are named."""
FORMATS = "FORMATS"
"""What a module of ready tests is about: names of formats."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("xtable-audit", "claims about the metadata of Iceberg and Delta tables")
    group.addoption(
        *OPTIONS,
        action="append",
        dest=FIXTURE,
        default=[],
        metavar="LOCATION",
        help="a table to check: its metadata.json, its folder, catalog.namespace.table, or delta: and the folder of a "
        "Delta table; may be repeated. Nothing is written. Without tests of your own, every claim is a test",
    )
    group.addoption(
        SOURCE,
        metavar="hudi:LOCATION|delta:LOCATION|parquet:LOCATION|paimon:LOCATION|iceberg:LOCATION",
        help=f"the table that XTable made the one of {OPTIONS[0]} from, for the claims that compare with it",
    )
    group.addoption(
        CONFIG,
        type=Path,
        metavar="FILE",
        help=f"with {SOURCE}: XTable's own configuration, which has the partition spec of a Hudi table",
    )
    group.addoption(
        "--allow-prefix",
        action="append",
        default=[],
        metavar="FOLDER",
        help="the address of another folder with files of the tables, beside the one that holds a table's folder "
        "`metadata`; may be repeated. Nothing else is read",
    )
    group.addoption(
        "--max-metadata",
        type=int,
        default=LIMITS.metadata // MIB,
        metavar="MiB",
        help="largest metadata file that is read, inflated (default: %(default)s)",
    )

    group.addoption(
        FAIL_ON,
        choices=[str(one) for one in Verdict],
        metavar="VERDICT",
        help=f"fail on findings of this verdict or a worse one, known or not; of {OPTIONS[0]}'s tables, UNREADABLE by "
        f"default, and others are xfailed as advice. Worst first: {', '.join(map(str, Verdict))}",
    )
    group.addoption(
        ACCEPT,
        action="append",
        default=[],
        metavar="XTF-N",
        help="a known finding that does not count; may be repeated",
    )
    group.addoption(
        IGNORE,
        type=Path,
        metavar="FILE",
        help="findings that do not count, each with a reason and a last day; by default .xtable-audit.toml in the "
        "working folder",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says which entries of the ignore file have ended, and which matched nothing."""
    if not config.getoption(FIXTURE):
        return
    from xtable_audit.pytest_plugin.holding import Threshold, ignored_by

    used = ignored_by(report for reports in terminalreporter.stats.values() for report in reports)
    for line in Threshold.of(config).report(used):
        terminalreporter.write_line(line)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """`pytest --table LOCATION` without a file or a folder runs the tests that come with the plugin."""
    options = early_config.known_args_namespace
    if getattr(options, FIXTURE) and not options.file_or_dir:
        args += ["--pyargs", READY]


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, obj: object) -> list[pytest.Item] | None:
    """Leaves out the ready tests that run on no table: their claims are about tables of another format."""
    here: Collection[str] | None = getattr(collector.obj, FORMATS, None)
    claim = getattr(obj, "claim", None)
    if here is None or claim is None or not collector.config.getoption(FIXTURE):
        return None
    return None if _of_formats(collector.config, here, claim.id) else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test once for each table. Raises UsageError without a table, so that no test is silently left out."""
    if FIXTURE in metafunc.fixturenames:
        locations = list(dict.fromkeys(metafunc.config.getoption(FIXTURE)))
        if not locations:
            raise pytest.UsageError(f"name a table: {OPTIONS[0]} LOCATION")
        if len(locations) > 1 and metafunc.config.getoption(SOURCE):
            raise pytest.UsageError(f"{SOURCE} is of one table: name one with {OPTIONS[0]}")
        names = dict(zip(locations, _names(locations), strict=True))
        here = getattr(metafunc.module, FORMATS, None)
        if here is not None:
            locations = _of_formats(metafunc.config, here, metafunc.function.claim.id)
        metafunc.parametrize(FIXTURE, locations, indirect=True, ids=[names[one] for one in locations])


@pytest.fixture
def checked_table(request: pytest.FixtureRequest) -> Case:
    """The table's case. A table that cannot be read fails the test with one sentence."""
    try:
        option = request.config.getoption
        return _case(*_access(request.config, request.param), option(SOURCE), option(CONFIG))
    except (Malformed, Problem, ValueError) as error:
        pytest.fail(str(error), pytrace=False)


Access = tuple[str, tuple[str, ...], Limits]
"""A location, and what else may be read for it."""


def _access(config: pytest.Config, location: str) -> Access:
    limits = Limits(config.getoption("--max-metadata") * MIB)
    return location, tuple(config.getoption("--allow-prefix")), limits


@cache
def _located(location: str, allow: tuple[str, ...], limits: Limits) -> Located:
    from xtable_audit.locate.locate import locate  # late: pytest loads the plugin for every run where it is installed

    return locate(location, allow=allow, limits=limits)


@cache
def _target(access: Access) -> TargetFormat:
    """The format of the table; the default one of a table that is not found, whose tests then say why."""
    from xtable_audit.formats.installed import DEFAULT, target_formats

    try:
        return _located(*access).target
    except (Malformed, Problem):
        return target_formats()[DEFAULT]


def _of_formats(config: pytest.Config, formats: Collection[str], claim: str) -> list[str]:
    """The tables of one of these formats that the claim is about."""
    locations = dict.fromkeys(config.getoption(FIXTURE))
    targets = {one: _target(_access(config, one)) for one in locations}
    return [one for one, target in targets.items() if target.name in formats and claim in target.check.claims]


@cache
def _case(location: str, allow: tuple[str, ...], limits: Limits, source: str | None, config: Path | None) -> Case:
    from xtable_audit.check.source import AskedSource, known_source
    from xtable_audit.formats.check_support import Chosen
    from xtable_audit.formats.named_source import NamedSource
    from xtable_audit.subject.case import UNKNOWN_SOURCE, case_of

    located = _located(location, allow, limits)
    objects, name = located.objects, located.name
    stored = located.target.read_chosen(objects, located.metadata_location, Chosen())
    if source is None:
        return case_of(objects, name, stored, UNKNOWN_SOURCE)
    known = known_source(AskedSource(NamedSource.parse(source), config), stored)
    rows = known.rows(objects, stored, 0, known.why_no_rows(partly=False))
    return replace(case_of(objects, name, stored, known.source), source=rows.source, rows=rows.ours)


def _names(locations: list[str]) -> list[str]:
    """The tables' names; a name that two tables share gets a number."""
    from xtable_audit.locate.locate import name_of

    names = [name_of(location) for location in locations]
    return [f"{name}_{place}" if names.count(name) > 1 else name for place, name in enumerate(names, start=1)]
