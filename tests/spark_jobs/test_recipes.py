"""The datasets without Spark."""

import subprocess
import sys
from itertools import permutations

import pytest

from lab.stack.project import ROOT
from spark_jobs.recipes import RECIPES, Recipe


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
