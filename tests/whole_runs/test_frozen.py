"""Recorded runs leave the frozen lines, whatever the order of files and however many processes run them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from lab.provision.plan import DELTA_RS, PAIMON, WITHOUT_LOG
from tests.whole_runs.run import Audit, Ran
from tools.frozen.__main__ import main
from xtable_audit.model.subject_id import ICEBERG

TABLES = ("-k", "types_nan_plain or good_layout or edge_first_null")


@pytest.fixture(scope="module")
def by_two_workers(audit: Audit) -> Ran:
    return audit(*TABLES, "-n", "2")


@pytest.mark.parametrize("options", [(), ("-p", "tests.whole_runs.other_order")], ids=["as it is", "files backwards"])
def test_a_recorded_run_is_as_frozen(options: tuple[str, ...], audit: Audit) -> None:
    assert main(["compare", str(audit(*TABLES, *options).folder), "--selected"]) == 0


def test_a_recorded_run_by_two_workers_is_as_frozen(by_two_workers: Ran) -> None:
    assert main(["compare", str(by_two_workers.folder), "--selected"]) == 0, by_two_workers.text


def test_two_workers_build_every_table_once(by_two_workers: Ran) -> None:
    """Whichever of them judges it: they share one provisioner."""
    built = Counter(
        (step["name"], step["detail"]) for step in by_two_workers.document["steps"] if step["name"] != "judge"
    )
    assert set(built.values()) == {1}, built


@pytest.fixture
def is_as_frozen(audit: Audit, pytestconfig: pytest.Config) -> Callable[..., bool]:
    """Whether a run of these options is as frozen. Readers take three quarters of its time, and are asked with
    --every-table alone.
    """
    readers = pytestconfig.getoption("--every-table")

    def holds(*options: str) -> bool:
        run = audit(*options) if readers else audit(*options, "--readers=none")
        return main(["compare", str(run.folder), *([] if readers else ["--without-readers"])]) == 0

    return holds


@pytest.mark.parametrize("format", [WITHOUT_LOG, PAIMON, DELTA_RS])
def test_a_recorded_run_over_tables_on_request_is_as_frozen(format: str, is_as_frozen: Callable[..., bool]) -> None:
    assert is_as_frozen(f"--source-format={format}")


@pytest.mark.parametrize("writer", ["standalone", "kernel"])
@pytest.mark.parametrize("format", [WITHOUT_LOG, PAIMON, ICEBERG])
def test_a_recorded_run_over_tables_on_request_as_delta_is_as_frozen(
    format: str, writer: str, is_as_frozen: Callable[..., bool]
) -> None:
    to_delta = ("--target=delta", f"--delta-target-by={writer}", "--standalone-tables=all")
    assert is_as_frozen(f"--source-format={format}", *to_delta)


def test_a_recorded_run_over_delta_read_by_kernel_is_as_frozen(audit: Audit) -> None:
    assert main(["compare", str(audit("--delta-source-by=kernel", "--readers=none").folder)]) == 0


def test_a_recorded_run_over_tables_by_delta_rs_read_by_kernel_is_as_frozen(is_as_frozen: Callable[..., bool]) -> None:
    assert is_as_frozen("--source-format=delta_rs", "--delta-source-by=kernel")


@pytest.mark.parametrize("format", ["auto", WITHOUT_LOG, PAIMON, DELTA_RS, ICEBERG])
def test_a_recorded_run_to_hudi_is_as_frozen(format: str, is_as_frozen: Callable[..., bool]) -> None:
    assert is_as_frozen("--target=hudi", f"--source-format={format}")
