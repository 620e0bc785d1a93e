"""The claims as tests of a user's own Iceberg and Delta tables: pytest in a folder that knows nothing of this suite."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from lab.stack.project import ROOT
from tests.tables.lake import Lake, by_delta_rs, change_add
from tests.tables.orders import falsify, orders
from tests.tables.translated import translate
from tests.xtable_audit.pytest_plugin.conftest import Pytest
from xtable_audit.claims import CLAIMS
from xtable_audit.formats.delta.claims import CLAIMS as OF_DELTA

__all__ = ["orders"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return by_delta_rs(tmp_path / "clicks")


# The claims as tests of a user's own tables: pytest in a folder that knows nothing of this suite.


def test_a_claim_that_holds_passes_and_one_without_a_source_is_not_applicable(
    run: Pytest, orders: tuple[str, Path]
) -> None:
    ran = run("test_theirs.py", "--table", orders[0])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed, 1 skipped" in ran.stdout
    assert "not applicable: the claim needs" in ran.stdout


def test_a_false_bound_fails_with_a_finding(run: Pytest, orders: tuple[str, Path]) -> None:
    location, path = orders
    falsify(path)
    ran = run("test_theirs.py", "--table", location)
    assert (ran.returncode, "FINDING  UNSOUND · new · orders · column id" in ran.stdout) == (1, True), ran.stdout


def test_a_table_is_compared_with_its_source(run: Pytest, tmp_path: Path) -> None:
    of = translate("delta_plain", tmp_path)
    ran = run("-rs", "test_theirs.py", "--table", str(of.root), "--source", of.named)
    assert (ran.returncode, "2 passed" in ran.stdout) == (0, True), ran.stdout + ran.stderr


def test_a_row_that_the_source_has_alone_fails_with_a_finding(run: Pytest, tmp_path: Path) -> None:
    of = translate("delta_plain", tmp_path, lambda files: files[1:])
    ran = run("test_theirs.py", "--table", str(of.root), "--source", of.named)
    assert (ran.returncode, "every row that the source shows is shown" in ran.stdout) == (1, True), ran.stdout


def test_a_source_that_is_undetermined_is_inconclusive(run: Pytest, tmp_path: Path) -> None:
    of = translate("delta_plain", tmp_path, commit="7")
    ran = run("test_theirs.py", "--table", str(of.root), "--source", of.named)
    words = "inconclusive: the claim needs a row that the source's own engine shows: the source has no version 7"
    assert words in " ".join(ran.stdout.split()), ran.stdout


def test_every_claim_comes_ready(run_alone: Pytest, orders: tuple[str, Path]) -> None:
    ran = run_alone("-vv", "--pyargs", "xtable_audit.pytest_plugin", "--table", orders[0])
    assert (ran.returncode, "failed" in ran.stdout) == (0, False), ran.stdout + ran.stderr
    assert {f"test_{id}[orders]" for id in CLAIMS} <= set(re.findall(r"test_\w+\[orders\]", ran.stdout))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a table: --table LOCATION"),
        (("--table", "/a", "--table", "/b", "--source", "hudi:/a"), "--source is of one table: name one with --table"),
        (("--table", "/nowhere/metadata/v1.metadata.json"), "there is no file /nowhere/metadata/v1.metadata.json"),
        (("--table", "ftp://host/t/metadata/v1.metadata.json"), "is in no store that can be read"),
    ],
    ids=["no table", "a source of two", "a missing file", "an address that is not read"],
)
def test_what_cannot_be_read_is_one_sentence(run: Pytest, arguments: tuple[str, ...], words: str) -> None:
    ran = run("test_theirs.py", *arguments)
    assert ran.returncode != 0
    assert words in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


def test_in_this_checkout_the_suite_does_not_answer_for_the_plugin(orders: tuple[str, Path]) -> None:
    """As README has it: the status is of the user's table alone."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "xtable_audit.pytest_plugin.plugin",
        "-p",
        "no:cacheprovider",
    ]
    command += ["--pyargs", "xtable_audit.pytest_plugin", "--table", orders[0]]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, "CONFORMANT" in ran.stdout) == (0, False), ran.stdout + ran.stderr


