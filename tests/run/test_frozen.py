"""Recorded runs leave the frozen lines, whatever the order of files and however many processes run them."""

from __future__ import annotations

import pytest

from tests.run.conftest import Audit
from tools.frozen.__main__ import main

FOLDERS = ("--source-format=parquet",)
TABLES = ("-k", "types_nan_plain or good_layout or edge_first_null")


@pytest.mark.parametrize(
    "options",
    [(), ("-p", "tests.run.other_order"), ("-n", "2")],
    ids=["as it is", "files backwards", "two workers"],
)
def test_a_recorded_run_is_as_frozen(options: tuple[str, ...], audit: Audit) -> None:
    assert main(["compare", str(audit(*TABLES, *options).folder), "--selected"]) == 0


def test_a_recorded_run_of_folders_is_as_frozen(audit: Audit) -> None:
    """None of its findings is registered, so that the frozen lines alone hold them."""
    assert main(["compare", str(audit(*FOLDERS).folder)]) == 0
