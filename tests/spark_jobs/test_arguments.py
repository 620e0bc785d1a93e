"""The command line of the dataset scripts."""

import subprocess
import sys
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from spark_jobs.arguments import parse
from spark_jobs.recipes import RECIPES
from xtable_audit.model.problem import Problem

RECIPE = RECIPES["good_layout"]


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