def nested(folder: Path) -> Path:
    """A healthy table with a struct, of whose fields PyIceberg stores no bounds."""
    lake = Lake.at(folder)
    lake.table("nested", pa.table({"id": [1, 2], "address": [{"city": "Rome"}, {"city": "Oslo"}]}))
    lake.catalog.close()
    return lake.root("nested")


@pytest.mark.parametrize(("options", "status"), [((), 0), (("--fail-on", "LOOSE"), 1)], ids=["by default", "if asked"])
def test_a_missing_optional_bound_is_expected_to_fail_unless_the_threshold_says_else(
    run: Pytest, tmp_path: Path, options: tuple[str, ...], status: int
) -> None:
    ran = run("-rx", "--table", str(nested(tmp_path)), *options)
    assert (ran.returncode, "advice, below --fail-on UNREADABLE" in ran.stdout) == (status, not status), ran.stdout


@pytest.mark.parametrize(
    ("until", "status", "line"),
    [
        ("2999-01-01", 0, "ignored until 2999-01-01: nobody asks"),
        ("2020-01-01", 1, "Ended on 2020-01-01 and counts no more: bounds_contain_values of id"),
    ],
    ids=["counts", "has ended"],
)
def test_the_ignore_file_counts_until_its_day(
    run: Pytest, orders: tuple[str, Path], tmp_path: Path, until: str, status: int, line: str
) -> None:
    location, path = orders
    falsify(path)
    file = tmp_path / "ignore.toml"
    what = 'claim = "bounds_contain_values"\ncolumn = "id"\nreason = "nobody asks"'
    file.write_text(f"[[ignore]]\n{what}\nuntil = {until}\n", encoding="utf-8")
    ran = run("-rx", "test_theirs.py", "--table", location, "--ignore-findings", str(file))
    assert (ran.returncode, line in ran.stdout) == (status, True), ran.stdout


def test_an_entry_that_matches_nothing_is_reported(run: Pytest, orders: tuple[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "ignore.toml"
    file.write_text('[[ignore]]\nfinding = "XTF-012"\nreason = "x"\nuntil = 2999-01-01\n', encoding="utf-8")
    ran = run("test_theirs.py", "--table", orders[0], "--ignore-findings", str(file))
    assert (ran.returncode, "Matched nothing in this run: XTF-012" in ran.stdout) == (0, True), ran.stdout


def test_a_finding_that_is_not_registered_cannot_be_accepted(run: Pytest, orders: tuple[str, Path]) -> None:
    ran = run("test_theirs.py", "--table", orders[0], "--accept", "XTF-999")
    assert (ran.returncode, "--accept XTF-999: " in ran.stdout + ran.stderr) == (4, True), ran.stdout + ran.stderr


def test_the_suite_runs_beside_the_plugin_of_an_installed_package() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xtable_audit.pytest_plugin.plugin", "--collect-only"]
    ran = subprocess.run(
        [*command, "--recorded", "-k", "good_layout"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr


# The claims as tests of a user's own Delta tables.


@pytest.mark.parametrize("prefix", ["delta:", ""], ids=["named as Delta's", "by a folder that holds a log alone"])
def test_every_claim_about_a_healthy_delta_table_comes_ready(run: Pytest, table: Path, prefix: str) -> None:
    ran = run("-vv", "--table", f"{prefix}{table}")
    assert (ran.returncode, "failed" in ran.stdout) == (0, False), ran.stdout + ran.stderr
    assert " passed" in ran.stdout
    assert set(re.findall(r"test_(\w+)\[clicks\]", ran.stdout)) == OF_DELTA.keys()


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
    assert of == {"orders": CLAIMS.keys(), "clicks": OF_DELTA.keys()}


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
