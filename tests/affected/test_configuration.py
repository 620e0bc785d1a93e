"""XTable's configuration file: what is taken from it, and what is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from xtable_audit.formats.configuration import Configuration, SpecField, parse_spec, read_configuration
from xtable_audit.model.problem import Problem

GOOD = """
sourceFormat: HUDI
targetFormats: [ICEBERG, DELTA]
datasets:
  - tableBasePath: s3://lake/orders
    tableName: orders
    partitionSpec: day:DAY:yyyy-MM-dd,city:VALUE
  - tableBasePath: s3://lake/trips
    tableName: trips
"""


def told(folder: Path, text: str, location: str = "s3://lake/orders") -> Configuration:
    file = folder / "xtable.yaml"
    file.write_text(text, encoding="utf-8")
    return read_configuration(file, location)


@pytest.mark.parametrize("location", ["s3://lake/orders", "s3a://lake/orders/"])
def test_the_dataset_at_the_location_is_taken(tmp_path: Path, location: str) -> None:
    spec = (SpecField("day", "DAY", "yyyy-MM-dd"), SpecField("city", "VALUE"))
    assert told(tmp_path, GOOD, location) == Configuration(spec, "hudi")


def test_a_dataset_without_a_spec_has_none(tmp_path: Path) -> None:
    assert told(tmp_path, GOOD, "s3://lake/trips").spec == ()


def test_the_only_dataset_is_taken_wherever_it_is(tmp_path: Path) -> None:
    assert told(tmp_path, GOOD.partition("  - tableBasePath: s3://lake/trips")[0], "/tmp/copy").spec


WRONG = {
    "a typo at the top": (GOOD.replace("targetFormats", "targetFormat"), "did you mean targetFormats?"),
    "a typo in a dataset": (GOOD.replace("partitionSpec", "partitionSpecs"), "did you mean partitionSpec?"),
    "an unknown source": (GOOD.replace("HUDI", "HUDDI"), "did you mean HUDI?"),
    "an unknown target": (GOOD.replace("ICEBERG", "ICE"), "targetFormats has 'ICE'"),
    "a spec without a transform": (GOOD.replace("city:VALUE", "city"), "write field:TRANSFORM[:format]"),
    "no datasets": (GOOD.partition("datasets")[0], "datasets must be a list of tables"),
    "no YAML": ("a: [", "is not YAML"),
    "a list": ("- a", "is no configuration of XTable"),
    "another table": (GOOD.replace("orders", "other"), "none with the tableBasePath s3://lake/orders"),
    "the table twice": (GOOD.replace("lake/trips", "lake/orders"), "2 times"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_configuration_is_one_sentence(tmp_path: Path, what: str) -> None:
    text, said = WRONG[what]
    with pytest.raises(Problem) as raised:
        told(tmp_path, text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_configuration_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot be read"):
        read_configuration(tmp_path / "none.yaml", "/lake")


def test_a_spec_is_empty_without_fields() -> None:
    assert parse_spec("") == ()
