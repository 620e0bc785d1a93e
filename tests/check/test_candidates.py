"""An unknown finding on a table of XTable's names the known ones that it may be, and on others none."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    IcebergType,
    StringType,
    TimestamptzType,
)

from xtable_audit.check.candidates import candidates
from xtable_audit.formats.delta.format import TARGET as LOG
from xtable_audit.formats.iceberg.format import TARGET as ICEBERG
from xtable_audit.formats.writer import MetadataWriter
from xtable_audit.model.finding import Blame, Finding, Impact, Verdict
from xtable_audit.register.bundled import bundled_register

HUDI = MetadataWriter("XTable", "0.4.0", ("0.4.0",), "hudi")
DELTA = MetadataWriter("XTable", "0.4.0", ("0.4.0",), "delta")


def finding(claim: str, verdict: Verdict = Verdict.UNSOUND, column: str | None = "c") -> Finding:
    columns = (column,) if column else ()
    nothing = Impact(0, 0, 0, 0)
    return Finding(claim, "…", verdict, "t", "…", "…", nothing, Blame.XTABLE, "…", column=column, columns=columns)


def stored(kind: IcebergType) -> Any:
    return SimpleNamespace(leaves=(SimpleNamespace(path="c", type=kind),))


@pytest.mark.parametrize(
    ("claim", "verdict", "kind", "writer", "entry"),
    [
        ("bounds_contain_values", Verdict.UNSOUND, DecimalType(38, 2), DELTA, "XTF-033"),
        ("bounds_contain_values", Verdict.UNSOUND, StringType(), DELTA, "XTF-034"),
        ("bounds_contain_values", Verdict.UNSOUND, TimestamptzType(), DELTA, "XTF-035"),
        ("bounds_contain_values", Verdict.UNSOUND, DateType(), HUDI, "XTF-005"),
        ("column_sizes_fit_the_file", Verdict.COSMETIC, StringType(), DELTA, "XTF-063"),
    ],
    ids=lambda one: str(getattr(one, "source", one)),
)
def test_the_one_known_finding_of_that_claim_type_and_source_is_named(
    claim: str, verdict: Verdict, kind: IcebergType, writer: MetadataWriter, entry: str
) -> None:
    assert candidates(ICEBERG, finding(claim, verdict), stored(kind), writer, bundled_register()) == (entry,)


@pytest.mark.parametrize(("writer", "named"), [(DELTA, True), (HUDI, False)], ids=["Delta", "Hudi"])
def test_what_is_known_of_a_source_is_named_of_its_tables_whatever_their_names(
    writer: MetadataWriter, named: bool
) -> None:
    """No table of either entry has a name that begins with its format's."""
    found = finding("no_row_is_missing", column=None)
    ids = candidates(ICEBERG, found, stored(StringType()), writer, bundled_register())
    assert {"XTF-065", "XTF-068"}.issubset(ids) is named


@pytest.mark.parametrize(("by", "named"), [("Delta Kernel", True), ("", False)], ids=["Kernel", "Standalone"])
def test_what_delta_kernel_alone_does_is_named_of_its_tables_alone(by: str, named: bool) -> None:
    writer, found = replace(HUDI, by=by), finding("bounds_contain_values")
    leaf: Any = SimpleNamespace(leaves=(SimpleNamespace(path="c", type="timestamp"),))
    assert ("XTF-072" in candidates(LOG, found, leaf, writer, bundled_register())) is named


def test_a_finding_about_the_whole_table_is_told_by_its_claim() -> None:
    found = finding("no_file_is_listed_twice", Verdict.DUPLICATE, column=None)
    assert candidates(ICEBERG, found, stored(StringType()), HUDI, bundled_register()) == ("XTF-028",)


@pytest.mark.parametrize("writer", [MetadataWriter("Spark", "3.5.9"), MetadataWriter()], ids=["Spark", "nobody known"])
def test_what_another_wrote_has_no_known_cause(writer: MetadataWriter) -> None:
    assert candidates(ICEBERG, finding("bounds_contain_values"), stored(DoubleType()), writer, bundled_register()) == ()


def test_a_finding_that_is_known_is_no_other() -> None:
    known = finding("bounds_contain_values").known_as("XTF-003")
    assert candidates(ICEBERG, known, stored(DoubleType()), HUDI, bundled_register()) == ()


def test_a_release_that_no_entry_covers_has_none() -> None:
    newer = MetadataWriter("XTable", "9.0.0", ("9.0.0",), "hudi")
    assert candidates(ICEBERG, finding("bounds_contain_values"), stored(DateType()), newer, bundled_register()) == ()
