"""The claims as tests of a user's own Delta tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.delta_tables import by_delta_rs, change_add
from tests.orders import orders
from tests.plugin.conftest import Pytest
from xtable_audit.claims import CLAIMS as ICEBERGS
from xtable_audit.formats.delta.claims import CLAIMS

__all__ = ["orders"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return by_delta_rs(tmp_path / "clicks")


@pytest.mark.parametrize("prefix", ["delta:", ""], ids=["named as Delta's", "by a folder that holds a log alone"])
def test_every_claim_about_a_healthy_delta_table_comes_ready(run: Pytest, table: Path, prefix: str) -> None:
    ran = run("-vv", "--table", f"{prefix}{table}")
    assert (ran.returncode, "failed" in ran.stdout) == (0, False), ran.stdout + ran.stderr
    assert " passed" in ran.stdout
    assert set(re.findall(r"test_(\w+)\[clicks\]", ran.stdout)) == CLAIMS.keys()


def test_a_false_bound_of_a_delta_table_fails_with_a_finding(run: Pytest, table: Path) -> None:
    change_add(table, 1, lambda add, said: said["minValues"].update(id=39))
    ran = run("--table", f"delta:{table}")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "FINDING  UNSOUND · new · clicks · column id" in ran.stdout


def test_tables_of_both_formats_are_each_tested_by_their_own_claims(
    run: Pytest, table: Path, orders: tuple[str, Path]
) -> None:
    ran = run("--collect-only", "--table", orders[0], "--table", f"delta:{table}")
    of = {name: set(re.findall(rf"test_(\w+)\[{name}\]", ran.stdout)) for name in ("orders", "clicks")}
    assert of == {"orders": ICEBERGS.keys(), "clicks": CLAIMS.keys()}


def test_a_claim_about_iceberg_that_a_user_holds_is_not_applicable_to_a_delta_table(
    run: Pytest, table: Path, tmp_path: Path
) -> None:
    module = tmp_path / "theirs" / "test_manifests.py"
    module.write_text(
        "from xtable_audit.formats.iceberg.claims import manifests\n"
        "from xtable_audit.pytest_plugin import hold\n\n"
        "test_counts = hold(manifests.manifest_counts_are_exact)\n"
    )
    ran = run(module.name, "--table", f"delta:{table}")
    assert (ran.returncode, "1 skipped" in ran.stdout) == (0, True), ran.stdout + ran.stderr
    assert "not applicable: it is no claim about Delta tables" in ran.stdout


def test_a_folder_without_a_log_is_one_sentence(run: Pytest, tmp_path: Path) -> None:
    ran = run("test_theirs.py", "--table", f"delta:{tmp_path / 'none'}")
    assert (ran.returncode, f"there is no folder {tmp_path / 'none'}" in ran.stdout) == (1, True), ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr
