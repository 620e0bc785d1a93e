"""The command line of shipping_address. No Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from spark_jobs.shipping.arguments import PROGRAM, parse
from spark_jobs.shipping.session import cores_of
from spark_jobs.shipping.variant import Variant
from spark_jobs.shipping_launch import SOURCES
from xtable_audit.model.problem import Problem


@pytest.mark.parametrize(
    ("typed", "files"), [([], 983), (["--one-in", "100"], 3_934), (["--one-in", "1"], 393_360), (["--files", "60"], 60)]
)
def test_the_files_are_a_scale_or_a_number(typed: list[str], files: int) -> None:
    assert parse(["/tmp/x", *typed]).files == files


def test_one_table_is_the_target_itself() -> None:
    tables = parse(["/tmp/x", "--zips", "sorted", "--indexes", "column"]).tables
    assert tables == {"file:///tmp/x": Variant("sorted", "column")}


def test_several_tables_are_below_the_target() -> None:
    tables = parse(["s3a://bucket/x/", "--variant", "random:both=a", "--variant", "random:column=b"]).tables
    assert tables == {"s3://bucket/x/a": Variant("random", "both"), "s3://bucket/x/b": Variant("random", "column")}


@pytest.mark.parametrize("typed", ["random:both", "shuffled:both=a", "random:all=a", "=a"])
def test_a_variant_that_is_none_ends_with_exit_code_2(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(["/tmp/x", "--variant", typed])
    assert "--variant" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["--hudi", "0.9.0"], "Hudi release '0.9.0' is unknown"),
        (["--hudi", "1.0.2", "--table-version", "9"], "Hudi 1.0.2 writes tables of version 8 at most"),
        (["--hudi", "0.15.0"], "A table of version 6 has no partition statistics .*: choose --indexes column"),
        (["--table-version", "6"], "choose --indexes column"),
        (["--files", "51"], "51 files are too few"),
        (["--rows-per-file", "1"], "--rows-per-file must be at least 2"),
        (["--one-in", "0"], "--one-in must be a positive number"),
    ],
)
def test_what_is_not_available_is_a_problem(typed: list[str], message: str) -> None:
    with pytest.raises(Problem, match=message):
        parse(["/tmp/x", *typed])


@pytest.mark.parametrize(
    ("master", "cores"), [("local", 1), ("local[3]", 3), ("spark://host:7077", None), ("yarn", None)]
)
def test_a_master_is_local_threads_or_a_cluster(master: str, cores: int | None) -> None:
    assert cores_of(master) == cores


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_the_sources_of_a_caches_key_are_there(source: Path) -> None:
    assert source.is_file()


def test_the_script_says_how_it_is_run_on_a_cluster() -> None:
    command = [sys.executable, "-m", PROGRAM, "--help"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "--master spark://driver:7077" in printed


def test_a_problem_is_the_last_line_and_exit_code_2() -> None:
    command = [sys.executable, "-m", PROGRAM, "/tmp/x", "--files", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1][:22]) == (2, "3 files are too few: w")
