"""The scripts of the datasets, without Spark: their command lines, recipes and months."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from spark_jobs.arguments import parse
from spark_jobs.launch import SOURCES
from spark_jobs.recipes import RECIPES, Recipe
from spark_jobs.shipping import arguments as shipping
from spark_jobs.shipping.arguments import PROGRAM
from spark_jobs.shipping.session import cores_of
from spark_jobs.shipping.variant import Variant
from spark_jobs.volume import month_counts, total_rows
from xtable_audit.model.problem import Problem

RECIPE = RECIPES["good_layout"]


# The command line of the dataset scripts.


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("s3://bucket/some/prefix/", "s3://bucket/some/prefix"),
        ("s3a://bucket/prefix", "s3://bucket/prefix"),
        ("file:///tmp/x", "file:///tmp/x"),
        ("/tmp/x/", "file:///tmp/x"),
    ],
)
def test_a_target_has_one_spelling(typed: str, understood: str) -> None:
    assert parse(RECIPE, [typed]).target == understood


def test_a_relative_target_is_below_the_working_directory() -> None:
    assert parse(RECIPE, ["x"]).target == (Path.cwd() / "x").as_uri()


@pytest.mark.parametrize("typed", ["s3://bucket", "s3://", "gs://bucket/x"])
def test_a_target_that_is_no_place_ends_with_exit_code_2(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(RECIPE, [typed])
    assert typed in capsys.readouterr().err


def test_a_store_without_credential_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    wanted = parse(RECIPE, ["s3://bucket/x"])
    with pytest.raises(Problem, match="set AWS_ACCESS_KEY_ID"):
        _ = wanted.store


def test_a_targets_store_takes_the_credential_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    store = parse(RECIPE, ["s3://mine/x"]).store
    assert store is not None
    assert (store.access_key, store.secret_key) == ("a", "b")


def test_a_local_target_needs_no_store() -> None:
    assert parse(RECIPE, ["/tmp/x"]).store is None


@pytest.mark.parametrize("name", RECIPES)
def test_every_script_helps(name: str) -> None:
    command = [sys.executable, "-m", RECIPES[name].module, "--help"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"Write the dataset {name}" in printed


# The command line of shipping_address. No Spark.


@pytest.mark.parametrize(
    ("typed", "files"), [([], 983), (["--one-in", "100"], 3_934), (["--one-in", "1"], 393_360), (["--files", "60"], 60)]
)
def test_the_files_are_a_scale_or_a_number(typed: list[str], files: int) -> None:
    assert shipping.parse(["/tmp/x", *typed]).files == files


def test_one_table_is_the_target_itself() -> None:
    tables = shipping.parse(["/tmp/x", "--zips", "sorted", "--indexes", "column"]).tables
    assert tables == {"file:///tmp/x": Variant("sorted", "column")}


def test_several_tables_are_below_the_target() -> None:
    tables = shipping.parse(["s3a://bucket/x/", "--variant", "random:both=a", "--variant", "random:column=b"]).tables
    assert tables == {"s3://bucket/x/a": Variant("random", "both"), "s3://bucket/x/b": Variant("random", "column")}


@pytest.mark.parametrize("typed", ["random:both", "shuffled:both=a", "random:all=a", "=a"])
def test_a_variant_that_is_none_ends_with_exit_code_2(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        shipping.parse(["/tmp/x", "--variant", typed])
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
        shipping.parse(["/tmp/x", *typed])


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


# The datasets without Spark.


def test_no_name_contains_another() -> None:
    assert not [pair for pair in permutations(RECIPES, 2) if pair[0] in pair[1]]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=str)
def test_every_source_that_decides_the_table_exists(recipe: Recipe) -> None:
    assert all(source.is_file() for source in recipe.sources)


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=str)
def test_the_partition_spec_names_the_partition_columns(recipe: Recipe) -> None:
    assert recipe.partition_spec == ",".join(f"{column}:VALUE" for column in recipe.partition_by)


def test_knowing_the_recipes_imports_no_spark() -> None:
    code = "import sys, spark_jobs.recipes, spark_jobs.launch, spark_jobs.volume; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


# The month counts, by arithmetic alone.


def test_scale_one_is_the_published_audit() -> None:
    assert month_counts(1) == {"2023-01": 3_066_726, "2023-02": 2_914_003, "2023-03": 3_403_619, "2023-04": 85}


def test_scale_one_has_the_published_number_of_rows() -> None:
    assert total_rows(1) == 9_384_433


def test_a_hundredth_keeps_the_proportions() -> None:
    assert month_counts(0.01) == {"2023-01": 30_667, "2023-02": 29_140, "2023-03": 34_036, "2023-04": 85}


@pytest.mark.parametrize("scale", [1e-9, 0.001, 0.5, 2])
def test_strays_are_kept_at_every_scale(scale: float) -> None:
    assert month_counts(scale)["2023-04"] == 85


def test_no_month_is_ever_empty() -> None:
    assert min(month_counts(1e-9).values()) == 1


@pytest.mark.parametrize("scale", [0, -1, float("nan")])
def test_a_scale_that_is_not_positive_is_refused(scale: float) -> None:
    with pytest.raises(Problem, match="--scale must be a positive number"):
        month_counts(scale)
