"""A run as SARIF 2.1.0. `sarif-schema-2.1.0.json` is that of OASIS (oasis-tcs/sarif-spec, errata 01)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.audit.runs import claim, document
from tests.report.forms import audit, hostile, own_table
from xtable_audit.report.document import Document
from xtable_audit.report.place import FileLine
from xtable_audit.report.sarif import sarif

SCHEMA = json.loads(Path(__file__).with_name("sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def results(document: Document, place: FileLine | None = None) -> list[dict[str, Any]]:
    [run] = json.loads(sarif(document, place))["runs"]
    found: list[dict[str, Any]] = run["results"]
    return found


@pytest.mark.parametrize(
    "place", [None, FileLine("a b.yaml"), FileLine("pom.xml", 3)], ids=["nowhere", "a file", "a line"]
)
@pytest.mark.parametrize(
    "run",
    [document(claim()), audit(), own_table(accepted=("XTF-003",)), hostile()],
    ids=["of no finding", "of an audit", "of a user's own table", "of hostile names"],
)
def test_it_keeps_the_schema(run: Document, place: FileLine | None) -> None:
    jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(
        json.loads(sarif(run, place))
    )


def test_the_baseline_is_the_register() -> None:
    assert [one["baselineState"] for one in results(audit())] == ["new", "unchanged", "absent"]


@pytest.mark.parametrize(
    ("verdict", "level"), [("UNSOUND", "error"), ("UNREADABLE", "error"), ("LOOSE", "warning"), ("COSMETIC", "note")]
)
def test_a_level_follows_the_verdict(verdict: str, level: str) -> None:
    [one] = results(document(claim("finding", verdict=verdict)))
    assert one["level"] == level


def test_an_accepted_finding_is_suppressed() -> None:
    new, known = results(own_table(accepted=("XTF-003",)))
    assert ("suppressions" in new, known["suppressions"][0]["justification"]) == (False, "XTF-003 is accepted")


def test_a_result_is_at_the_line_that_names_the_table() -> None:
    [location] = results(own_table(), FileLine("conf/xtable.yaml", 4))[0]["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "conf/xtable.yaml"},
        "region": {"startLine": 4},
    }


def test_without_a_place_it_is_at_the_tables_metadata() -> None:
    [location] = results(own_table())[0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"].endswith("/orders/metadata/v7%20a.metadata.json")


def test_the_fingerprint_stays_where_only_the_file_is_another() -> None:
    one, other = (results(own_table(saw=f"[0 … 1] for part-{n}.parquet"))[0] for n in (1, 2))
    assert one["partialFingerprints"] == other["partialFingerprints"]


@pytest.mark.parametrize("changed", [{"column": "other"}, {"saw": "no bounds"}, {"name": "lines"}], ids=str)
def test_the_fingerprint_is_of_one_finding(changed: dict[str, Any]) -> None:
    one, other = results(own_table())[0], results(own_table(**changed))[0]
    assert one["partialFingerprints"] != other["partialFingerprints"]


def test_a_run_that_was_cut_short_is_no_success() -> None:
    [run] = json.loads(sarif(replace(audit(), complete=False)))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
