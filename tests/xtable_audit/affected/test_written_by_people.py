"""What people write for `affected`, XTable's configuration and the register: what is taken, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from tests.of_each import of_each
from xtable_audit.formats.configuration import Configuration, SpecField, parse_spec, read_configuration
from xtable_audit.model.problem import Problem
from xtable_audit.model.source_fact import ColumnFact, ColumnPlace, TableFact
from xtable_audit.model.subject_id import DELTA, ICEBERG, TARGETS
from xtable_audit.register.affects import KERNEL, Affects, read_affects
from xtable_audit.register.fields import BadRegister

# XTable's configuration file: what is taken from it, and what is refused in one sentence.

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


# `[[finding.affects]]` in the register: a typo is one sentence.


def test_a_block_is_read() -> None:
    row = {
        "format": "hudi",
        "types": ["decimal"],
        "place": "struct",
        "column": "nulls alone",
        "facts": ["statistics from the footers"],
        "settings": ["hoodie.table.type=COPY_ON_WRITE"],
        "instants": ["clean"],
        "releases": "<0.4",
        "unseen": "a sync came before",
    }
    assert read_affects("XTF-001", [row]) == (
        Affects(
            "hudi",
            ("decimal",),
            ColumnPlace.STRUCT,
            ColumnFact.NULLS,
            (TableFact.FROM_FOOTERS,),
            (("hoodie.table.type", "COPY_ON_WRITE"),),
            ("clean",),
            SpecifierSet("<0.4"),
            unseen="a sync came before",
        ),
    )


FACTS = {"facts": ["log files"]}


@pytest.mark.parametrize(
    ("fields", "targets", "writer"),
    [
        ({}, TARGETS, ""),
        ({"target": "iceberg"}, (ICEBERG,), ""),
        ({"target": "delta"}, (DELTA,), ""),
        ({"writer": "Delta Kernel"}, (DELTA,), KERNEL),
    ],
    ids=["whatever the entry has", "Iceberg", "Delta", "one writer of Delta"],
)
def test_a_block_concerns_targets(fields: dict[str, str], targets: tuple[str, ...], writer: str) -> None:
    [block] = read_affects("XTF-001", [{"format": "hudi"} | FACTS | fields])
    assert (tuple(filter(block.concerns, TARGETS)), block.writer) == (targets, writer)


def test_a_block_of_a_reader_concerns_iceberg_and_may_ask_for_nothing_else() -> None:
    [block] = read_affects("XTF-001", [{"format": "delta", "reader": "Delta Kernel"}])
    assert (tuple(filter(block.concerns, TARGETS)), block.reader) == ((ICEBERG,), KERNEL)


TYPOS: dict[str, tuple[Any, str]] = {
    "no list": ({}, "affects must be a list of tables"),
    "a typo in a field": ([{"format": "hudi", "fact": ["log files"]}], "unknown field 'fact'; did you mean 'facts'?"),
    "no format": ([FACTS], "has no format"),
    "another format": ([{"format": "lance"} | FACTS], "'lance' is no word for format"),
    "nothing asked for": ([{"format": "hudi", "unseen": "luck"}], "asks for nothing but a format"),
    "nothing but a target": ([{"format": "hudi", "target": "delta"}], "asks for nothing but a format"),
    "an unknown target": ([{"format": "hudi", "target": "paimon"} | FACTS], "there are iceberg, delta"),
    "an unknown writer": ([{"format": "hudi", "writer": "Kernel"} | FACTS], "is no word for writer"),
    "a writer of Delta to Iceberg": (
        [{"format": "hudi", "target": "iceberg", "writer": "Delta Kernel"} | FACTS],
        "names a writer of Delta, and iceberg as the target",
    ),
    "an unknown reader": ([{"format": "delta", "reader": "Trino"} | FACTS], "is no word for reader"),
    "a reader of Delta for Hudi": ([{"format": "hudi", "reader": "Spark"} | FACTS], "names a reader of Delta tables"),
    "a reader of Delta to Delta": (
        [{"format": "delta", "target": "delta", "reader": "Spark"} | FACTS],
        "names a reader of Delta tables",
    ),
    "a typo in a type": ([{"format": "hudi", "types": ["decimals"]}], "did you mean 'decimal'?"),
    "a typo in a fact": ([{"format": "hudi", "facts": ["logfiles"]}], "did you mean 'log files'?"),
    "a typo in a column's fact": ([{"format": "hudi", "column": "nan"}], "is no word for column"),
    "an unknown place": ([{"format": "hudi", "place": "bottom"}], "there are top, struct, partition"),
    "an unknown instant": ([{"format": "hudi", "instants": ["commits"]}], "did you mean 'commit'?"),
    "text for a list": ([{"format": "hudi", "types": "decimal"}], "types must be a list"),
    "a setting without a value": ([{"format": "hudi", "settings": ["a.b"]}], "settings must be name=value"),
    "a bad range": ([{"format": "hudi", "releases": "0.4"} | FACTS], "releases must be a range of releases"),
    "unseen without words": ([{"format": "hudi", "unseen": " "} | FACTS], "unseen must be text"),
}


@of_each("what", TYPOS)
def test_an_invalid_block_is_one_sentence(what: str) -> None:
    rows, said = TYPOS[what]
    with pytest.raises(BadRegister) as raised:
        read_affects("XTF-001", rows)
    assert said in str(raised.value)
    assert str(raised.value).startswith("XTF-001: affects")
