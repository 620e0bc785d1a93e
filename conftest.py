"""Wires the audit into pytest; what it does is in `fixtures/`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path

import pytest

from fixtures import known_findings, report_facts, results
from fixtures.by_dataset import by_dataset, in_turn, names_one_dataset
from fixtures.expect import Expect, Expectation
from fixtures.options import add_options, plan_of, readers_listed
from fixtures.over import is_of_another_target, parametrize
from fixtures.owner import RunOwner
from fixtures.run import RUN, Run, of_other_planners, planners_for
from fixtures.session import AuditSession
from lab.provision.catalogue import Catalogue
from lab.provision.checked_register import register
from lab.stack.jars import Unresolvable
from lab.subjects.table import Table
from xtable_audit.model.outcome import EXIT_INCONCLUSIVE

SUITES = Path(__file__).parent / "suites"


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """`--readers list` prints the readers and runs no test."""
    if config.getoption("--readers") != "list":
        return None
    print(readers_listed())
    return 0


@pytest.hookimpl(wrapper=True, specname="pytest_cmdline_main")
def pytest_unresolvable_release_exits_6(config: pytest.Config) -> Generator[None, object, object]:
    """pytest itself has one exit status, 4, for all options that it cannot use."""
    try:
        return (yield)
    except pytest.UsageError as error:
        if not isinstance(error.__cause__, Unresolvable):
            raise
        print(f"ERROR: {error}", file=sys.stderr)
        return EXIT_INCONCLUSIVE


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    controller = getattr(config, "workerinput", {}).get("audit")
    config.pluginmanager.register(report_facts, "xtable-audit-wire")
    detail = config.option.verbose
    run = config.stash[RUN] = Run(plan_of(config), controller, detailed=detail > 0, quiet=detail < 0)
    if controller is None and not config.option.collectonly and _selects_suites(config):
        config.option.verbose = config.option.verbose or -1  # without pytest's own header
        config.pluginmanager.register(RunOwner(run), "xtable-audit-owner")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """`-n auto` starts no workers for a single dataset: all its tests would go to one worker."""
    if config.getoption("--readers") == "list":
        return None
    datasets = Catalogue(plan_of(config)).datasets  # xdist asks before the run is configured
    return 0 if names_one_dataset(config.option.keyword, config.args, datasets) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Schedules by dataset when suites run. The project's own tests share no tables."""
    return by_dataset(config, log) if _selects_suites(config) else None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Collects no test all of whose tables are of a target that the run does not select."""
    return [] if is_of_another_target(obj, collector.config.stash[RUN].catalogue) else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    parametrize(metafunc, metafunc.config.stash[RUN].catalogue)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects with the garbage collector off, then freezes the collected tests: some 8,000, all kept to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    run = config.stash[RUN]
    claims = [item for item in items if _in_suites(item)]
    left_out = [
        *known_findings.of_other_readers(claims, run.plan.readers),
        *known_findings.of_full_syncs(claims, run.plan),
    ]
    only_listed = config.option.collectonly and not run.plan.each_finding_once
    if run.plan.recorded or not only_listed:
        left_out += of_other_planners(claims, run)
    left_out += known_findings.of_unrecorded_upgrades(claims, run)
    _leave_out(left_out, items, config)
    if only_listed:
        register(run.plan.findings, run.catalogue)  # raises UsageError for an invalid register
        return  # resolving a release may need a network look-up, so a list shows the tests of every release
    known_findings.put_in_force([item for item in items if _in_suites(item)], run)
    if run.plan.registered_only:
        _leave_out(known_findings.not_registered(items), items, config)
    if run.plan.each_finding_once:
        _leave_out(known_findings.all_but_one_per_finding(items), items, config)


@pytest.hookimpl(wrapper=True, trylast=True)  # inside pytest's own, which then sees marks that are added here
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from known_findings.as_registered(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    if _in_suites(item):
        results.spare_the_traceback(item, call)
    report = yield
    if _in_suites(item):
        results.enrich(item, call, report)
    return report


@pytest.fixture(scope="session")
def session(request: pytest.FixtureRequest) -> Iterator[AuditSession]:
    """The audit session of this process."""
    run = request.config.stash[RUN]
    session = AuditSession(run.plan, run.catalogue, run.provisioner)
    items = in_turn(request.session.items, request.config)
    session.load(
        known_findings.named_in(items, "reader"), known_findings.named_in(items, *known_findings.TABLE_PARAMETERS)
    )
    yield session
    session.note_kept()


@pytest.fixture
def table(request: pytest.FixtureRequest, session: AuditSession) -> Table:
    """The table whose id the test is parametrised with, built once per run."""
    return session.table(request.param)


@pytest.fixture
def expect(request: pytest.FixtureRequest, session: AuditSession) -> Expect:
    """`expect(table).settle(judge, claim)`."""
    return lambda table: Expectation(session, table, request.node)


@pytest.fixture
def planners(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """This run's planners for the test's table, without the judge's own."""
    return planners_for(request.node.callspec.params["table"], request.config.stash[RUN])[1:]


def _leave_out(deselected: list[pytest.Item], items: list[pytest.Item], config: pytest.Config) -> None:
    """Removes `deselected` from `items` and reports them to pytest."""
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        gone = set(deselected)
        items[:] = [item for item in items if item not in gone]


def _selects_suites(config: pytest.Config) -> bool:
    """Whether any argument is a path in `suites/`, or a folder that holds it."""
    paths = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    return any(path.is_relative_to(SUITES) or SUITES.is_relative_to(path) for path in paths)


def _in_suites(item: pytest.Item) -> bool:
    return _is_suite(item.path)


@cache
def _is_suite(path: Path) -> bool:
    return path.is_relative_to(SUITES)
